// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about partitions and the subnet manager of this machine.
#include "doctor/finding.h"
#include "subnet/facts.h"

#include "host/rate.h"
#include "subnet/partitions.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

std::vector<Sighting> no_default(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const std::string &file : facts.of<SubnetFacts>().partition_files) {
        const bool there =
            std::any_of(facts.of<SubnetFacts>().partitions.begin(),
                        facts.of<SubnetFacts>().partitions.end(), [&](const PartitionLine &line) {
                            return line.file == file && line.pkey == default_partition;
                        });
        if (!there) {
            seen.push_back({file, fmt::format("{} has no partition 0x7fff", file),
                            facts.of<SubnetFacts>().manager_ours
                                ? "causeway sm partition add 0x7fff"
                                : fmt::format("echo 'Default=0x7fff, ipoib : ALL=full ;' >> {}; "
                                              "systemctl restart opensm",
                                              file)});
        }
    }
    return seen;
}

// @port: the GUID of the port whose partitions the file has; empty: of all ports.
std::string lower_rate(const Facts &facts, unsigned int pkey, const std::string &file,
                       double gigabits, const std::string &port = "") {
    return facts.of<SubnetFacts>().manager_ours
               ? fmt::format("causeway sm partition set 0x{:04x} --rate {}{}", pkey,
                             short_number(rate_within(gigabits)),
                             port.empty() ? "" : " --port " + port)
               : fmt::format("give a lower rate= in {}, then: systemctl restart opensm", file);
}

std::vector<Sighting> too_fast(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const PartitionLine &line : facts.of<SubnetFacts>().partitions) {
        const auto code =
            std::find_if(rate_codes().begin(), rate_codes().end(),
                         [&](const RateCode &each) { return each.code == line.rate; });
        if (code == rate_codes().end()) {
            continue;
        }
        for (const DeviceFacts &device : facts.devices) {
            for (const PortFacts &port : device.ports) {
                const auto rate = parse_rate(port.port.rate);
                if (port.infiniband() && port.port.state == "ACTIVE" && rate &&
                    rate->signalled < code->gigabits) {
                    seen.push_back({fmt::format("0x{:04x}", line.pkey),
                                    fmt::format("partition 0x{:04x} wants {} Gb/s, port {} of {} "
                                                "has {}",
                                                line.pkey, code->gigabits, port.port.number,
                                                device.device.name, rate->signalled),
                                    lower_rate(facts, line.pkey, line.file, rate->signalled)});
                }
            }
        }
    }
    for (const SlowHosts &slow : facts.of<SubnetFacts>().slow_hosts) {
        seen.push_back({fmt::format("0x{:04x}", slow.pkey),
                        fmt::format("partition 0x{:04x}: {}", slow.pkey, slow.what),
                        lower_rate(facts, slow.pkey, slow.file, slow.slowest, slow.port)});
    }
    return seen;
}

std::vector<Sighting> not_at_boot(const Facts &facts) {
    if (!facts.of<SubnetFacts>().manager_runs || facts.of<SubnetFacts>().manager_enabled ||
        !facts.systemd) {
        return {};
    }
    return {{"", "opensm runs and is not started at boot", "causeway sm enable"}};
}

std::vector<Sighting> no_pkey(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        for (const PortFacts &port : device.ports) {
            const bool member =
                std::any_of(port.pkeys.begin(), port.pkeys.end(), [](const std::string &pkey) {
                    return (std::strtoul(pkey.c_str(), nullptr, 16) & default_partition) ==
                           default_partition;
                });
            if (port.infiniband() && port.port.state == "ACTIVE" && !member) {
                seen.push_back({fmt::format("{}/{}", device.device.name, port.port.number),
                                fmt::format("port {} of {} is not in the default partition",
                                            port.port.number, device.device.name),
                                "where the subnet manager runs: causeway sm partition list; then: "
                                "causeway sm partition set 0x7fff --member ALL"});
            }
        }
    }
    return seen;
}

const FindingRows partition_findings("partition", [] {
    return std::vector<Finding>{
        {"partitions-without-default", Severity::error,
         "a partitions file of opensm has no default partition",
         "Partition 0x7fff must exist: the subnet manager itself speaks in it.",
         "causeway sm partition add 0x7fff", no_default},
        {"partition-rate-too-high", Severity::error, "a partition's rate is above that of a port",
         "A port that is slower than the partition's multicast group cannot join it: IP over "
         "InfiniBand stays without link there.",
         "causeway sm partition set P_KEY --rate GBPS", too_fast},
        {"port-outside-default-partition", Severity::warning,
         "a port is not in the default partition",
         "Tools and IP over InfiniBand without a P_Key use partition 0x7fff.",
         "causeway sm partition set 0x7fff --member ALL", no_pkey},
        {"subnet-manager-not-at-boot", Severity::warning,
         "the subnet manager of this machine is not started at boot",
         "After the next reboot no port of the fabric comes up, unless another one takes over.",
         "causeway sm enable", not_at_boot},
    };
});

} // namespace

} // namespace causeway
