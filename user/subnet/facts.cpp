// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/facts.h"

#include "change/change_set.h"
#include "doctor/gather.h"
#include "subnet/managers.h"
#include "subnet/partitions.h"

#include <cstdlib>
#include <filesystem>

namespace causeway {

namespace fs = std::filesystem;

namespace {

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

const FactSource subnet_facts([](World &world, Facts &facts) {
    auto &subnet = facts.of<SubnetFacts>();
    gather_partitions(world, facts, subnet);
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
