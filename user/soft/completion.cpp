// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of the names of software RDMA devices.
#include "command/completion.h"
#include "host/rdma_devices.h"

namespace causeway {

namespace {

using Names = std::vector<std::string>;

Names software_devices(World &world) {
    Names names;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        if (!device.soft.empty()) {
            names.push_back(device.name);
        }
    }
    return names;
}

const CompletionSource source_of_device_to_remove("soft remove", "DEVICE|NETDEV", software_devices);

} // namespace

} // namespace causeway
