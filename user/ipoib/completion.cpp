// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of the names of network interfaces.
#include "command/completion.h"
#include "host/rdma_devices.h"
#include "machine/kernel_files.h"

namespace causeway {

namespace {

using Names = std::vector<std::string>;

Names netdevs(World &world) {
    return world.files.list("/sys/class/net");
}

Names ipoib_interfaces(World &world) {
    constexpr const char *infiniband = "32"; // ARPHRD_INFINIBAND
    Names names;
    for (const std::string &name : netdevs(world)) {
        if (sysfs_text(world.files, "/sys/class/net/" + name + "/type") == infiniband) {
            names.push_back(name);
        }
    }
    return names;
}

const CompletionSource source_of_netdev("", "NETDEV", netdevs);
const CompletionSource source_of_interface_to_rename("name set", "OLD", ipoib_interfaces);
const CompletionSource source_of_interface("", "INTERFACE", ipoib_interfaces);
const CompletionSource source_of_parent_interface("", "PARENT", ipoib_interfaces);

} // namespace

} // namespace causeway
