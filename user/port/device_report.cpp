// SPDX-License-Identifier: GPL-2.0-or-later
#include "port/device_report.h"

#include "host/rate.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// Bits of PortInfo:CapabilityMask of the InfiniBand specification that an administrator asks for.
struct Capability {
    unsigned int bit;
    std::string_view words;
};
constexpr std::array capabilities = {
    Capability{1, "subnet manager"},     Capability{10, "subnet manager disabled"},
    Capability{14, "extended speeds"},   Capability{16, "connection manager"},
    Capability{19, "device management"}, Capability{25, "client reregistration"},
};

std::vector<std::string_view> words_of_mask(const std::string &capability_mask) {
    const unsigned long mask = std::strtoul(capability_mask.c_str(), nullptr, 16);
    std::vector<std::string_view> words;
    for (const Capability &each : capabilities) {
        if ((mask >> each.bit & 1U) != 0) {
            words.push_back(each.words);
        }
    }
    return words;
}

bool is_infiniband(const RdmaPort &port) {
    return port.link_layer == "InfiniBand";
}

// Returns the state of a port in words, with the reason why it carries no data if the state shows
// it.
std::string state_words(const RdmaPort &port) {
    if (port.state == "ACTIVE") {
        return "active";
    }
    if (port.state == "INIT") {
        return is_infiniband(port) ? "initialized: it waits for a subnet manager" : "initialized";
    }
    if (port.state == "ARMED") {
        return "armed: the subnet manager is about to make it active";
    }
    if (port.state == "DOWN" && port.phys_state == "Polling") {
        return "down: no port answers at the other end of the cable";
    }
    if (port.state == "DOWN" && port.phys_state == "Disabled") {
        return is_infiniband(port) ? "down: the port is disabled"
                                   : "down: its network device is down or has no link";
    }
    if (port.state == "DOWN") {
        return fmt::format("down ({})", port.phys_state);
    }
    return port.state;
}

// Returns the details of a port from a list, or empty ones.
template <typename Details>
Details of_port(const std::vector<Details> &list, const RdmaPort &port) {
    const auto found = std::find_if(
        list.begin(), list.end(), [&](const Details &each) { return each.number == port.number; });
    return found == list.end() ? Details() : *found;
}

const VerbsAttributes *attributes_of(const DeviceReport &report) {
    return report.attributes && *report.attributes ? &*report.attributes.value() : nullptr;
}

PortMtu mtu_of(const DeviceReport &report, const RdmaPort &port) {
    const VerbsAttributes *attributes = attributes_of(report);
    return attributes == nullptr ? PortMtu() : of_port(attributes->ports, port);
}

Json positive_or_null(unsigned int number) {
    return number == 0 ? Json(nullptr) : Json(number);
}

// Returns the number in a file of sysfs, or null if the kernel does not show the file.
Json number_or_null(const std::string &text) {
    return text.empty() ? Json(nullptr) : Json(std::strtoul(text.c_str(), nullptr, 0));
}

Json port_json(const DeviceReport &report, const RdmaPort &port) {
    const auto rate = parse_rate(port.rate);
    const PortMtu mtu = mtu_of(report, port);
    const PortDetails details = of_port(report.details.ports, port);
    Json json = {{"port", port.number},
                 {"state", port.state},
                 {"phys_state", port.phys_state},
                 {"link_layer", port.link_layer},
                 {"rate", port.rate},
                 {"rate_gbps", rate ? Json(rate->signalled) : Json(nullptr)},
                 {"usable_gbps", rate && is_infiniband(port) ? Json(rate->usable) : Json(nullptr)},
                 {"lid", or_null(port.lid)},
                 {"lmc", number_or_null(details.lmc)},
                 {"sm_lid", or_null(port.sm_lid)},
                 {"port_guid", or_null(details.guid)},
                 {"capability_mask", or_null(details.capabilities)},
                 {"capabilities", words_of_mask(details.capabilities)},
                 {"max_mtu", positive_or_null(mtu.most)},
                 {"active_mtu", positive_or_null(mtu.active)},
                 {"gids", Json::array()}};
    for (const RdmaGid &gid : port.gids) {
        json["gids"].push_back({{"index", gid.index},
                                {"gid", gid.gid},
                                {"type", is_infiniband(port) ? Json("IB") : or_null(gid.type)},
                                {"netdev", or_null(gid.netdev)}});
    }
    return json;
}

Json pci_json(const PciDetails &pci) {
    if (pci.slot.empty()) {
        return nullptr;
    }
    return {{"slot", pci.slot},
            {"id", or_null(pci.id)},
            {"revision", or_null(pci.revision)},
            {"driver", or_null(pci.driver)},
            {"width", positive_or_null(pci.width)},
            {"max_width", positive_or_null(pci.max_width)},
            {"speed", or_null(pci.speed)},
            {"max_speed", or_null(pci.max_speed)},
            {"numa_node", pci.node ? Json(*pci.node) : Json(nullptr)}};
}

Tone tone_of_port(const RdmaPort &port) {
    if (port.state == "ACTIVE") {
        return Tone::good;
    }
    return port.state == "DOWN" ? Tone::bad : Tone::doubtful;
}

// Joins both parts. The second part gets a line of its own if both do not fit the terminal.
std::string joined(const std::string &line, const std::string &rest, std::size_t indent,
                   const Terminal &terminal) {
    const bool fits = terminal.columns == 0 || line.size() + 2 + rest.size() <= terminal.columns;
    return rest.empty() ? line + "\n"
           : fits       ? fmt::format("{}, {}\n", line, rest)
                        : fmt::format("{},\n{:{}}{}\n", line, "", indent, rest);
}

std::string mtu_text(const DeviceReport &report, const RdmaPort &port) {
    const PortMtu mtu = mtu_of(report, port);
    if (report.attributes && !*report.attributes) {
        return fmt::format("MTU unknown: {}", report.attributes->error().what);
    }
    return mtu.active == 0 || mtu.most == 0
               ? "MTU unknown: the device does not report it"
               : fmt::format("MTU {}, at most {}", mtu.active, mtu.most);
}

std::string long_port_text(const DeviceReport &report, const RdmaPort &port) {
    const PortDetails details = of_port(report.details.ports, port);
    std::string text = fmt::format("          link layer {}, physical state {}\n", port.link_layer,
                                   port.phys_state.empty() ? "unknown" : port.phys_state);
    if (is_infiniband(port)) {
        text += fmt::format("          port GUID {}, LMC {}\n",
                            details.guid.empty() ? "unknown" : details.guid,
                            details.lmc.empty() ? "unknown" : details.lmc);
    }
    text += fmt::format("          {}\n", mtu_text(report, port));
    if (!details.capabilities.empty()) {
        const auto words = words_of_mask(details.capabilities);
        text += fmt::format("          capability mask {}{}{}\n", details.capabilities,
                            words.empty() ? "" : ": ", fmt::join(words, ", "));
    }
    return text;
}

std::string port_text(const DeviceReport &report, const RdmaPort &port, bool is_long,
                      const Terminal &terminal) {
    const std::string state = state_words(port);
    std::string text = joined(fmt::format("  port {}  {}", port.number, state),
                              rate_words(port.rate, is_infiniband(port)), 10, terminal);
    if (terminal.colour) {
        const std::string word = state.substr(0, state.find(':'));
        text.replace(text.find(word, text.find("port ") + 5), word.size(),
                     painted(word, tone_of_port(port)));
    }
    if (is_infiniband(port)) {
        text += fmt::format("          LID {}, {}\n", port.lid,
                            port.sm_lid == "0x0" ? "no subnet manager was seen"
                                                 : "subnet manager at LID " + port.sm_lid);
    }
    text += is_long ? long_port_text(report, port) : "";
    for (const RdmaGid &gid : port.gids) {
        text += fmt::format("          GID {}  {}{}{}\n", gid.index, gid.gid,
                            is_infiniband(port) || gid.type.empty() ? "" : "  " + gid.type,
                            gid.netdev.empty() ? "" : "  " + gid.netdev);
    }
    return text;
}

std::string link_of(unsigned int width, const std::string &speed) {
    return width == 0 || speed.empty() ? "unknown" : fmt::format("x{} at {}", width, speed);
}

std::string long_device_text(const DeviceReport &report) {
    const RdmaDevice &device = report.device;
    const DeviceDetails &details = report.details;
    const PciDetails &pci = details.pci;
    std::string text;
    if (!details.system_image_guid.empty()) {
        text += fmt::format("  system image GUID {}\n", details.system_image_guid);
    }
    std::vector<std::string> words = {
        fmt::format("{} by {}", device.node_type, transport_of(device)),
        fmt::format("{} {}", device.ports.size(), device.ports.size() == 1 ? "port" : "ports")};
    if (!details.psid.empty()) {
        words.push_back("PSID " + details.psid);
    }
    if (!details.hardware.empty()) {
        words.push_back("hardware version " + details.hardware);
    }
    if (const VerbsAttributes *attributes = attributes_of(report)) {
        words.push_back(fmt::format("vendor {}, part {}", attributes->vendor, attributes->part));
    }
    text += fmt::format("  {}\n", fmt::join(words, ", "));
    if (report.newest) {
        text += fmt::format("  newest firmware known: {}{}\n", report.newest->version,
                            report.newest->note.empty() ? "" : " (" + report.newest->note + ")");
    }
    if (!pci.slot.empty()) {
        text += fmt::format("  PCI ID {}, driver {}, NUMA node {}\n", pci.id,
                            pci.driver.empty() ? "unknown" : pci.driver,
                            pci.node ? fmt::format("{}", *pci.node) : "unknown");
        text += fmt::format("  PCI Express link {}, at most {}\n", link_of(pci.width, pci.speed),
                            link_of(pci.max_width, pci.max_speed));
    }
    if (report.resources && *report.resources) {
        std::vector<std::string> counts;
        for (const auto &[kind, count] : *report.resources.value()) {
            counts.push_back(fmt::format("{} {}", count, kind));
        }
        text += fmt::format("  in use: {}\n", fmt::join(counts, ", "));
    } else if (report.resources) {
        text += fmt::format("  in use: unknown: {}\n", report.resources->error().what);
    }
    return text;
}

} // namespace

DeviceReport report_of(World &world, const RdmaDevice &device, const FirmwareTable &table,
                       bool is_full) {
    DeviceReport report{device, details_of(world.files, device), std::nullopt};
    report.newest = table.find(report.details.identity());
    if (is_full) {
        report.resources = resources_of(world.processes, device.name);
        report.attributes = verbs_attributes_of(world.processes, device.name);
    }
    return report;
}

Json report_json(const DeviceReport &report) {
    const RdmaDevice &device = report.device;
    const DeviceDetails &details = report.details;
    Json json = {{"name", device.name},
                 {"node_type", device.node_type},
                 {"transport", transport_of(device)},
                 {"node_guid", device.node_guid},
                 {"system_image_guid", or_null(details.system_image_guid)},
                 {"model", or_null(device.model)},
                 {"psid", or_null(details.psid)},
                 {"hardware_version", or_null(details.hardware)},
                 {"firmware", or_null(device.firmware)},
                 {"newest_firmware", report.newest ? Json(report.newest->version) : Json(nullptr)},
                 {"vendor_id", nullptr},
                 {"vendor_part_id", nullptr},
                 {"pci", pci_json(details.pci)},
                 {"resources", nullptr},
                 {"soft", or_null(device.soft)},
                 {"netdev", or_null(device.netdev)},
                 {"ports", Json::array()}};
    if (const VerbsAttributes *attributes = attributes_of(report)) {
        json["vendor_id"] = attributes->vendor;
        json["vendor_part_id"] = or_null(attributes->part);
    }
    if (report.resources && *report.resources) {
        json["resources"] = *report.resources.value();
    }
    for (const RdmaPort &port : device.ports) {
        json["ports"].push_back(port_json(report, port));
    }
    return json;
}

std::string report_text(const DeviceReport &report, bool is_long, const Terminal &terminal) {
    const RdmaDevice &device = report.device;
    std::string kind = device.model;
    if (!device.soft.empty()) {
        kind = device.soft == "rxe" ? "Soft-RoCE (rxe)" : "Soft-iWARP (siw)";
    }
    std::string text = device.name;
    text += kind.empty() ? "" : "  " + kind;
    text += device.netdev.empty() ? "" : " on " + device.netdev;
    text = joined(text, device.firmware.empty() ? "" : "firmware " + device.firmware, 2, terminal);
    text += joined(fmt::format("  node GUID {}", device.node_guid),
                   report.details.pci.slot.empty() ? "" : "PCI slot " + report.details.pci.slot, 2,
                   terminal);
    text += is_long ? long_device_text(report) : "";
    for (const RdmaPort &port : device.ports) {
        text += port_text(report, port, is_long, terminal);
    }
    return text;
}

std::string adapter_text(const PciAdapter &adapter) {
    const PciDetails &pci = adapter.pci;
    const std::string what = adapter.rdma_only ? "RDMA adapter" : "Ethernet adapter";
    if (!adapter.has_driver()) {
        return fmt::format("the {} {} in PCI slot {} has no driver", what, pci.id, pci.slot);
    }
    return fmt::format("the {} {} in PCI slot {} has the driver {} and no RDMA device{}", what,
                       pci.id, pci.slot, pci.driver,
                       adapter.is_certain ? "" : "; only some models of that driver support RDMA");
}

std::string adapter_fix(const PciAdapter &adapter) {
    if (!adapter.module.empty()) {
        return fmt::format("modprobe {}; if that changes nothing, see: dmesg", adapter.module);
    }
    return adapter.has_driver()
               ? "see why the driver made no RDMA device: dmesg"
               : "this kernel has no module for the adapter: install a kernel that has, or the "
                 "maker's driver";
}

Json adapter_json(const PciAdapter &adapter) {
    return {{"slot", adapter.pci.slot},
            {"id", or_null(adapter.pci.id)},
            {"driver", or_null(adapter.pci.driver)},
            {"rdma_only", adapter.rdma_only},
            {"certain", adapter.is_certain},
            {"module", or_null(adapter.module)}};
}

} // namespace causeway
