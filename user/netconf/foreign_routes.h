// SPDX-License-Identifier: GPL-2.0-or-later
// systemd-networkd takes away the routes and rules that it does not know.
#pragma once

#include "machine/world.h"

#include <string>

namespace causeway {

// An error where the interface has routes of routing daemons or in other tables, or the machine has
// rules, which no profile of Causeway's has and which a networkd that takes up the interface would
// delete. networkd.conf may tell it to leave them alone.
Result<void> refuse_foreign_routes(World &world, const std::string &interface);

} // namespace causeway
