// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/slow_ports.h"

#include "base/append_once.h"
#include "fabric/topology.h"
#include "host/rate.h"
#include "show/progress.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::chrono::seconds discovery_limit{60};
constexpr unsigned int widest_link = 12;

// Parses "4X EDR" of ibnetdiscover. Returns none for any other text.
std::optional<double> gigabits_of(const std::string &rate) {
    unsigned int lanes = 0;
    std::array<char, 16> name{};
    if (std::sscanf(rate.c_str(), "%2uX %15[A-Z0-9]", &lanes, name.data()) != 2 || lanes == 0 ||
        lanes > widest_link) {
        return std::nullopt;
    }
    const auto speed =
        std::find_if(lane_speeds().begin(), lane_speeds().end(),
                     [&](const LaneSpeed &each) { return each.name == name.data(); });
    return speed == lane_speeds().end() ? std::nullopt : std::optional(speed->signalled * lanes);
}

} // namespace

Result<std::vector<HostPort>> hosts_of_fabric(World &world, const SubnetPort &port,
                                              std::chrono::seconds limit) {
    const Progress progress(world, "reading the rates of the fabric's ports");
    const auto end = TRY(world.processes.run(
        {"ibnetdiscover", "-C", port.device, "-P", fmt::format("{}", port.port)}, limit));
    if (!end.good()) {
        return Error{ExitCode::unavailable, "ibnetdiscover failed: " + end.last_words()};
    }
    std::vector<HostPort> hosts;
    Unread unread; // a line that is not understood gives no host to compare
    for (const FabricNode &node : parse_topology(end.out, unread)) {
        for (const FabricLink &link : node.links) {
            const auto rate = gigabits_of(link.rate);
            if (node.kind == FabricNode::Kind::host && rate) {
                hosts.push_back(
                    {fmt::format("{}/{}", node.name, link.near.port), link.guid, *rate});
            }
        }
    }
    return hosts;
}

std::string SlowPorts::text(double gigabits) const {
    return fmt::format("{} of the fabric's ports {} slower than {} Gb/s and cannot join the "
                       "broadcast group; the slowest is {} with {} Gb/s",
                       count, count == 1 ? "is" : "are", short_number(gigabits), slowest.name,
                       short_number(slowest.gigabits));
}

std::optional<SlowPorts> slower_than(const std::vector<HostPort> &hosts, double gigabits) {
    std::optional<SlowPorts> slow;
    for (const HostPort &host : hosts) {
        if (host.gigabits >= gigabits) {
            continue;
        }
        if (!slow) {
            slow = SlowPorts{0, host};
        }
        slow->count++;
        if (host.gigabits < slow->slowest.gigabits) {
            slow->slowest = host;
        }
    }
    return slow;
}

std::vector<std::string> warn_of_slow_ports(World &world, const std::vector<std::string> &guids,
                                            double gigabits) {
    std::vector<std::string> warnings;
    for (const SubnetPort &port : subnet_ports(world.files)) {
        if (std::find(guids.begin(), guids.end(), port.guid) == guids.end() ||
            port.state != "ACTIVE") {
            continue;
        }
        std::vector<HostPort> hosts;
        if (world.processes.there("ibnetdiscover")) {
            if (auto found = hosts_of_fabric(world, port, discovery_limit)) {
                hosts = *std::move(found);
            }
        }
        if (hosts.empty()) {
            warnings.push_back(fmt::format("the hosts of the fabric at {} were not compared with "
                                           "{} Gb/s: ibnetdiscover found none",
                                           port.text(), short_number(gigabits)));
            if (const auto rate = parse_rate(port.rate)) {
                hosts.push_back({port.text(), port.guid, rate->signalled});
            }
        }
        if (const auto slow = slower_than(hosts, gigabits)) {
            append_once(warnings, slow->text(gigabits));
        }
    }
    return warnings;
}

} // namespace causeway
