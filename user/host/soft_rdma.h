// SPDX-License-Identifier: GPL-2.0-or-later
// The state of a Soft-RoCE device: does it still accept connections, and who uses it besides
// Causeway?
#pragma once

#include "machine/world.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// Returns false only if this machine's own request to its own address got no reply, which proves
// the fault: a device that receives datagrams of the connection manager refuses such a request
// within milliseconds. The request passes only through the device, never over the wire.
bool takes_connections(World &world, const std::string &device, SocketAddress own);

struct RdmaUser {
    std::string name;     // name of a program or of a kernel module
    unsigned int pid = 0; // of a program; 0 for a kernel module
    std::string text() const;
};

// Returns the programs that have the device open, and the kernel modules that have queue pairs or
// memory on it, without the RDMA core and Causeway. Returns an error if rdma(8) of iproute2 cannot
// report them.
Result<std::vector<RdmaUser>> other_users(World &world, const std::string &device);

// Returns an error if a program or a kernel module uses the device, or if its users are unknown.
// The kernel waits for a program before it removes the device. A kernel module may lose more than
// its connections: nvme_rdma deletes its controllers, and so its disks. With @force, only a program
// counts. @action, such as "removed", is for the error.
Result<void> expect_no_users(World &world, const std::string &device, const char *action,
                             bool force);

// Parses the output of "rdma -j resource show pd" or "... ctx".
std::vector<RdmaUser> parse_rdma_users(std::string_view text, const std::string &device);

} // namespace causeway
