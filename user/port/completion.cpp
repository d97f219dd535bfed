// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of RDMA devices, their addresses and speeds.
#include "command/completion.h"
#include "host/rate.h"
#include "host/rdma_devices.h"

#include <algorithm>

namespace causeway {

namespace {

using Names = std::vector<std::string>;

Names rdma_names(World &world) {
    return world.files.list("/sys/class/infiniband");
}

Names speeds(World & /*world*/) {
    Names names;
    for (const LaneSpeed &speed : lane_speeds()) {
        names.emplace_back(speed.name);
    }
    return names;
}

// Returns the addresses that a user may want to have explained.
Names addresses_of_this_host(World &world) {
    Names names;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        names.push_back(device.node_guid);
        for (const RdmaPort &port : device.ports) {
            for (const RdmaGid &gid : port.gids) {
                names.push_back(gid.gid);
            }
        }
    }
    for (const std::string &name : world.files.list("/sys/class/net")) {
        names.push_back(sysfs_text(world.files, "/sys/class/net/" + name + "/address"));
    }
    names.erase(std::remove(names.begin(), names.end(), ""), names.end());
    return names;
}

// Returns the LIDs of the subnet managers: the only remote ports that are known without a query of
// the fabric.
Names subnet_managers(World &world) {
    Names names;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        for (const RdmaPort &port : device.ports) {
            if (!port.sm_lid.empty() && port.sm_lid != "0x0") {
                names.push_back(port.sm_lid);
            }
        }
    }
    return names;
}

const CompletionSource source_of_device("", "DEVICE", rdma_names);
const CompletionSource source_of_device_and_port("", "DEVICE[/PORT]", rdma_names);
const CompletionSource source_of_device_port_or_guid("", "DEVICE[/PORT]|GUID", rdma_names);
const CompletionSource source_of_speed("", "SPEED", speeds);
const CompletionSource source_of_address_to_explain("explain address", "ADDRESS",
                                                    addresses_of_this_host);
const CompletionSource source_of_port_to_ping("ping", "LID", subnet_managers);

} // namespace

} // namespace causeway
