// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of doctor about NFS on this machine.
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
    std::string reason; // the error that was reported when it was mounted by TCP
    std::vector<MountUser> users{};
};

struct NfsFacts {
    TransportState transport;
    std::vector<TcpMount> by_tcp;             // although RDMA was requested
    std::optional<std::uint16_t> wanted_port; // for RDMA, in Causeway's drop-in of nfs.conf
    bool server_runs = false;
    std::vector<NfsdPort> ports;
    std::vector<NfsConnection> connections;
    // Causeway's drop-ins for which is_open_unmarked() is true
    std::vector<std::string> open_unmarked;
};

} // namespace causeway
