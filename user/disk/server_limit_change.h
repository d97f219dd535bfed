// SPDX-License-Identifier: GPL-2.0-or-later
// The change of a limit of the server in the module causeway.
#pragma once

#include "change/change.h"
#include "config/server_settings.h"

#include <cstdint>
#include <optional>

namespace causeway {

// Returns the limit that the module has now; none unless the module is loaded.
std::optional<std::uint32_t> limit_now(World &world, const ServerLimit &limit);

// A module that was loaded anew since has the default, and one that is not loaded has no limit.
// Undo then goes on: the file decides which limit the server gets at its next start.
ChangePointer change_server_limit(const ServerLimit &limit, std::uint32_t before,
                                  std::uint32_t after);

} // namespace causeway
