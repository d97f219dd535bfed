// SPDX-License-Identifier: GPL-2.0-or-later
// Everything that a verb touches. main() fills it with the real things, tests with others.
#pragma once

#include "base/uuid.h"
#include "config/places.h"
#include "host/clock.h"
#include "host/processes.h"
#include "host/socket_address.h"
#include "host/tcp_ports.h"
#include "kernel/device_link.h"
#include "kernel/disk_use.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "kernel/modules.h"
#include "kernel/mount_use.h"
#include "kernel/rdma_links.h"
#include "kernel/rdma_paths.h"
#include "show/terminal.h"

#include <ostream>

namespace causeway {

struct World {
    Kernel &kernel;
    Modules &modules;
    Resolver &resolver;
    DeviceLinks &links;
    Processes &processes;
    KernelFiles &files;
    RdmaLinks &rdma;
    RdmaPaths &paths;
    TcpPorts &tcp_ports;
    MountUse &mount_use;
    DiskUse &disk_use;
    HostClock &clock;
    std::ostream &out;
    std::ostream &err;
    Places places{};
    Uuid boot{};       // of this machine
    bool json = false; // the form of what goes to out
    Terminal terminal{};
};

inline constexpr const char *module_core = "causeway";
inline constexpr const char *module_disk = "causeway_disk";
inline constexpr const char *module_target = "causeway_target";
inline constexpr const char *module_rpcrdma = "causeway_rpcrdma";
inline constexpr const char *module_in_tree_rpcrdma = "rpcrdma";

} // namespace causeway
