// SPDX-License-Identifier: GPL-2.0-or-later
// A pre-shared key lives in a file of its own; drop-ins only name it.
#pragma once

#include "base/result.h"
#include "base/secret.h"

#include <filesystem>

namespace causeway {

// 1 to 64 bytes after one trailing newline is dropped; nobody but its owner, who is root or the
// caller, may read the file.
Result<Secret> read_key(const std::filesystem::path &place);

} // namespace causeway
