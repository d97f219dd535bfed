// SPDX-License-Identifier: GPL-2.0-or-later
// systemd-networkd removes routes and rules that it does not know.
#pragma once

#include "machine/world.h"

#include <string>

namespace causeway {

// Returns an error if the interface has routes of routing daemons or routes in other tables, or if
// the machine has rules of "ip rule". Causeway's profiles contain none of these, and networkd would
// delete them when it configures the interface. No error if networkd.conf makes networkd leave
// them alone.
Result<void> refuse_foreign_routes(World &world, const std::string &interface);

} // namespace causeway
