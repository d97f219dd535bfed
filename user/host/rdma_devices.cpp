// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/rdma_devices.h"

#include "base/nearest.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *class_folder = "/sys/class/infiniband";

// Returns "ACTIVE" for "4: ACTIVE".
std::string after_colon(const std::string &text) {
    const std::size_t colon = text.find(": ");
    return colon == std::string::npos ? text : text.substr(colon + 2);
}

unsigned int number_of(const std::string &text) {
    return static_cast<unsigned int>(std::strtoul(text.c_str(), nullptr, 10));
}

std::vector<unsigned int> numbers_in(KernelFiles &files, const std::string &folder) {
    std::vector<unsigned int> numbers;
    for (const std::string &name : files.list(folder)) {
        numbers.push_back(number_of(name));
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

bool is_nothing(const std::string &gid) {
    return gid.find_first_not_of("0:") == std::string::npos;
}

// An unset entry is all zero, or has only the link-local prefix.
bool is_unset(const std::string &gid) {
    return is_nothing(gid) || (gid.size() > 20 && is_nothing(gid.substr(20)) &&
                               gid.compare(0, 20, "fe80:0000:0000:0000:") == 0);
}

std::vector<RdmaGid> gids_of(KernelFiles &files, const std::string &port) {
    std::vector<RdmaGid> gids;
    for (const unsigned int index : numbers_in(files, port + "/gids")) {
        const std::string gid = sysfs_text(files, fmt::format("{}/gids/{}", port, index));
        if (!is_unset(gid)) {
            gids.push_back({index, gid,
                            sysfs_text(files, fmt::format("{}/gid_attrs/types/{}", port, index)),
                            sysfs_text(files, fmt::format("{}/gid_attrs/ndevs/{}", port, index))});
        }
    }
    return gids;
}

// Before a subnet manager has been seen, some adapters have the permissive LID, 0xffff. LIDs of
// ports end at 0xbfff.
std::string sm_lid_of(const std::string &text) {
    const unsigned long lid = std::strtoul(text.c_str(), nullptr, 16);
    return text.empty() || (lid > 0 && lid < 0xc000) ? text : "0x0";
}

RdmaPort port_of(KernelFiles &files, const std::string &folder, unsigned int number) {
    const std::string port = fmt::format("{}/{}", folder, number);
    const auto text = [&](const char *name) {
        return sysfs_text(files, fmt::format("{}/{}", port, name));
    };
    return {number,
            after_colon(text("state")),
            after_colon(text("phys_state")),
            text("rate"),
            text("link_layer"),
            text("lid"),
            sm_lid_of(text("sm_lid")),
            gids_of(files, port)};
}

// Returns the node GUID that rxe and siw derive from an Ethernet address: EUI-64 with the universal
// bit inverted.
std::string guid_of_address(const std::string &address) {
    if (address.size() != 17) {
        return {};
    }
    const auto part = [&](std::size_t i) { return address.substr(i * 3, 2); };
    const unsigned long first = std::strtoul(part(0).c_str(), nullptr, 16) ^ 2U;
    return fmt::format("{:02x}{}:{}ff:fe{}:{}{}", first, part(1), part(2), part(3), part(4),
                       part(5));
}

std::string netdev_of(KernelFiles &files, const RdmaDevice &device, const std::string &folder) {
    std::string netdev = sysfs_text(files, folder + "/parent");
    for (const RdmaPort &port : device.ports) {
        for (const RdmaGid &gid : port.gids) {
            netdev = netdev.empty() ? gid.netdev : netdev;
        }
    }
    if (!netdev.empty() || device.soft.empty()) {
        return netdev;
    }
    for (const std::string &name : files.list("/sys/class/net")) {
        const std::string address = sysfs_text(files, "/sys/class/net/" + name + "/address");
        if (guid_of_address(address) == device.node_guid) {
            return name;
        }
    }
    return {};
}

RdmaDevice device_of(KernelFiles &files, const std::string &name) {
    const std::string folder = fmt::format("{}/{}", class_folder, name);
    const auto text = [&](const char *file) {
        return sysfs_text(files, fmt::format("{}/{}", folder, file));
    };
    RdmaDevice device;
    device.name = name;
    device.node_type = after_colon(text("node_type"));
    device.node_guid = text("node_guid");
    device.firmware = text("fw_ver");
    device.model = text("hca_type").empty() ? text("board_id") : text("hca_type");
    for (const unsigned int number : numbers_in(files, folder + "/ports")) {
        device.ports.push_back(port_of(files, folder + "/ports", number));
    }
    // A software device has no hardware device in sysfs. Only rxe shows its network device there.
    if (!text("parent").empty()) {
        device.soft = "rxe";
    } else if (device.node_type == "RNIC" && files.list(folder + "/device").empty()) {
        device.soft = "siw";
    }
    device.netdev = netdev_of(files, device, folder);
    return device;
}

} // namespace

std::string sysfs_text(KernelFiles &files, const std::string &path) {
    std::string text = text_of(files, path);
    text.erase(text.find_last_not_of(" \n") + 1);
    return text;
}

std::vector<RdmaDevice> rdma_devices(KernelFiles &files) {
    std::vector<RdmaDevice> devices;
    for (const std::string &name : files.list(class_folder)) {
        devices.push_back(device_of(files, name));
    }
    return devices;
}

std::optional<RdmaDevice> find_rdma_device(KernelFiles &files, const std::string &name) {
    const auto names = files.list(class_folder);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        return std::nullopt;
    }
    return device_of(files, name);
}

Error no_such_rdma_device(const std::vector<RdmaDevice> &devices, const std::string &name) {
    std::vector<std::string> names;
    names.reserve(devices.size());
    for (const RdmaDevice &device : devices) {
        names.push_back(device.name);
    }
    return Error{ExitCode::unavailable, fmt::format("there is no RDMA device {}", name),
                 nearest_or_all(name, names, "this machine has none; see: causeway show")};
}

} // namespace causeway
