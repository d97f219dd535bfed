// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about lines of /etc/fstab whose file systems are on attached disks.
#include "base/durable_file.h"
#include "disk/fstab.h"
#include "doctor/finding.h"
#include "host/fstab.h"

#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::string_view fstab = "/etc/fstab";

struct FstabFacts {
    std::vector<FstabLine> on_our_disks; // those that are mounted at boot
};

const FactSource fstab_facts([](World &world, Facts &facts) {
    const auto text = facts.told_or_unseen(
        read_small_file(world.places.of_others(std::string(fstab.substr(1)))), fstab);
    for (FstabLine &line : parse_fstab(text.value_or(""))) {
        const auto device = device_of_source(line.source);
        if (device && !line.has("noauto") && is_on_causeway_disk(world, *device)) {
            facts.of<FstabFacts>().on_our_disks.push_back(std::move(line));
        }
    }
});

Sighting sighting(const FstabLine &line, std::string_view what, std::string_view options) {
    return {line.directory,
            fmt::format("line {} of {} mounts {}, which is on a Causeway disk, at {} {}",
                        line.number, fstab, line.source, line.directory, what),
            fmt::format("add {} to the options of line {} of {}, then: systemctl daemon-reload",
                        options, line.number, fstab)};
}

std::vector<Sighting> without_netdev(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const FstabLine &line : facts.of<FstabFacts>().on_our_disks) {
        if (!line.has("_netdev")) {
            seen.push_back(sighting(line, "without the option _netdev",
                                    line.has("nofail") ? "_netdev" : "_netdev,nofail"));
        }
    }
    return seen;
}

std::vector<Sighting> without_nofail(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const FstabLine &line : facts.of<FstabFacts>().on_our_disks) {
        if (line.has("_netdev") && !line.has("nofail")) {
            seen.push_back(sighting(line, "without the option nofail", "nofail"));
        }
    }
    return seen;
}

const FindingRows fstab_rows("fstab", [] {
    return std::vector<Finding>{
        {"fstab-without-netdev", Severity::warning,
         "a file system on a Causeway disk is in /etc/fstab without _netdev",
         "systemd then takes it for a local file system, which must be there before the network "
         "is: the boot waits for the disk for 90 s, and without nofail ends in the emergency mode. "
         "At shutdown the disk loses its network while the file system is still mounted.",
         "add _netdev,nofail to its options; for the whole line: causeway list --fstab",
         without_netdev},
        {"fstab-without-nofail", Severity::notice,
         "a file system on a Causeway disk is in /etc/fstab without nofail",
         "While the server is away, the boot waits for the disk, by default for 90 s, and the "
         "units that need the network's file systems fail.",
         "add nofail to its options, unless the machine is of no use without the file system",
         without_nofail},
    };
});

} // namespace

} // namespace causeway
