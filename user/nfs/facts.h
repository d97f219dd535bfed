// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor knows of NFS on this machine.
#pragma once

#include "doctor/facts.h"
#include "machine/kernel.h"
#include "machine/mount_use.h"
#include "nfs/mounts.h"
#include "nfs/server.h"
#include "nfs/transport.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace causeway {

struct TcpMount {
    NfsMount mount;
    std::string reason; // what was said when it was mounted so
    std::vector<MountUser> users{};
};

struct NfsFacts {
    TransportSight transport;
    std::vector<TcpMount> by_tcp;             // though RDMA was asked for
    std::optional<std::uint16_t> wanted_port; // our drop-in of nfs.conf
    bool server_runs = false;
    std::vector<NfsdPort> ports;
    std::vector<NfsConnection> connections;
    std::vector<std::string> open_unmarked; // drop-ins of ours: is_open_unmarked()
};

} // namespace causeway
