// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about limits, and about programs that should use RDMA and do not.
#include "boot/facts.h"
#include "doctor/finding.h"

#include "base/units.h"

#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::uint64_t enough_memlock = std::uint64_t{1} << 30U;

// The limit applies to programs of members of the group rdma. Debian makes the group without
// members.
std::vector<Sighting> memlock(const Facts &facts) {
    if (facts.devices.empty() || !facts.of<BootFacts>().rdma_users ||
        facts.of<BootFacts>().memlock_configured ||
        facts.of<BootFacts>().memlock >= enough_memlock) {
        return {};
    }
    return {{"",
             fmt::format("no file of limits(5) raises memlock for the group rdma: this process may "
                         "lock {} of memory",
                         size_text(facts.of<BootFacts>().memlock)),
             "causeway limits set",
             {"limits", "set"}}};
}

std::vector<Sighting> service_memlock(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &[service, limit] : facts.of<BootFacts>().service_memlock) {
        const std::uint64_t bytes =
            limit == "infinity" ? no_limit : std::strtoull(limit.c_str(), nullptr, 10);
        if (bytes < enough_memlock) {
            seen.push_back(
                {service,
                 fmt::format("{} may lock {} of memory", service, size_text(bytes)),
                 fmt::format("causeway limits set --service {0}; systemctl restart {0}", service),
                 {"limits", "set", "--service", service}});
        }
    }
    return seen;
}

std::vector<Sighting> beegfs_off(const Facts &facts) {
    if (!facts.of<BootFacts>().beegfs || !facts.of<BootFacts>().beegfs_rdma_off ||
        facts.devices.empty()) {
        return {};
    }
    return {{"", "BeeGFS is configured not to use RDMA, though there is an RDMA device",
             "connUseRDMA = true in /etc/beegfs/beegfs-client.conf; systemctl restart "
             "beegfs-client"}};
}

std::vector<Sighting> beegfs_library(const Facts &facts) {
    if (!facts.of<BootFacts>().beegfs || facts.of<BootFacts>().beegfs_library ||
        facts.devices.empty()) {
        return {};
    }
    return {
        {"", "BeeGFS is here without libbeegfs-ib: its services speak TCP",
         "apt install libbeegfs-ib, or: dnf install libbeegfs-ib; see what it uses: beegfs-net"}};
}

const FindingRows limits_findings("limits", [] {
    return std::vector<Finding>{
        {"memlock-small", Severity::notice, "programs of the group rdma may lock little memory",
         "An RDMA device locks the memory that a program registers; above the limit the program "
         "gets ENOMEM. "
         "Causeway's own disks and mounts need none. Locked memory is lost to all others, and too "
         "much of it ends in the OOM killer: on a machine with several users give a size, such as "
         "causeway limits set 16G.",
         "causeway limits set", memlock},
        {"service-memlock-small", Severity::warning, "a service may lock little memory",
         "Services do not get the limits of a login; each has its own.",
         "causeway limits set --service NAME", service_memlock},
        {"beegfs-rdma-off", Severity::notice, "BeeGFS is configured not to use RDMA",
         "connUseRDMA is false in its configuration.",
         "connUseRDMA = true in /etc/beegfs/beegfs-client.conf", beegfs_off},
        {"beegfs-without-library", Severity::notice, "BeeGFS is here without libbeegfs-ib",
         "It goes by TCP then and does not say so; beegfs-net shows it. Its client module finds "
         "RDMA by buildArgs of beegfs-client-autobuild.conf.",
         "apt install libbeegfs-ib, or: dnf install libbeegfs-ib", beegfs_library},
    };
});

} // namespace

} // namespace causeway
