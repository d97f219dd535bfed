// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about ports that the machine's own firewall closes.
#include "doctor/finding.h"

#include "base/disk_name.h"
#include "config/server_settings.h"
#include "disk/facts.h"
#include "firewall/facts.h"
#include "host/firewall.h"
#include "nfs/facts.h"
#include "stock/exporting.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace causeway {

namespace {

// Returns the networks of interfaces with software RDMA devices. Clients are likely to be in these
// networks.
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
        if (told || facts.of<FirewallFacts>().lets_in(port.protocol, port.port)) {
            continue;
        }
        seen.push_back(
            {port.text(),
             fmt::format("{} closes {} port {}: {}", facts.of<FirewallFacts>().kind,
                         port.protocol == "tcp" ? "TCP" : "UDP", port.port, purpose),
             fmt::format("causeway firewall open --{} --from {}", service, own_networks(facts))});
    }
}

// Packets of RoCE and iWARP adapters do not pass the firewall, so only software devices count.
std::vector<Sighting> firewall(const Facts &facts) {
    std::vector<RdmaDevice> devices;
    for (const DeviceFacts &each : facts.devices) {
        devices.push_back(each.device);
    }
    std::vector<Sighting> seen;
    const auto &exports = facts.of<DiskFacts>().exports.good;
    if (!exports.empty()) {
        closed(facts, rdma_ports(devices, facts.of<DiskFacts>().server_port),
               "disks by RDMA in software", "disks", seen);
    }
    if (std::any_of(exports.begin(), exports.end(),
                    [](const auto &stored) { return stored.settings.tcp; })) {
        closed(facts, {{"tcp", tcp_port_of(facts.of<DiskFacts>().server_port)}}, "disks over TCP",
               "disks", seen);
    }
    if (facts.of<NfsFacts>().wanted_port) {
        closed(facts, rdma_ports(devices, *facts.of<NfsFacts>().wanted_port),
               "NFS by RDMA in software", "nfs", seen);
    }
    for (const StockExport &each : facts.of<DiskFacts>().stock_exports) {
        closed(facts, ports_of(each, devices),
               fmt::format("the export '{}' by {}", each.name, via_title(each.via)), "stock", seen);
    }
    const auto soft = rdma_ports(devices, default_port);
    if (std::find(soft.begin(), soft.end(), OpenPort{"udp", roce_port}) != soft.end()) {
        closed(facts, {{"udp", roce_port}}, "every packet of Soft-RoCE", "soft", seen);
    }
    return seen;
}

const FindingRows firewall_findings("firewall", [] {
    return std::vector<Finding>{
        {"firewall-closed", Severity::error, "the firewall closes a port that is needed",
         "Soft-RoCE needs UDP 4791, Soft-iWARP the TCP port of each service, an export with --tcp "
         "TCP 4794, and an export by iSCSI or iSER its TCP port. What an adapter does itself does "
         "not pass the firewall.",
         "causeway firewall open --disks --from NETWORK", firewall},
    };
});

} // namespace

} // namespace causeway
