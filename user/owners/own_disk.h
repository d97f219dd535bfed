// SPDX-License-Identifier: GPL-2.0-or-later
// Detects a folder on a disk that this machine attached from itself. A ledger there could not be
// written while the server changes the owners of that disk, and it would not exist yet when the
// server starts.
#pragma once

#include "base/result.h"
#include "machine/world.h"

#include <filesystem>

namespace causeway {

// Returns an error if the folder is on such a disk, or if that is unknown. The folder must exist.
// @identity is that of a disk which is about to be exported.
Result<void> check_not_on_own_disk(World &world, const std::filesystem::path &folder,
                                   const Uuid &identity);

} // namespace causeway
