// SPDX-License-Identifier: GPL-2.0-or-later
#include "port/roce_device.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

bool is_roce(const RdmaDevice &device, const RdmaPort &port) {
    return device.node_type != "RNIC" && port.link_layer == "Ethernet";
}

Result<RdmaDevice> find_roce_device(KernelFiles &files, const std::string &name) {
    auto device = find_rdma_device(files, name);
    if (!device) {
        return no_such_rdma_device(rdma_devices(files), name);
    }
    if (std::none_of(device->ports.begin(), device->ports.end(),
                     [&](const RdmaPort &port) { return is_roce(*device, port); })) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} has no port of RoCE: it speaks {}", name,
                                 device->node_type == "RNIC" ? "iWARP" : "InfiniBand"),
                     "see which devices have one: causeway roce mode"};
    }
    return *std::move(device);
}

} // namespace causeway
