// SPDX-License-Identifier: GPL-2.0-or-later
// firewall open and close under nftables, which stores no rules itself.
#pragma once

#include "base/answer.h"
#include "change/change_set.h"
#include "host/firewall.h"

namespace causeway {

// Adds to the set a rule for each chain that closes one of the ports, and the files that open the
// ports again at boot. Returns warnings, for example about chains of iptables.
Result<std::vector<std::string>> plan_nftables(World &world, const std::vector<OpenPort> &ports,
                                               ChangeSet &set);

// Returns the ports that "firewall open" keeps open in nftables.
Result<std::vector<OpenPort>> kept_ports(const World &world);

// Adds to the set the changes that remove Causeway's rules for these ports from all chains, and the
// ports from the list for the next boot.
Result<void> plan_close_nftables(World &world, const std::vector<OpenPort> &ports, ChangeSet &set);

// Adds the rules for the stored ports to the present chains that close them and have no such rule.
// Changes the machine at once.
Result<Answer> open_kept_ports(World &world);

} // namespace causeway
