// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about multicast groups. A port whose rate is below that of a group cannot join it, and
// a group whose rate is below that of every port wastes rate; the same for the MTU.
#include "fabric/checks.h"

#include "host/rate.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace causeway {

namespace {

constexpr unsigned int default_partition = 0x7fff;
constexpr std::size_t most_names = 5; // that a finding lists

// A port of a host, as a member of groups.
struct HostPort {
    std::string name;
    std::string guid;
    unsigned int lid = 0;
    double rate = 0;      // in the steps of groups, Gb/s; 0: unknown
    unsigned int mtu = 0; // 0: unknown
};

// Returns the rate of "4X EDR" in the steps that groups have, 100 Gb/s for 103.125 Gb/s; 0 if it is
// unknown.
double group_rate_of(const std::string &rate) {
    const std::size_t x = rate.find("X ");
    const auto lanes = whole_number(std::string_view(rate).substr(0, std::min(x, rate.size())), 12);
    double signalled = 0;
    for (const LaneSpeed &speed : lane_speeds()) {
        if (lanes && x != std::string::npos && rate.substr(x + 2) == speed.name) {
            signalled = speed.signalled * static_cast<double>(*lanes);
        }
    }
    double best = 0;
    for (const RateCode &code : rate_codes()) {
        best = code.gigabits <= signalled ? std::max(best, code.gigabits) : best;
    }
    return best;
}

std::vector<HostPort> host_ports(const std::vector<FabricNode> &nodes, const LinkMtus &mtus) {
    std::vector<HostPort> ports;
    for (const FabricNode &node : nodes) {
        if (node.kind != FabricNode::Kind::host) {
            continue;
        }
        for (const FabricLink &link : node.links) {
            const auto mtu = mtus.find({link.near.lid, link.near.port});
            ports.push_back({link.near.text(), link.guid, link.near.lid, group_rate_of(link.rate),
                             mtu == mtus.end() ? 0 : mtu->second});
        }
    }
    return ports;
}

// Returns the ports that use the groups of a partition or have joined one of them.
std::vector<HostPort> users_of(const std::vector<HostPort> &ports, const GroupsView &view,
                               const FabricGroup &group) {
    std::set<unsigned int> lids;
    for (const FabricPartition &each : view.partitions.value_or(std::vector<FabricPartition>())) {
        for (const auto &member : each.members) {
            if (each.pkey == group.pkey) {
                lids.insert(member.lid);
            }
        }
    }
    std::set<std::string> joined;
    for (const GroupMember &member : view.members) {
        if (member.gid == group.gid && !member.guid.empty()) {
            joined.insert(member.guid);
        }
    }
    const bool every = !view.partitions && group.pkey == default_partition;
    std::vector<HostPort> users;
    std::copy_if(ports.begin(), ports.end(), std::back_inserter(users), [&](const HostPort &port) {
        return every || (port.lid != 0 && lids.count(port.lid) != 0) ||
               joined.count(port.guid) != 0;
    });
    return users;
}

// Returns "host-1/1, host-2/1 and 7 more".
std::string names_of(const std::vector<HostPort> &ports) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(ports.size(), most_names); i++) {
        names.push_back(ports[i].name);
    }
    const std::size_t more = ports.size() - names.size();
    return more == 0 ? fmt::format("{}", fmt::join(names, ", "))
                     : fmt::format("{} and {} more", fmt::join(names, ", "), more);
}

// Groups of one partition with the same rate and MTU.
struct GroupKind {
    FabricGroup first;
    std::vector<HostPort> users;
    std::set<std::string> seen; // GUIDs or names of the users
    std::size_t count = 0;

    std::string text() const {
        const std::string groups = count == 1
                                       ? fmt::format("group {}", first.gid)
                                       : fmt::format("group {} and {} more", first.gid, count - 1);
        return fmt::format("{} of partition 0x{:04x}", groups, first.pkey);
    }
};

std::string change_command(const FabricGroup &group, const std::string &setting) {
    return fmt::format("where the subnet manager runs: causeway sm partition set 0x{:04x} {}",
                       group.pkey, setting);
}

template <typename Value>
void judge(const GroupKind &kind, Value have, Value HostPort::*of_port, const char *thing,
           const std::string &unit, const std::string &option, std::vector<FabricFinding> &found) {
    std::vector<HostPort> below;
    Value least = 0;
    for (const HostPort &port : kind.users) {
        const Value value = port.*of_port;
        if (value > 0 && value < have) {
            below.push_back(port);
        }
        if (value > 0 && (least == 0 || value < least)) {
            least = value;
        }
    }
    const std::string subject = fmt::format("0x{:04x}", kind.first.pkey);
    const auto number = [](Value value) { return short_number(static_cast<double>(value)); };
    if (have > 0 && !below.empty()) {
        found.push_back({option == "--rate" ? "group-rate-high" : "group-mtu-high", Severity::error,
                         subject,
                         fmt::format("the {} of {} is {} {}, and {} cannot join with less", thing,
                                     kind.text(), number(have), unit, names_of(below)),
                         change_command(kind.first, fmt::format("{} {}", option, number(least)))});
    } else if (have > 0 && least > have) {
        found.push_back({option == "--rate" ? "group-rate-low" : "group-mtu-low", Severity::notice,
                         subject,
                         fmt::format("the {} of {} is {} {}, and its slowest host has {}", thing,
                                     kind.text(), number(have), unit, number(least)),
                         change_command(kind.first, fmt::format("{} {}", option, number(least)))});
    }
}

} // namespace

std::vector<FabricFinding> check_groups(const std::vector<FabricNode> &nodes,
                                        const GroupsView &view) {
    const auto ports = host_ports(nodes, view.mtus);
    std::map<std::tuple<unsigned int, double, unsigned int>, GroupKind> kinds;
    for (const FabricGroup &group : view.groups) {
        GroupKind &kind = kinds[{group.pkey, group.rate, group.mtu}];
        if (kind.count++ == 0) {
            kind.first = group;
        }
        for (HostPort &user : users_of(ports, view, group)) {
            if (kind.seen.insert(user.guid.empty() ? user.name : user.guid).second) {
                kind.users.push_back(std::move(user));
            }
        }
    }
    std::vector<FabricFinding> found;
    for (const auto &[key, kind] : kinds) {
        judge(kind, kind.first.rate, &HostPort::rate, "rate", "Gb/s", "--rate", found);
        judge(kind, kind.first.mtu, &HostPort::mtu, "MTU", "bytes", "--mtu", found);
    }
    return found;
}

} // namespace causeway
