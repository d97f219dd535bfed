// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/link_rate.h"

#include "host/rate.h"

#include <causeway.h>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace causeway {

namespace {

std::optional<double> rate_of_port(KernelFiles &files, const std::string &name,
                                   unsigned int number) {
    const auto device = find_rdma_device(files, name);
    if (!device) {
        return std::nullopt;
    }
    for (const RdmaPort &port : device->ports) {
        if (port.number == number) {
            return usable_rate(*device, port);
        }
    }
    return std::nullopt;
}

// Each port once, although several paths may use it. A path by TCP has no RDMA device.
std::set<std::pair<std::string, unsigned int>> ports_of_session(const SessionInfo &session) {
    std::set<std::pair<std::string, unsigned int>> ports;
    for (const DiskPath &path : session.paths) {
        if (path.carries_io) {
            ports.emplace(path.device, path.device_port);
        }
    }
    if (session.paths.empty()) { // as older modules report it
        ports.emplace(session.device, session.device_port);
    }
    return ports;
}

} // namespace

std::optional<double> usable_rate(const RdmaDevice &device, const RdmaPort &port) {
    const auto rate = parse_rate(port.rate);
    if (!rate || !device.soft.empty()) {
        return std::nullopt;
    }
    const bool coded = port.link_layer == "InfiniBand" && rate->usable > 0;
    constexpr double bytes_of_gigabit = 1e9 / 8;
    return (coded ? rate->usable : rate->signalled) * bytes_of_gigabit;
}

DiskLinks links_of_disk(KernelFiles &files, const std::vector<SessionInfo> &sessions,
                        const std::string &server, const std::string &name) {
    DiskLinks links;
    for (const SessionInfo &session : sessions) {
        if (session.role != CW_ROLE_CLIENT || session.server != server || session.name != name) {
            continue;
        }
        double sum = 0;
        bool known = true;
        for (const auto &[device, port] : ports_of_session(session)) {
            if (device.empty()) {
                known = false;
                continue;
            }
            links.text += fmt::format("{}{}/{}", links.text.empty() ? "" : " and ", device, port);
            const auto rate = rate_of_port(files, device, port);
            known = known && rate.has_value();
            sum += rate.value_or(0);
        }
        if (known && sum > 0) {
            links.usable = sum;
        }
    }
    return links;
}

} // namespace causeway
