// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/facts.h"

#include "base/append_once.h"
#include "change/change_set.h"
#include "doctor/gather.h"
#include "host/rate.h"
#include "subnet/managers.h"
#include "subnet/partitions.h"
#include "subnet/slow_ports.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds fabric_patience{10};

// Returns the files of partitions that opensm reads: those of Causeway if "causeway sm enable" has
// set it up, else those of its package.
std::vector<fs::path> partition_files(World &world, Facts &facts, SubnetFacts &subnet) {
    const auto ports = opensm_ports(world.places);
    if (!ports) {
        facts.unseen.push_back(ports.error().what);
    }
    subnet.manager_ours = ports && !ports->empty();
    if (!subnet.manager_ours) {
        return {world.places.opensm() / "partitions.conf", world.places.rdma() / "partitions.conf"};
    }
    std::vector<fs::path> files = {world.places.partitions()};
    for (const std::string &guid : *ports) {
        files.push_back(partitions_place(world.places, guid));
    }
    return files;
}

void gather_partitions(World &world, Facts &facts, SubnetFacts &subnet) {
    for (const fs::path &file : partition_files(world, facts, subnet)) {
        const auto text = text_of(file);
        if (!text) {
            continue;
        }
        const auto lines = partition_lines(file.string(), *text);
        if (!lines) {
            facts.unseen.push_back(lines.error().what);
            continue;
        }
        subnet.partition_files.push_back(file.string());
        subnet.partitions.insert(subnet.partitions.end(), lines->begin(), lines->end());
    }
}

// Returns the files of partitions of the opensm on this port. Its own file replaces that of all.
std::vector<std::string> files_of_port(const World &world, const SubnetFacts &subnet,
                                       const SubnetPort &port) {
    const std::string own = partitions_place(world.places, port.guid).string();
    const auto &all = subnet.partition_files;
    if (!subnet.manager_ours) {
        return all;
    }
    return std::find(all.begin(), all.end(), own) != all.end()
               ? std::vector<std::string>{own}
               : std::vector<std::string>{world.places.partitions().string()};
}

void compare_with_fabric(World &world, Facts &facts, SubnetFacts &subnet, const SubnetPort &port) {
    std::vector<PartitionLine> lines;
    const auto files = files_of_port(world, subnet, port);
    const std::string own = partitions_place(world.places, port.guid).string();
    for (const PartitionLine &line : subnet.partitions) {
        // The hosts of a partition that names its members are unknown: a port of another host may
        // be slower and no member.
        if (line.rate != 0 && line.has_all_hosts &&
            std::find(files.begin(), files.end(), line.file) != files.end()) {
            lines.push_back(line);
        }
    }
    if (lines.empty()) {
        return;
    }
    auto hosts = hosts_of_fabric(world, port, fabric_patience);
    if (!hosts) {
        facts.unseen.push_back(
            fmt::format("the rates of the fabric's ports: {}", hosts.error().what));
        return;
    }
    const auto ports = subnet_ports(world.files);
    hosts->erase(std::remove_if(hosts->begin(), hosts->end(),
                                [&](const HostPort &host) {
                                    return std::any_of(ports.begin(), ports.end(),
                                                       [&](const SubnetPort &each) {
                                                           return each.guid == host.guid;
                                                       });
                                }),
                 hosts->end());
    for (const PartitionLine &line : lines) {
        const auto code =
            std::find_if(rate_codes().begin(), rate_codes().end(),
                         [&](const RateCode &each) { return each.code == line.rate; });
        const auto slow = code == rate_codes().end() ? std::optional<SlowPorts>()
                                                     : slower_than(*hosts, code->gigabits);
        if (slow) {
            append_once(subnet.slow_hosts,
                        SlowHosts{line.file, line.file == own ? port.guid : "", line.pkey,
                                  slow->text(code->gigabits), slow->slowest.gigabits});
        }
    }
}

// Only the host of the subnet manager asks, because it has the partitions of the fabric.
void gather_slow_hosts(World &world, Facts &facts, SubnetFacts &subnet) {
    if (!world.processes.there("ibnetdiscover")) {
        return;
    }
    for (const SubnetPort &port : subnet_ports(world.files)) {
        if (port.state == "ACTIVE" && port.sm_lid != 0 && !port.managed_elsewhere()) {
            compare_with_fabric(world, facts, subnet, port);
        }
    }
}

const FactSource subnet_facts([](World &world, Facts &facts) {
    auto &subnet = facts.of<SubnetFacts>();
    gather_partitions(world, facts, subnet);
    gather_slow_hosts(world, facts, subnet);
    if (systemd_runs(world) && (!facts.ipoib.empty() || !subnet.partition_files.empty())) {
        subnet.manager_runs = systemctl_says(world, "is-active", "opensm.service", "active");
        subnet.manager_enabled = systemctl_says(world, "is-enabled", "opensm.service", "enabled");
    }
});

} // namespace

Result<std::vector<PartitionLine>> partition_lines(const std::string &file, std::string_view text) {
    auto rules = TRY(parse_partitions(file, text));
    constexpr std::string_view rate = "rate=";
    std::vector<PartitionLine> lines;
    for (const PartitionRule &rule : rules) {
        if (!rule.pkey && rule.name != "Default") {
            continue;
        }
        PartitionLine line{file, rule.pkey.value_or(default_partition), 0};
        line.has_all_hosts =
            std::any_of(rule.properties.begin(), rule.properties.end(), [](const auto &member) {
                const std::string name = member.substr(0, member.find('='));
                return name == "ALL" || name == "ALL_CAS";
            });
        for (const std::string &flag : rule.flags) {
            if (flag.compare(0, rate.size(), rate) == 0) {
                line.rate = static_cast<unsigned int>(
                    std::strtoul(flag.c_str() + rate.size(), nullptr, 10));
            }
        }
        lines.push_back(line);
    }
    return lines;
}

} // namespace causeway
