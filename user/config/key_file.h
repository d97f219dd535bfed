// SPDX-License-Identifier: GPL-2.0-or-later
// A pre-shared key is in a file of its own. Configuration files only name that file.
#pragma once

#include "base/result.h"
#include "base/secret.h"

#include <filesystem>

namespace causeway {

// Returns the key, without one trailing newline: 16 to 64 bytes, not all zero. Returns an error
// (bad_config) unless the file belongs to root or to the caller and no other user has access. The
// error is no_permission if the caller may not open the file.
Result<Secret> read_key(const std::filesystem::path &place);

} // namespace causeway
