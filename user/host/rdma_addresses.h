// SPDX-License-Identifier: GPL-2.0-or-later
// The IP addresses of this machine at which it can be reached by RDMA, and the routes to addresses
// of other machines.
#pragma once

#include "base/prefix.h"
#include "base/result.h"
#include "base/socket_address.h"
#include "machine/world.h"

#include <string>
#include <vector>

namespace causeway {

struct AddressedInterface {
    std::string name;
    // Those that a server may list (base/listed_address.h), with port 0. First the permanent ones,
    // then those of DHCP or router advertisements, then secondary ones; within each of these in the
    // order of ip(8). Without those that the kernel makes for a while only, or that are not valid
    // for new connections.
    std::vector<SocketAddress> addresses{};
    std::vector<Prefix> networks{}; // of all its addresses but those of the link
    bool rdma = false;              // the interface belongs to an RDMA device
};

// Returns the interfaces in the order of their names, which is the same at each boot. Returns an
// error if ip(8) cannot be run or its output is not understood.
Result<std::vector<AddressedInterface>> addressed_interfaces(World &world);

// Returns the interface that has the address, or null.
const AddressedInterface *owner_of(const std::vector<AddressedInterface> &interfaces,
                                   const SocketAddress &address);

// Returns why this machine does not reach the address directly, or "": the address is one of this
// machine's, or of a network of an interface, and the route to it uses that interface without a
// router. Unless @by_any, the interface belongs to an RDMA device. Sends nothing.
std::string why_not_direct(World &world, const std::vector<AddressedInterface> &interfaces,
                           const SocketAddress &address, bool by_any);

} // namespace causeway
