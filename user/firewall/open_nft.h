// SPDX-License-Identifier: GPL-2.0-or-later
// firewall open under nftables, which keeps nothing by itself.
#pragma once

#include "base/answer.h"
#include "change/change_set.h"
#include "host/firewall.h"

namespace causeway {

// Adds a rule for each chain that closes one of the ports, and what opens them again at boot.
// Returns warnings, such as of chains that are iptables' own.
Result<std::vector<std::string>> plan_nftables(World &world, const std::vector<OpenPort> &ports,
                                               ChangeSet &set);

// Puts the rules that were kept into the chains that are there now, and lack them.
Result<Answer> open_kept_ports(World &world);

} // namespace causeway
