// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about the network below: address filters, the firewall, ibacm.
#include "doctor/finding.h"

#include "base/disk_name.h"
#include "config/file_header.h"
#include "host/firewall.h"
#include "stock/exporting.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace causeway {

namespace {

// Interfaces that share an IPv4 network with another one.
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

// A value of /proc/sys, now and by a file for sysctl at boot.
Sighting sysctl(const NetInterface &interface, const std::string &key, const std::string &value,
                const std::string &what) {
    const std::string setting = fmt::format("net.ipv4.conf.{}.{}", interface.name, key);
    Sighting seen{interface.name, what, fmt::format("sysctl -w {}={}", setting, value)};
    const std::string path = fmt::format("/proc/sys/net/ipv4/conf/{}/{}", interface.name, key);
    seen.plan = [=](World &world, ChangeSet &set) -> Result<void> {
        const auto file = world.places.sysctl(interface.name + "-" + key);
        const std::string escaped = fmt::format("net/ipv4/conf/{}/{}", interface.name, key);
        if (auto good = set.write(file, our_header("doctor --fix") +
                                            fmt::format("{} = {}\n", escaped, value));
            !good) {
            return good;
        }
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

// The networks that this machine is in, which clients are likely to come from.
std::string own_networks(const Facts &facts) {
    std::set<std::string> networks;
    for (const DeviceFacts &device : facts.devices) {
        for (const NetInterface &interface : facts.interfaces) {
            if (device.device.soft.empty() || interface.name != device.device.netdev) {
                continue;
            }
            for (const LocalAddress &address : interface.addresses) {
                networks.insert(address.network);
            }
        }
    }
    return networks.empty() ? "NETWORK" : fmt::format("{}", fmt::join(networks, ","));
}

void closed(const Facts &facts, const std::vector<OpenPort> &ports, std::string_view purpose,
            const std::string &service, std::vector<Sighting> &seen) {
    for (const OpenPort &port : ports) {
        const bool told = std::any_of(seen.begin(), seen.end(), [&](const Sighting &sighting) {
            return sighting.subject == port.text();
        });
        if (told || facts.firewall.lets_in(port.protocol, port.port)) {
            continue;
        }
        seen.push_back(
            {port.text(),
             fmt::format("{} closes {} port {}: {}", facts.firewall.kind,
                         port.protocol == "tcp" ? "TCP" : "UDP", port.port, purpose),
             fmt::format("causeway firewall open --{} --from {}", service, own_networks(facts))});
    }
}

// Adapters do RoCE and iWARP below the firewall.
std::vector<Sighting> firewall(const Facts &facts) {
    std::vector<RdmaDevice> devices;
    for (const DeviceFacts &each : facts.devices) {
        devices.push_back(each.device);
    }
    std::vector<Sighting> seen;
    if (!facts.exports.good.empty()) {
        closed(facts, rdma_ports(devices, default_port), "disks by RDMA in software", "disks",
               seen);
    }
    if (facts.nfs.wanted_port) {
        closed(facts, rdma_ports(devices, *facts.nfs.wanted_port), "NFS by RDMA in software", "nfs",
               seen);
    }
    for (const StockExport &each : facts.stock_exports) {
        closed(facts, ports_of(each, devices),
               fmt::format("the export '{}' by {}", each.name, via_title(each.via)), "stock", seen);
    }
    const auto soft = rdma_ports(devices, default_port);
    if (std::find(soft.begin(), soft.end(), OpenPort{"udp", roce_port}) != soft.end()) {
        closed(facts, {{"udp", roce_port}}, "every packet of Soft-RoCE", "soft", seen);
    }
    return seen;
}

std::vector<Sighting> ibacm(const Facts &facts) {
    const bool infiniband =
        std::any_of(facts.devices.begin(), facts.devices.end(), [](const DeviceFacts &device) {
            return !device.ports.empty() && device.ports.front().infiniband();
        });
    if (!facts.ibacm || !infiniband) {
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

} // namespace

std::vector<Finding> network_findings() {
    return {
        {"rp-filter-strict", Severity::warning,
         "several interfaces in one network, and a strict reverse path filter",
         "Answers may come in by another interface than the one that the route names; a strict "
         "filter (1) drops them, and a path looks dead.",
         "sysctl -w net.ipv4.conf.DEV.rp_filter=2", strict_filter},
        {"arp-for-others", Severity::notice,
         "several interfaces in one network answer ARP for each other",
         "Peers then send to the wrong port, and paths that should be apart share one cable.",
         "sysctl -w net.ipv4.conf.DEV.arp_ignore=1", arp},
        {"firewall-closed", Severity::error, "the firewall closes a port that is needed",
         "Soft-RoCE needs UDP 4791, Soft-iWARP the TCP port of each service, and an export by "
         "iSCSI or iSER its TCP port. What an adapter does itself does not pass the firewall.",
         "causeway firewall open --disks --from NETWORK", firewall},
        {"ibacm-stalls-queries", Severity::warning, "ibacm listens for the kernel's path queries",
         "The kernel asks it for every path and waits 2 s for an answer that does not come, since "
         "ibacm is not set up: connecting takes long.",
         "systemctl mask --now ibacm.socket ibacm.service", ibacm},
    };
}

} // namespace causeway
