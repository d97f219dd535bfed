// SPDX-License-Identifier: GPL-2.0-or-later
// A new profile of an interface keeps what the interface has now.
#pragma once

#include "change/change.h"
#include "host/interface_now.h"
#include "netconf/settings.h"

namespace causeway {

// Runs ip(8). Returns an empty value if there is no such interface.
Result<InterfaceNow> look_at_interface(World &world, const std::string &interface);

// Adds to the settings all that the interface has now and the settings do not: addresses, gateways
// and routes; DHCP or router advertisements, if addresses or routes come from these; name servers,
// if the settings have none. Leaves out the addresses in @without, and removes them from the
// settings. Returns warnings about addresses that a cluster may move. Returns an error if the
// interface has something that Causeway's profiles cannot express.
Result<std::vector<std::string>> keep_what_is_now(World &world, InterfaceSettings &settings,
                                                  const InterfaceNow &now,
                                                  const std::vector<SocketAddress> &without = {});

// Lists what @after has and @before has not, in phrases such as "the address 10.0.0.1/24".
std::vector<std::string> news_of(const InterfaceSettings &before, const InterfaceSettings &after);

// Returns the change by which undo restores the routes and the addresses beyond the link that the
// interface has now, except temporary addresses, and routes that are odd or advertised. Undo also
// removes the addresses of @after (null: none) that the interface does not have now. Returns null
// if the interface has neither a route nor an address beyond the link now.
ChangePointer hold_addresses(const InterfaceNow &now, const std::string &interface,
                             const InterfaceSettings *after);

} // namespace causeway
