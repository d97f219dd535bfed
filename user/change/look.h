// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the present state of a file or link before it is changed.
#pragma once

#include "change/change.h"

#include <filesystem>
#include <optional>
#include <string>

namespace causeway {

// Returns an error if the path leads to anything but a regular file: a symbolic link is not
// followed.
Result<FileState> look_at_file(const std::filesystem::path &place);

// Does the same for a drop-in, but follows a symbolic link that an administrator may have made.
Result<FileState> look_at_dropin(const std::filesystem::path &place);

// Returns the target of the link, none if nothing exists there, or an error if it is no symbolic
// link.
Result<std::optional<std::string>> look_at_symlink(const std::filesystem::path &place);

} // namespace causeway
