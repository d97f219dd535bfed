// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of the names of network interfaces.
#include "command/completion.h"
#include "host/rdma_devices.h"
#include "ipoib/name_rules.h"
#include "machine/kernel_files.h"
#include "netconf/records.h"

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

Names kept_interfaces(World &world) {
    Names names;
    const auto records = load_records(world.places);
    for (const InterfaceSettings &each : records ? *records : std::vector<InterfaceSettings>()) {
        names.push_back(each.name);
    }
    return names;
}

Names kept_names(World &world) {
    Names names;
    for (const bool of_devices : {false, true}) {
        const auto rules = load_name_rules(world.places, of_devices);
        for (const NameRule &each : rules ? *rules : std::vector<NameRule>()) {
            names.push_back(each.name);
        }
    }
    return names;
}

const CompletionSource source_of_netdev("", "NETDEV", netdevs);
const CompletionSource source_of_interface_to_rename("name set", "OLD", ipoib_interfaces);
const CompletionSource source_of_interface_to_unset("ipoib unset", "INTERFACE", kept_interfaces);
const CompletionSource source_of_name_to_unset("name unset", "NAME", kept_names);
const CompletionSource source_of_interface("", "INTERFACE", ipoib_interfaces);
const CompletionSource source_of_parent_interface("", "PARENT", ipoib_interfaces);

} // namespace

} // namespace causeway
