// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about RDMA over Ethernet: versions, addresses, flow control.
#include "doctor/finding.h"
#include "port/facts.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr unsigned int roomy_mtu = 4200; // 4096 bytes of RoCE and its headers

const NetInterface *interface_of(const Facts &facts, const DeviceFacts &device) {
    const auto found =
        std::find_if(facts.interfaces.begin(), facts.interfaces.end(),
                     [&](const NetInterface &each) { return each.name == device.device.netdev; });
    return found == facts.interfaces.end() ? nullptr : &*found;
}

bool roce(const DeviceFacts &device) {
    return !device.iwarp() && !device.ports.empty() && device.ports.front().roce();
}

bool ready(const DeviceFacts &device) {
    return std::any_of(device.ports.begin(), device.ports.end(),
                       [](const PortFacts &port) { return port.port.state == "ACTIVE"; });
}

std::vector<Sighting> without_v2(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        for (const PortFacts &port : device.ports) {
            const auto &gids = port.port.gids;
            const bool v2 = std::any_of(gids.begin(), gids.end(),
                                        [](const RdmaGid &gid) { return gid.type == "RoCE v2"; });
            if (!roce(device) || gids.empty() || v2) {
                continue;
            }
            seen.push_back({fmt::format("{}/{}", device.device.name, port.port.number),
                            fmt::format("port {} of {} has no GID of RoCE v2", port.port.number,
                                        device.device.name),
                            fmt::format("update its driver or firmware; see: causeway show {}",
                                        device.device.name)});
        }
    }
    return seen;
}

std::vector<Sighting> version_one(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        for (const PortFacts &port : device.ports) {
            if (port.roce_mode != "IB/RoCE v1" || !port.roce()) {
                continue;
            }
            seen.push_back({fmt::format("{}/{}", device.device.name, port.port.number),
                            fmt::format("connections from port {} of {} are made by RoCE v1",
                                        port.port.number, device.device.name),
                            fmt::format("causeway roce mode {} v2", device.device.name)});
        }
    }
    return seen;
}

std::vector<Sighting> without_address(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        const NetInterface *interface = interface_of(facts, device);
        if (interface == nullptr || !interface->addresses.empty() || !ready(device)) {
            continue;
        }
        seen.push_back(
            {device.device.name,
             fmt::format("{}, below {}, has no IP address", interface->name, device.device.name),
             fmt::format("ip address add ADDRESS/PREFIX dev {}", interface->name)});
    }
    return seen;
}

std::vector<Sighting> lossy(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        const NetInterface *interface = interface_of(facts, device);
        if (!roce(device) || interface == nullptr || !device.device.soft.empty() ||
            interface->lossless.value_or(true)) {
            continue;
        }
        const bool mlx4 = device.pci.driver == "mlx4_core";
        seen.push_back(
            {interface->name,
             fmt::format("{} has neither pause frames nor priority flow control", interface->name),
             mlx4 ? "causeway pfc set 3, then reboot; and the same on the switch"
                  : fmt::format("causeway pfc set 3 --interface {}, and the same on the switch",
                                interface->name)});
    }
    return seen;
}

std::vector<Sighting> small_packets(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        const NetInterface *interface = interface_of(facts, device);
        if (!roce(device) || interface == nullptr || interface->mtu >= roomy_mtu ||
            interface->mtu == 0) {
            continue;
        }
        seen.push_back({interface->name,
                        fmt::format("{} has an MTU of {}, so that {} sends packets of 1024 bytes",
                                    interface->name, interface->mtu, device.device.name),
                        fmt::format("ip link set dev {} mtu 9000, on all machines and switches "
                                    "of the network",
                                    interface->name)});
    }
    return seen;
}

std::vector<Sighting> lost_large(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const LostLargePackets &lost : facts.of<PathFacts>().lost_large) {
        seen.push_back({lost.peer,
                        fmt::format("{} gets no packet as large as the MTU of {} ({} bytes)",
                                    lost.peer, lost.interface, lost.mtu),
                        fmt::format("ip link set dev {} mtu 1500, or the larger one on the peer "
                                    "and every switch between",
                                    lost.interface)});
    }
    return seen;
}

const FindingRows roce_findings("roce", [] {
    return std::vector<Finding>{
        {"roce-without-v2", Severity::warning, "a port has no GID of RoCE v2",
         "RoCE v1 and v2 do not understand each other, and v1 passes no router. Peers of today "
         "speak v2.",
         "update driver or firmware", without_v2},
        {"roce-mode-v1", Severity::warning, "connections are made by RoCE v1",
         "Where one side makes them by v1 and the other by v2, none comes about.",
         "causeway roce mode DEVICE v2", version_one},
        {"roce-without-address", Severity::warning,
         "an RDMA device sits on a network device without IP address",
         "Peers are found by IP address; without one the device is not used.",
         "ip address add ADDRESS/PREFIX dev DEV", without_address},
        {"roce-without-flow-control", Severity::warning,
         "RoCE without pause frames and without priority flow control",
         "A packet that a full switch drops makes the queue pair go back and send much again. ECN "
         "on the switches makes senders slow down before that.",
         "causeway pfc set 3", lossy},
        {"roce-mtu-small", Severity::notice, "RoCE in packets of 1024 bytes",
         "A packet of RoCE carries 256, 512, 1024, 2048 or 4096 bytes, the most that fits the "
         "network device's MTU. 4096 need 4200 and more.",
         "ip link set dev DEV mtu 9000", small_packets},
        {"mtu-mismatch", Severity::error, "a peer gets no large packets",
         "The MTU of this side is larger than that of the peer or of a switch between: connecting "
         "works, the first data hangs.",
         "ip link set dev DEV mtu BYTES", lost_large},
    };
});

} // namespace

} // namespace causeway
