// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about RDMA devices by software.
#include "doctor/finding.h"
#include "soft/facts.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

std::vector<Sighting> gone(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const SoftUnit &unit : facts.of<SoftFacts>().units) {
        const bool there =
            std::any_of(facts.devices.begin(), facts.devices.end(),
                        [&](const DeviceFacts &device) { return device.device.name == unit.name; });
        if (!there) {
            seen.push_back(
                {unit.name,
                 fmt::format("{} on {} is configured and not there", unit.name, unit.netdev),
                 fmt::format("causeway soft add {} {} --name {}", unit.type, unit.netdev,
                             unit.name),
                 {"soft", "add", unit.type, unit.netdev, "--name", unit.name}});
        }
    }
    return seen;
}

std::vector<Sighting> until_reboot(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        const RdmaDevice &it = device.device;
        const bool kept =
            std::any_of(facts.of<SoftFacts>().units.begin(), facts.of<SoftFacts>().units.end(),
                        [&](const SoftUnit &unit) { return unit.name == it.name; });
        if (it.soft.empty() || kept || !facts.systemd) {
            continue;
        }
        seen.push_back(
            {it.name,
             fmt::format("{} is gone after the next reboot", it.name),
             fmt::format("causeway soft add {} {} --name {}", it.soft, it.netdev, it.name),
             {"soft", "add", it.soft, it.netdev, "--name", it.name}});
    }
    return seen;
}

std::vector<Sighting> beside_hardware(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &soft : facts.devices) {
        for (const DeviceFacts &hard : facts.devices) {
            if (!soft.device.soft.empty() && hard.device.soft.empty() &&
                !soft.device.netdev.empty() && soft.device.netdev == hard.device.netdev) {
                seen.push_back({soft.device.name,
                                fmt::format("{} does by software what {} does by hardware, both "
                                            "on {}",
                                            soft.device.name, hard.device.name, hard.device.netdev),
                                fmt::format("causeway soft remove {}", soft.device.name)});
            }
        }
    }
    return seen;
}

std::vector<Sighting> deaf(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &[device, address] : facts.of<SoftFacts>().deaf_at) {
        seen.push_back({device,
                        fmt::format("{} does not answer a connection request to {}, its own "
                                    "address",
                                    device, address),
                        fmt::format("causeway soft renew {}", device),
                        {"soft", "renew", device}});
    }
    return seen;
}

const FindingRows soft_findings("soft", [] {
    return std::vector<Finding>{
        {"soft-device-deaf", Severity::error,
         "a Soft-RoCE device takes no connection and makes none",
         "The connection manager sent a datagram while the network interface was down or had no "
         "route; rxe then stops receiving such datagrams until the device is made anew. Open "
         "connections go on, none comes back after it was lost.",
         "causeway soft renew DEVICE", deaf},
        {"soft-device-missing", Severity::error,
         "an RDMA device by software is configured and not there",
         "Its unit failed at boot, or it was removed: disks have no connection then, "
         "and NFS goes by TCP.",
         "causeway soft add TYPE DEV --name NAME", gone},
        {"soft-device-until-reboot", Severity::warning,
         "an RDMA device by software is not made at boot",
         "The kernel forgets it; a unit of systemd makes it anew.",
         "causeway soft add TYPE DEV --name NAME", until_reboot},
        {"soft-device-beside-hardware", Severity::warning,
         "a network device has an RDMA device by software and one by hardware",
         "Which of the two a connection takes is left to chance, and both claim UDP port 4791.",
         "causeway soft remove DEVICE", beside_hardware},
    };
});

} // namespace

} // namespace causeway
