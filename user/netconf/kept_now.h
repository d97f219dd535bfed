// SPDX-License-Identifier: GPL-2.0-or-later
// A new profile of an interface keeps what the interface has now.
#pragma once

#include "change/change.h"
#include "host/interface_now.h"
#include "netconf/settings.h"

namespace causeway {

// Asks ip(8); nothing where there is no such interface.
Result<InterfaceNow> look_at_interface(World &world, const std::string &interface);

// Adds to the settings the addresses, gateways and routes that the interface has now and that they
// do not have, DHCP or router advertisements where it has addresses or routes of these, and its
// name servers where the settings have none. The addresses of "without" are left out, and taken out
// of the settings. Returned are warnings of addresses that a cluster may move. An error where it
// has what no profile of Causeway's can say.
Result<std::vector<std::string>> keep_what_is_now(World &world, InterfaceSettings &settings,
                                                  const InterfaceNow &now,
                                                  const std::vector<SocketAddress> &without = {});

// What the settings have that those before had not: "the address 10.0.0.1/24".
std::vector<std::string> news_of(const InterfaceSettings &before, const InterfaceSettings &after);

// For undo: what the interface has now, and which of the addresses that it will have are new. Null
// where it has nothing that somebody set.
ChangePointer hold_addresses(const InterfaceNow &now, const std::string &interface,
                             const InterfaceSettings *after);

} // namespace causeway
