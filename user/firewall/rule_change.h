// SPDX-License-Identifier: GPL-2.0-or-later
// The change that opens or closes a port in a chain of nftables.
#pragma once

#include "change/change.h"
#include "host/firewall.h"

#include <string>

namespace causeway {

// Inserts a rule at the head of a chain of nftables, such as "inet filter input". An empty @chain
// inserts none; undo then removes the rules of the port from all chains.
ChangePointer change_firewall_rule(std::string chain, const OpenPort &port);

// Deletes Causeway's rules of this port from a chain. Undo inserts one rule again.
ChangePointer remove_firewall_rule(std::string chain, const OpenPort &port);

} // namespace causeway
