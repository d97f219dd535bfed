// SPDX-License-Identifier: GPL-2.0-or-later
// What is there before it is changed.
#pragma once

#include "change/change.h"

#include <filesystem>
#include <optional>
#include <string>

namespace causeway {

// An error where it is no regular file: a link or a folder of that name is not ours to follow.
Result<FileState> look_at_file(const std::filesystem::path &place);

// The same of a drop-in, which an administrator may have made a symbolic link to a file elsewhere.
Result<FileState> look_at_dropin(const std::filesystem::path &place);

// None where nothing is there; an error where it is no symbolic link.
Result<std::optional<std::string>> look_at_symlink(const std::filesystem::path &place);

} // namespace causeway
