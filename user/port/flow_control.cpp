// SPDX-License-Identifier: GPL-2.0-or-later
#include "port/flow_control.h"

#include "base/units.h"
#include "host/pci_details.h"
#include "host/rdma_devices.h"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

constexpr std::chrono::seconds patience{10};

// Returns the words after the name of a list in the output of dcb, up to the next name.
std::vector<std::string> list_after(const std::string &text, std::string_view name) {
    std::vector<std::string> list;
    std::istringstream words(text);
    bool inside = false;
    for (std::string word; words >> word;) {
        if (word.find(':') == std::string::npos) {
            inside = word == name;
        } else if (inside) {
            list.push_back(word);
        }
    }
    return list;
}

std::optional<unsigned int> number_in(std::string_view text, unsigned int end) {
    unsigned int number = 0;
    const auto [after, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || after != text.data() + text.size() || number >= end) {
        return std::nullopt;
    }
    return number;
}

std::string driver_of(KernelFiles &files, const std::string &netdev) {
    return pci_details_at(files, fmt::format("/sys/class/net/{}/device", netdev)).driver;
}

void look_for_pfc(World &world, FlowControl &control) {
    const std::string mask = mlx4_sent(world.files);
    if (control.is_mlx4() && !mask.empty()) {
        control.source = "mlx4_en";
        control.on = bits_of(std::strtoul(mask.c_str(), nullptr, 0));
        return;
    }
    if (!world.processes.there("dcb")) {
        control.why_not =
            "the program dcb is not installed: apt install iproute2, or: dnf install iproute";
        return;
    }
    const auto end = world.processes.run({"dcb", "pfc", "show", "dev", control.netdev}, patience);
    if (!end || !end->good()) {
        control.why_not = end ? end->last_words() : end.error().what;
        control.why_not =
            control.why_not.empty() ? "its driver does not report flow control" : control.why_not;
        return;
    }
    control.source = "dcb";
    control.on = parse_dcb_pfc(end->out);
    control.dscp = dscp_entries(world, control.netdev).value_or(DscpEntries());
}

} // namespace

Priorities bits_of(unsigned long mask) {
    Priorities on;
    for (unsigned int priority = 0; priority < priority_count; priority++) {
        if ((mask >> priority & 1U) != 0) {
            on.push_back(priority);
        }
    }
    return on;
}

std::string mlx4_sent(KernelFiles &files) {
    return sysfs_text(files, "/sys/module/mlx4_en/parameters/pfctx");
}

std::string mlx4_received(KernelFiles &files) {
    return sysfs_text(files, "/sys/module/mlx4_en/parameters/pfcrx");
}

Priorities parse_dcb_pfc(const std::string &text) {
    Priorities on;
    for (const std::string &word : list_after(text, "prio-pfc")) {
        const std::size_t colon = word.find(':');
        const auto priority = number_in(word.substr(0, colon), priority_count);
        if (priority && word.substr(colon + 1) == "on") {
            on.push_back(*priority);
        }
    }
    return on;
}

std::optional<DscpEntries> dscp_entries(World &world, const std::string &netdev) {
    const auto end =
        world.processes.run({"dcb", "-N", "app", "show", "dev", netdev, "dscp-prio"}, patience);
    return end && end->good() ? std::optional(parse_dcb_dscp(end->out)) : std::nullopt;
}

DscpEntries parse_dcb_dscp(const std::string &text) {
    DscpEntries entries;
    for (const std::string &word : list_after(text, "dscp-prio")) {
        const std::size_t colon = word.find(':');
        const auto dscp = number_in(word.substr(0, colon), dscp_count);
        const auto priority = number_in(word.substr(colon + 1), priority_count);
        if (dscp && priority) {
            entries.emplace(*dscp, *priority);
        }
    }
    return entries;
}

Result<Priorities> parse_priorities(const std::vector<std::string> &typed) {
    std::set<unsigned int> priorities;
    for (const std::string &word : typed) {
        if (word == "none" && typed.size() == 1) {
            return Priorities();
        }
        auto number = parse_number("a priority", word, 0, priority_count - 1);
        if (!number) {
            Error error = number.error();
            error.fix = "give priorities from 0 to 7, or none";
            return error;
        }
        priorities.insert(static_cast<unsigned int>(*number));
    }
    return Priorities(priorities.begin(), priorities.end());
}

std::vector<FlowControl> flow_controls(World &world) {
    std::vector<FlowControl> found;
    std::set<std::string> seen;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        for (const RdmaPort &port : device.ports) {
            std::set<std::string> names;
            for (const RdmaGid &gid : port.gids) {
                names.insert(gid.netdev);
            }
            names.erase("");
            for (const std::string &name : names) {
                if (port.link_layer != "Ethernet" || !seen.insert(name).second) {
                    continue;
                }
                FlowControl control;
                control.netdev = name;
                control.device = device.name;
                control.node_guid = device.node_guid;
                control.driver = driver_of(world.files, name);
                control.software = !device.soft.empty();
                look_for_pfc(world, control);
                found.push_back(std::move(control));
            }
        }
    }
    return found;
}

} // namespace causeway
