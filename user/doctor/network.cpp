// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about the network under RDMA: address filters, ibacm.
#include "doctor/finding.h"

#include "config/file_header.h"
#include "doctor/gather.h"
#include "machine/kernel_files.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr unsigned long ibacm_group = 1UL << 2U; // RDMA_NL_GROUP_LS, as a mask

// Returns the interfaces that share an IPv4 network with another one.
std::vector<const NetInterface *> sharing(const Facts &facts) {
    std::vector<const NetInterface *> found;
    for (const NetInterface &one : facts.interfaces) {
        const bool shares = std::any_of(
            facts.interfaces.begin(), facts.interfaces.end(), [&](const NetInterface &other) {
                return &one != &other &&
                       std::any_of(one.addresses.begin(), one.addresses.end(),
                                   [&](const LocalAddress &mine) {
                                       return mine.ipv4 &&
                                              std::any_of(other.addresses.begin(),
                                                          other.addresses.end(),
                                                          [&](const LocalAddress &theirs) {
                                                              return theirs.network == mine.network;
                                                          });
                                   });
            });
        if (shares) {
            found.push_back(&one);
        }
    }
    return found;
}

// Returns a problem whose fix sets a value of /proc/sys, now and with a file of sysctl at boot.
Sighting sysctl(const NetInterface &interface, const std::string &key, const std::string &value,
                const std::string &what) {
    const std::string setting = fmt::format("net.ipv4.conf.{}.{}", interface.name, key);
    Sighting seen{interface.name, what, fmt::format("sysctl -w {}={}", setting, value)};
    const std::string path = fmt::format("/proc/sys/net/ipv4/conf/{}/{}", interface.name, key);
    seen.plan = [=](World &world, ChangeSet &set) -> Result<void> {
        const auto file = world.places.sysctl(interface.name + "-" + key);
        const std::string escaped = fmt::format("net/ipv4/conf/{}/{}", interface.name, key);
        TRY(set.write(file, our_header("doctor --fix") + fmt::format("{} = {}\n", escaped, value)));
        return set.set(world, path, value);
    };
    return seen;
}

std::vector<Sighting> strict_filter(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const NetInterface *each : sharing(facts)) {
        if (each->rp_filter == 1) {
            seen.push_back(sysctl(
                *each, "rp_filter", "2",
                fmt::format("{} drops what comes back another way (rp_filter)", each->name)));
        }
    }
    return seen;
}

std::vector<Sighting> arp(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const NetInterface *each : sharing(facts)) {
        if (each->arp_ignore == 0) {
            seen.push_back(sysctl(
                *each, "arp_ignore", "1",
                fmt::format("{} answers ARP for addresses of other interfaces", each->name)));
        }
    }
    return seen;
}

// Does ibacm listen to the netlink group that receives path queries?
struct IbacmFacts {
    bool listens = false;
};

const FactSource ibacm_facts([](World &world, Facts &facts) {
    facts.of<IbacmFacts>().listens =
        netlink_has_ibacm(sysfs_text(world.files, "/proc/net/netlink"));
});

std::vector<Sighting> ibacm(const Facts &facts) {
    const bool infiniband =
        std::any_of(facts.devices.begin(), facts.devices.end(), [](const DeviceFacts &device) {
            return !device.ports.empty() && device.ports.front().infiniband();
        });
    if (!facts.of<IbacmFacts>().listens || !infiniband) {
        return {};
    }
    Sighting seen{"", "ibacm listens for the kernel's path queries",
                  "systemctl mask --now ibacm.socket ibacm.service"};
    seen.plan = [](World & /*world*/, ChangeSet &set) -> Result<void> {
        set.add(change_program({"systemctl", "mask", "--now", "ibacm.socket", "ibacm.service"},
                               {"systemctl", "unmask", "ibacm.socket", "ibacm.service"}));
        return {};
    };
    return {seen};
}

const FindingRows network_findings("network", [] {
    return std::vector<Finding>{
        {"rp-filter-strict", Severity::warning,
         "several interfaces in one network, and a strict reverse path filter",
         "Answers may come in by another interface than the one that the route names; a strict "
         "filter (1) drops them, and a path looks dead.",
         "sysctl -w net.ipv4.conf.DEV.rp_filter=2", strict_filter},
        {"arp-for-others", Severity::notice,
         "several interfaces in one network answer ARP for each other",
         "Peers then send to the wrong port, and paths that should be apart share one cable.",
         "sysctl -w net.ipv4.conf.DEV.arp_ignore=1", arp},
        {"ibacm-stalls-queries", Severity::warning, "ibacm listens for the kernel's path queries",
         "The kernel asks it for every path and waits 2 s for an answer that does not come, since "
         "ibacm is not set up: connecting takes long.",
         "systemctl mask --now ibacm.socket ibacm.service", ibacm},
    };
});

} // namespace

bool netlink_has_ibacm(std::string_view proc_net_netlink) {
    const auto lines = lines_of(proc_net_netlink);
    return std::any_of(lines.begin(), lines.end(), [](const std::string &line) {
        const auto words = words_of_line(line); // columns: sk Eth Pid Groups ...
        return words.size() > 3 && words[1] == "20" && words[2] != "0" &&
               (std::strtoul(words[3].c_str(), nullptr, 16) & ibacm_group) != 0;
    });
}

} // namespace causeway
