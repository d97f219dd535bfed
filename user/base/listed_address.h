// SPDX-License-Identifier: GPL-2.0-or-later
// The rule of docs/PROTOCOL.md, section 11, for the addresses that a server lists for its exports.
#pragma once

#include "base/socket_address.h"

namespace causeway {

// Returns true if a server may list the address. The kernel refuses all others: addresses of no
// host, of several hosts and of a link, and those with a scope.
bool may_be_listed(const SocketAddress &address);

// Returns those of the addresses that may be listed.
std::vector<SocketAddress> listed_addresses(std::vector<SocketAddress> addresses);

} // namespace causeway
