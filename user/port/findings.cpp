// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about the ports of RDMA devices: link, rate, errors, subnet manager, PCI.
#include "disk/facts.h"
#include "doctor/finding.h"
#include "host/rate.h"
#include "nfs/facts.h"
#include "port/device_report.h"
#include "port/facts.h"
#include "soft/facts.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace causeway {

namespace {

// Error counts that mean a bad link. Each plugging of a cable causes a few errors.
constexpr std::uint64_t many_symbol_errors = 100;
constexpr std::uint64_t many_recoveries = 10;

std::string name_of(const DeviceFacts &device, const PortFacts &port) {
    return fmt::format("{}/{}", device.device.name, port.port.number);
}

template <typename Look> std::vector<Sighting> each_port(const Facts &facts, Look look) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        for (const PortFacts &port : device.ports) {
            if (auto one = look(device, port)) {
                one->subject = name_of(device, port);
                seen.push_back(std::move(*one));
            }
        }
    }
    return seen;
}

// Returns the PCI slot without the function, or the name of a device that has no slot. An adapter
// may have a function, and so an RDMA device, for each of its ports.
std::string adapter_of(const DeviceFacts &device) {
    const std::string &slot = device.pci.slot;
    return slot.empty() ? device.device.name : slot.substr(0, slot.rfind('.'));
}

// An adapter with one port that works may have another without a cable.
bool another_port_works(const Facts &facts, const DeviceFacts &device) {
    const std::string adapter = adapter_of(device);
    return std::any_of(facts.devices.begin(), facts.devices.end(), [&](const DeviceFacts &each) {
        return adapter_of(each) == adapter &&
               std::any_of(each.ports.begin(), each.ports.end(),
                           [](const PortFacts &port) { return port.port.state == "ACTIVE"; });
    });
}

std::vector<Sighting> no_manager(const Facts &facts) {
    return each_port(
        facts, [](const DeviceFacts &device, const PortFacts &port) -> std::optional<Sighting> {
            if (!port.infiniband() || port.port.state != "INIT") {
                return std::nullopt;
            }
            return Sighting{"",
                            fmt::format("port {} of {} has a link and waits for a subnet manager",
                                        port.port.number, device.device.name),
                            "causeway sm enable, on one machine of the fabric"};
        });
}

std::vector<Sighting> polling(const Facts &facts) {
    return each_port(
        facts, [&](const DeviceFacts &device, const PortFacts &port) -> std::optional<Sighting> {
            if (port.port.state != "DOWN" || port.port.phys_state != "Polling" ||
                another_port_works(facts, device)) {
                return std::nullopt;
            }
            return Sighting{"",
                            fmt::format("port {} of {} is polling: no device answers on its cable",
                                        port.port.number, device.device.name),
                            fmt::format("put the cable in at both ends, then: causeway show {}",
                                        device.device.name)};
        });
}

std::vector<Sighting> disabled(const Facts &facts) {
    const auto &meant = facts.of<AdapterFacts>().disabled_at_boot;
    return each_port(
        facts, [&](const DeviceFacts &device, const PortFacts &port) -> std::optional<Sighting> {
            const std::string &phys = port.port.phys_state;
            if (!port.infiniband() || (phys != "Disabled" && phys != "Sleep") ||
                meant.count(name_of(device, port)) != 0) {
                return std::nullopt;
            }
            return Sighting{"",
                            fmt::format("port {} of {} is {}", port.port.number, device.device.name,
                                        phys == "Sleep" ? "asleep" : "disabled"),
                            "causeway port enable " + name_of(device, port)};
        });
}

std::vector<Sighting> interface_down(const Facts &facts) {
    return each_port(
        facts, [&](const DeviceFacts &device, const PortFacts &port) -> std::optional<Sighting> {
            const auto found = std::find_if(
                facts.interfaces.begin(), facts.interfaces.end(),
                [&](const NetInterface &each) { return each.name == device.device.netdev; });
            if (port.infiniband() || port.port.state == "ACTIVE" ||
                found == facts.interfaces.end() || found->up ||
                (found->addresses.empty() && another_port_works(facts, device))) {
                return std::nullopt;
            }
            return Sighting{"",
                            fmt::format("{} is down, and with it port {} of {}", found->name,
                                        port.port.number, device.device.name),
                            fmt::format("ip link set dev {} up", found->name)};
        });
}

std::vector<Sighting> recovering(const Facts &facts) {
    return each_port(
        facts, [](const DeviceFacts &device, const PortFacts &port) -> std::optional<Sighting> {
            const bool now = port.port.phys_state == "LinkErrorRecovery";
            if (!now && port.symbol_errors < many_symbol_errors &&
                port.recoveries < many_recoveries) {
                return std::nullopt;
            }
            return Sighting{
                "",
                fmt::format("the link of port {} of {} is bad: {} symbol errors, {} recoveries{}",
                            port.port.number, device.device.name, port.symbol_errors,
                            port.recoveries, now ? ", and it recovers now" : ""),
                fmt::format("change the cable, then: perfquery -C {} -P {} -R", device.device.name,
                            port.port.number)};
        });
}

std::vector<Sighting> narrow(const Facts &facts) {
    return each_port(
        facts, [](const DeviceFacts &device, const PortFacts &port) -> std::optional<Sighting> {
            const auto rate = parse_rate(port.port.rate);
            const bool up = port.port.state == "ACTIVE" || port.port.state == "INIT";
            if (!port.infiniband() || !device.device.soft.empty() || !up || !rate ||
                rate->lanes != 1) {
                return std::nullopt;
            }
            return Sighting{
                "",
                fmt::format("port {} of {} runs on one lane: {}", port.port.number,
                            device.device.name, rate_words(port.port.rate, true)),
                fmt::format("put the cable in anew or change it, then: ibportstate -C {} "
                            "-P {} -D 0 {} reset",
                            device.device.name, port.port.number, port.port.number)};
        });
}

// Reports links of several lanes at SDR, the lowest speed.
std::vector<Sighting> slow(const Facts &facts) {
    return each_port(
        facts, [](const DeviceFacts &device, const PortFacts &port) -> std::optional<Sighting> {
            const auto rate = parse_rate(port.port.rate);
            if (!port.infiniband() || port.port.state != "ACTIVE" || !rate ||
                rate->speed != "SDR" || rate->lanes == 1 || !device.device.soft.empty()) {
                return std::nullopt;
            }
            return Sighting{
                "",
                fmt::format("port {} of {} runs at the slowest rate there is: {}", port.port.number,
                            device.device.name, rate_words(port.port.rate, true)),
                fmt::format("see which end is slow: ibportstate -C {} -P {} -D 0 {} query",
                            device.device.name, port.port.number, port.port.number)};
        });
}

// Returns none for a speed without a number, such as "Unknown" of a virtual function.
std::optional<double> transfers_of(const std::string &speed) {
    return speed.empty() || speed.front() < '0' || speed.front() > '9'
               ? std::nullopt
               : std::optional(std::strtod(speed.c_str(), nullptr));
}

std::vector<Sighting> pci(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        const PciFunction &slot = device.pci;
        const bool fewer = slot.width != 0 && slot.width < slot.max_width;
        const auto speed = transfers_of(slot.speed);
        const auto max_speed = transfers_of(slot.max_speed);
        const bool slower = speed && max_speed && *speed < *max_speed;
        if (fewer || slower) {
            seen.push_back(
                {device.device.name,
                 fmt::format("{} sits in a PCI Express slot of x{} at {}; it can do x{} "
                             "at {}",
                             device.device.name, slot.width, slot.speed, slot.max_width,
                             slot.max_speed),
                 fmt::format("put it into a better slot, then: lspci -vvs {}", slot.slot)});
        }
    }
    return seen;
}

std::vector<Sighting> firmware(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const DeviceFacts &device : facts.devices) {
        const auto &all = facts.of<AdapterFacts>().newest;
        const auto found = all.find(device.device.name);
        if (found == all.end() ||
            !is_older_firmware(device.device.firmware, found->second.version)) {
            continue;
        }
        const FirmwareEntry *newest = &found->second;
        seen.push_back(
            {device.device.name,
             fmt::format("{}{} has firmware {}, and {} is the newest that is known",
                         device.device.name, newest->note.empty() ? "" : " (" + newest->note + ")",
                         device.device.firmware, newest->version),
             fmt::format("see what it is: mstflint -d {} query; the maker's page has newer",
                         device.pci.slot)});
    }
    return seen;
}

std::vector<Sighting> broken_table(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const Error &error : facts.of<AdapterFacts>().firmware.broken) {
        seen.push_back({error.what.substr(0, error.what.find(": ")), error.what, error.fix});
    }
    return seen;
}

struct RdmaWish {
    bool disks = false;
    bool files = false;
};

// Returns what this machine is set up to carry by RDMA.
RdmaWish wish_of(const Facts &facts) {
    const auto &exports = facts.of<DiskFacts>().exports.good;
    const auto &attachments = facts.of<DiskFacts>().attachments.good;
    RdmaWish wish;
    wish.disks = std::any_of(exports.begin(), exports.end(),
                             [](const auto &stored) { return !stored.settings.tcp; }) ||
                 std::any_of(attachments.begin(), attachments.end(), [](const auto &stored) {
                     const auto &paths = stored.settings.paths;
                     return std::none_of(paths.begin(), paths.end(),
                                         [](const PathSettings &path) { return path.tcp; });
                 });
    wish.files = !facts.of<NfsFacts>().by_tcp.empty() || facts.of<NfsFacts>().wanted_port;
    return wish;
}

std::vector<Sighting> no_device(const Facts &facts) {
    const RdmaWish wish = wish_of(facts);
    if ((!wish.disks && !wish.files) || !facts.devices.empty() ||
        !facts.of<SoftFacts>().units.empty()) {
        return {};
    }
    return {{"",
             fmt::format("this machine has no RDMA device: {}{}{}",
                         wish.disks ? "disks by RDMA have no connection" : "",
                         wish.disks && wish.files ? ", " : "", wish.files ? "NFS goes by TCP" : ""),
             "causeway soft add rxe DEV, on a network device; or load the driver of the hardware; "
             "disks can go over TCP: export add --tcp, attach --transport tcp"}};
}

// An Ethernet adapter works without RDMA. So it is reported only on a machine that is set up for
// RDMA and has no RDMA device in hardware.
std::vector<Sighting> idle_adapters(const Facts &facts, bool has_driver) {
    const RdmaWish wish = wish_of(facts);
    const bool hardware =
        std::any_of(facts.devices.begin(), facts.devices.end(),
                    [](const DeviceFacts &device) { return device.device.soft.empty(); });
    std::vector<Sighting> seen;
    for (const PciAdapter &adapter : facts.of<AdapterFacts>().without_rdma) {
        const bool wanted = adapter.rdma_only || ((wish.disks || wish.files) && !hardware);
        if (adapter.has_driver() == has_driver && wanted) {
            seen.push_back({adapter.pci.slot, adapter_text(adapter), adapter_fix(adapter)});
        }
    }
    return seen;
}

std::vector<Sighting> without_driver(const Facts &facts) {
    return idle_adapters(facts, false);
}

std::vector<Sighting> without_rdma(const Facts &facts) {
    return idle_adapters(facts, true);
}

const FindingRows port_findings("port", [] {
    return std::vector<Finding>{
        {"no-rdma-device", Severity::warning,
         "disks or files are set up and there is no RDMA device",
         "A disk that goes by RDMA alone has no connection without a device. A disk with a path "
         "over TCP, and NFS, go over TCP, with more work for the processors.",
         "causeway soft add rxe DEV", no_device},
        {"adapter-without-driver", Severity::warning, "an RDMA adapter has no driver",
         "The adapter is in its slot and no driver serves it, so there is no RDMA device. An "
         "adapter that only does RDMA is always reported. An Ethernet adapter is reported if disks "
         "or files are set up for RDMA and no adapter has an RDMA device.",
         "modprobe MODULE", without_driver},
        {"adapter-without-rdma", Severity::warning,
         "the driver of an RDMA adapter made no RDMA device",
         "RDMA often is a module of its own beside the driver, such as mlx5_ib beside mlx5_core. "
         "Adapters are reported as by adapter-without-driver.",
         "modprobe MODULE", without_rdma},
        {"port-without-subnet-manager", Severity::error,
         "a port of InfiniBand has a link and no subnet manager",
         "It stays in state INIT without an address (LID) until a subnet manager, a program on "
         "one machine or in a switch, sets it up.",
         "causeway sm enable", no_manager},
        {"port-polling", Severity::error, "no device answers on the cable of a port",
         "Polling is a port that looks for a peer: no cable, a bad one, or the other end is off. A "
         "port is not reported while another port of its adapter works.",
         "put the cable in", polling},
        {"port-disabled", Severity::error, "a port of InfiniBand is disabled or asleep",
         "Another program disabled it, or its firmware starts so; it stays so until it is enabled. "
         "A port that \"causeway port disable\" keeps disabled is not reported.",
         "causeway port enable DEVICE/PORT", disabled},
        {"port-netdev-down", Severity::error, "the network device below an RDMA device is down",
         "RoCE and iWARP live on it: what is down there is down here. A network device without an "
         "address is not reported while another port of its adapter works.",
         "ip link set dev DEV up", interface_down},
        {"port-link-errors", Severity::warning, "the link of a port makes errors",
         "Symbol errors are sent again by the link, at the cost of time; they come from a cable or "
         "connector that is bad or dirty.",
         "change the cable", recovering},
        {"port-one-lane", Severity::warning, "a port of InfiniBand runs on one lane",
         "Links have four lanes; one alone carries a quarter. A cable or connector is damaged.",
         "put the cable in anew", narrow},
        {"port-slow", Severity::notice, "a port of InfiniBand runs at its slowest rate",
         "Both ends agree on a rate that both can do; SDR is 8 Gb/s of data on four lanes.",
         "ibportstate -C DEVICE -P PORT -D 0 PORT query", slow},
        {"pci-slot-slow", Severity::warning, "a device gets less of PCI Express than it can do",
         "The slot, not the link, limits it then.", "put it into a better slot", pci},
        {"firmware-old", Severity::notice, "a device has not the newest firmware that is known",
         "Its maker has fixed faults since. The versions are those of "
         "/usr/share/causeway/firmware.conf and /etc/causeway/firmware.d. Causeway never writes "
         "firmware.",
         "mstflint -d SLOT query", firmware},
        {"firmware-table-broken", Severity::notice, "a line of the table of firmware is malformed",
         "The line is left out, and firmware-old does not report its adapter.", "fix the line",
         broken_table},
    };
});

} // namespace

} // namespace causeway
