// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/infiniband_port.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

Error not_infiniband(const std::string &name, const std::string &otherwise) {
    return Error{ExitCode::unavailable,
                 fmt::format("{} is no device of InfiniBand: RoCE and iWARP go over Ethernet, "
                             "which has no LIDs and no subnet management",
                             name),
                 otherwise};
}

} // namespace

std::string InfinibandPort::text() const {
    return port == 0 ? device : fmt::format("{}/{}", device, port);
}

std::vector<std::string> InfinibandPort::options() const {
    std::vector<std::string> words = {"-C", device};
    if (port != 0) {
        words.insert(words.end(), {"-P", fmt::format("{}", port)});
    }
    return words;
}

bool is_infiniband(const RdmaPort &port) {
    return port.link_layer == "InfiniBand";
}

bool has_infiniband(const RdmaDevice &device) {
    return std::any_of(device.ports.begin(), device.ports.end(), is_infiniband);
}

Result<InfinibandPort> find_infiniband_port(const std::vector<RdmaDevice> &devices,
                                            const std::string &typed,
                                            const std::string &otherwise) {
    const std::size_t slash = typed.find('/');
    const std::string name = typed.substr(0, slash);
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [&](const RdmaDevice &each) { return each.name == name; });
    if (device == devices.end()) {
        return no_such_rdma_device(devices, name);
    }
    if (!has_infiniband(*device)) {
        return not_infiniband(name, otherwise);
    }
    if (slash == std::string::npos) {
        return InfinibandPort{name, device->ports.size() == 1 ? device->ports.front().number : 0};
    }
    const std::string number = typed.substr(slash + 1);
    for (const RdmaPort &port : device->ports) {
        if (fmt::format("{}", port.number) == number) {
            return is_infiniband(port) ? Result<InfinibandPort>(InfinibandPort{name, port.number})
                                       : not_infiniband(typed, otherwise);
        }
    }
    return Error{
        ExitCode::unavailable, fmt::format("{} has no port '{}'", name, number),
        fmt::format("name one of its ports, such as {}/{}", name, device->ports.front().number)};
}

} // namespace causeway
