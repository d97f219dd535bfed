// SPDX-License-Identifier: GPL-2.0-or-later
// A Soft-RoCE device: whether it still takes connections, and who uses it besides Causeway.
#pragma once

#include "machine/world.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// False is proof: this machine's own request to its own address got no answer. A device that gets
// datagrams of the connection manager refuses such a request within milliseconds. The request goes
// by the device alone, never over the wire.
bool takes_connections(World &world, const std::string &device, SocketAddress own);

struct RdmaUser {
    std::string name;     // of a program, or of a kernel module
    unsigned int pid = 0; // of a program; 0: a kernel module
    std::string text() const;
};

// Programs that have the device open, and kernel modules that have queue pairs or memory on it. The
// RDMA core and Causeway are not among them. An error: "rdma" of iproute2 does not say.
Result<std::vector<RdmaUser>> other_users(World &world, const std::string &device);

// Refuses to remove a device (@deed: "removed"), or to make it anew, while a program has it open:
// the kernel would wait for the program. A kernel module only loses its connections.
Result<void> expect_no_programs(World &world, const std::string &device, const char *deed);
Error is_used(const std::string &device, const char *deed, const RdmaUser &user);

// What "rdma -j resource show pd" and "... ctx" say.
std::vector<RdmaUser> parse_rdma_users(std::string_view text, const std::string &device);

} // namespace causeway
