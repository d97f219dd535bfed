// SPDX-License-Identifier: GPL-2.0-or-later
// Everything outside of the process that a verb uses. main() provides the real implementations,
// tests provide fakes.
#pragma once

#include "base/places.h"
#include "base/socket_address.h"
#include "base/uuid.h"
#include "machine/clock.h"
#include "machine/device_link.h"
#include "machine/disk_use.h"
#include "machine/kernel.h"
#include "machine/kernel_files.h"
#include "machine/module_loader.h"
#include "machine/mount_use.h"
#include "machine/processes.h"
#include "machine/rdma_links.h"
#include "machine/rdma_paths.h"
#include "machine/tcp_ports.h"
#include "machine/terminal.h"

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
    Uuid boot{};       // the current boot of this machine
    bool json = false; // out receives JSON
    Terminal terminal{};
};

inline constexpr const char *module_core = "causeway";
inline constexpr const char *module_disk = "causeway_disk";
inline constexpr const char *module_target = "causeway_target";
inline constexpr const char *module_rpcrdma = "causeway_rpcrdma";
inline constexpr const char *module_in_tree_rpcrdma = "rpcrdma";

} // namespace causeway
