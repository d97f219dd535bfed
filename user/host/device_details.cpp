// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/device_details.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace causeway {

namespace {

constexpr std::chrono::seconds program_patience{10};
constexpr std::size_t gid_prefix = 20; // the subnet prefix, "fe80:0000:0000:0000:"

bool has_infiniband_link(const RdmaPort &port) {
    return port.link_layer == "InfiniBand";
}

std::string port_guid(const RdmaPort &port) {
    const bool has = has_infiniband_link(port) && !port.gids.empty() &&
                     port.gids.front().index == 0 && port.gids.front().gid.size() > gid_prefix;
    return has ? port.gids.front().gid.substr(gid_prefix) : "";
}

Result<std::string> said(Processes &processes, const std::vector<std::string> &words,
                         const char *debian, const char *fedora) {
    if (!processes.there(words.front())) {
        return Error{ExitCode::unavailable,
                     fmt::format("the program {} is not installed", words.front()),
                     fmt::format("apt install {}, or: dnf install {}", debian, fedora)};
    }
    auto end = TRY(processes.run(words, program_patience));
    if (!end.good()) {
        return Error{ExitCode::failed,
                     fmt::format("\"{}\" failed: {}", fmt::join(words, " "), end.last_words())};
    }
    return end.out;
}

// Returns the number before the code in brackets, "4096" for "4096 (5)".
unsigned int bytes_in(const std::string &text) {
    const unsigned long bytes = std::strtoul(text.c_str(), nullptr, 10);
    return bytes >= 256 && bytes <= 65536 ? static_cast<unsigned int>(bytes) : 0;
}

} // namespace

DeviceDetails details_of(KernelFiles &files, const RdmaDevice &device) {
    const std::string folder = "/sys/class/infiniband/" + device.name;
    DeviceDetails details;
    details.system_image_guid = sysfs_text(files, folder + "/sys_image_guid");
    details.hardware = sysfs_text(files, folder + "/hw_rev");
    details.type = sysfs_text(files, folder + "/hca_type");
    details.psid = sysfs_text(files, folder + "/board_id");
    details.pci = pci_details_of(files, device.name);
    for (const RdmaPort &port : device.ports) {
        const std::string place = fmt::format("{}/ports/{}", folder, port.number);
        details.ports.push_back({port.number, port_guid(port),
                                 sysfs_text(files, place + "/lid_mask_count"),
                                 sysfs_text(files, place + "/cap_mask")});
    }
    return details;
}

std::string transport_of(const RdmaDevice &device) {
    if (device.node_type == "RNIC") {
        return "iWARP";
    }
    const auto on_infiniband =
        std::count_if(device.ports.begin(), device.ports.end(), has_infiniband_link);
    if (on_infiniband == static_cast<std::ptrdiff_t>(device.ports.size())) {
        return "InfiniBand";
    }
    return on_infiniband == 0 ? "RoCE" : "InfiniBand and RoCE";
}

ResourceCounts parse_resources(const std::string &json, const std::string &device) {
    ResourceCounts counts;
    const auto told = nlohmann::json::parse(json, nullptr, false);
    if (!told.is_array()) {
        return counts;
    }
    for (const auto &row : told) {
        if (!row.is_object() || row.value("ifname", nlohmann::json()) != device) {
            continue;
        }
        for (const auto &[key, value] : row.items()) {
            if (key != "ifindex" && value.is_number_unsigned()) {
                counts[key] = value.get<std::uint64_t>();
            }
        }
    }
    return counts;
}

Result<ResourceCounts> resources_of(Processes &processes, const std::string &device) {
    auto text =
        TRY(said(processes, {"rdma", "-j", "resource", "show", device}, "iproute2", "iproute"));
    auto counts = parse_resources(text, device);
    if (counts.empty()) {
        return Error{ExitCode::failed, "the program rdma shows none of " + device};
    }
    return counts;
}

VerbsAttributes parse_ibv_devinfo(std::string_view text) {
    VerbsAttributes attributes;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const std::size_t start = line.find_first_not_of(" \t");
        const std::size_t colon = line.find(':');
        if (start == std::string::npos || colon == std::string::npos) {
            continue;
        }
        const std::string key = line.substr(start, colon - start);
        const std::size_t from = line.find_first_not_of(" \t", colon + 1);
        const std::string value = from == std::string::npos ? "" : line.substr(from);
        if (key == "vendor_id") {
            attributes.vendor = value;
        } else if (key == "vendor_part_id") {
            attributes.part = value;
        } else if (key == "port") {
            attributes.ports.push_back(
                {static_cast<unsigned int>(std::strtoul(value.c_str(), nullptr, 10)), 0, 0});
        } else if (key == "max_mtu" && !attributes.ports.empty()) {
            attributes.ports.back().most = bytes_in(value);
        } else if (key == "active_mtu" && !attributes.ports.empty()) {
            attributes.ports.back().active = bytes_in(value);
        }
    }
    return attributes;
}

Result<VerbsAttributes> verbs_attributes_of(Processes &processes, const std::string &device) {
    auto text =
        TRY(said(processes, {"ibv_devinfo", "-d", device}, "ibverbs-utils", "libibverbs-utils"));
    auto attributes = parse_ibv_devinfo(text);
    if (attributes.vendor.empty()) {
        return Error{ExitCode::failed, "the program ibv_devinfo shows nothing of " + device};
    }
    return attributes;
}

} // namespace causeway
