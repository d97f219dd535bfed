// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/ipoib.h"

#include "host/rdma_devices.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace causeway {

namespace {

constexpr const char *infiniband_type = "32"; // ARPHRD_INFINIBAND
constexpr unsigned long connected_flag = 0x80;
constexpr unsigned long up_flag = 1; // IFF_UP
constexpr std::size_t guid_text = 8 * 3 - 1;

bool is_ipoib(KernelFiles &files, const std::string &name) {
    return sysfs_text(files, net_folder(name) + "/type") == infiniband_type;
}

// Reads linkinfo of rtnetlink (IFLA_IPOIB_MODE, IFLA_IPOIB_PKEY). Leaves empty what cannot be read.
void ask_netlink(Processes &processes, IpoibInterface &interface) {
    auto end = processes.run({"ip", "-details", "-json", "link", "show", "dev", interface.name});
    if (!end || !end->good()) {
        return;
    }
    const auto told = nlohmann::json::parse(end->out, nullptr, false);
    if (!told.is_array() || told.empty() || !told.front().is_object()) {
        return;
    }
    const auto text = [](const nlohmann::json &object, const char *key) {
        const auto found = object.find(key);
        return found != object.end() && found->is_string() ? found->get<std::string>()
                                                           : std::string();
    };
    const nlohmann::json::json_pointer place("/linkinfo/info_data");
    if (!told.front().contains(place) || !told.front().at(place).is_object()) {
        return;
    }
    const nlohmann::json &data = told.front().at(place);
    interface.mode = text(data, "mode");
    interface.mode_by_netlink = !interface.mode.empty();
    if (interface.pkey.empty()) {
        interface.pkey = text(data, "key");
    }
    if (interface.parent.empty()) {
        interface.parent = text(told.front(), "link");
    }
}

IpoibInterface look(KernelFiles &files, Processes &processes, const std::string &name) {
    const auto text = [&](const char *file) {
        return sysfs_text(files, fmt::format("{}/{}", net_folder(name), file));
    };
    IpoibInterface interface;
    interface.name = name;
    interface.address = text("address");
    interface.mode = text("mode");
    interface.mtu = static_cast<unsigned int>(std::strtoul(text("mtu").c_str(), nullptr, 10));
    interface.pkey = text("pkey");
    interface.parent = text("parent");
    interface.up = (std::strtoul(text("flags").c_str(), nullptr, 16) & up_flag) != 0;
    interface.can_connect =
        (std::strtoul(interface.address.substr(0, 2).c_str(), nullptr, 16) & connected_flag) != 0;
    if (interface.mode.empty()) {
        ask_netlink(processes, interface);
    }
    return interface;
}

// Removes the colons from eight bytes, so that the grouping of the digits does not matter.
std::string digits_of(const std::string &text) {
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
                 [](char c) { return c != ':'; });
    return digits;
}

} // namespace

std::string net_folder(const std::string &interface) {
    return "/sys/class/net/" + interface;
}

std::vector<IpoibInterface> ipoib_interfaces(KernelFiles &files, Processes &processes) {
    std::vector<IpoibInterface> found;
    for (const std::string &name : files.list("/sys/class/net")) {
        if (is_ipoib(files, name)) {
            found.push_back(look(files, processes, name));
        }
    }
    return found;
}

Result<IpoibInterface> find_ipoib(KernelFiles &files, Processes &processes,
                                  const std::string &name) {
    const auto names = files.list("/sys/class/net");
    const bool there = std::find(names.begin(), names.end(), name) != names.end();
    if (there && is_ipoib(files, name)) {
        return look(files, processes, name);
    }
    std::vector<std::string> others;
    for (const IpoibInterface &each : ipoib_interfaces(files, processes)) {
        others.push_back(each.name);
    }
    return Error{ExitCode::unavailable,
                 there ? fmt::format("{} is no IP over InfiniBand interface", name)
                       : fmt::format("there is no network device {}", name),
                 others.empty()
                     ? "there is none of IPoIB: is ib_ipoib loaded? causeway modules list"
                     : fmt::format("of IPoIB there are {}", fmt::join(others, ", "))};
}

std::string IpoibPort::folder() const {
    return fmt::format("/sys/class/infiniband/{}/ports/{}", device, port);
}

std::optional<IpoibPort> ipoib_port(KernelFiles &files, const IpoibInterface &interface) {
    const std::string guid = digits_of(port_guid_of(interface.address));
    for (const RdmaDevice &device : rdma_devices(files)) {
        for (const RdmaPort &port : device.ports) {
            const std::string gid = port.gids.empty() ? "" : digits_of(port.gids.front().gid);
            if (!guid.empty() && gid.size() == 32 && gid.substr(16) == guid) {
                return IpoibPort{device.name, port.number};
            }
        }
    }
    return std::nullopt;
}

std::vector<std::uint16_t> port_pkeys(KernelFiles &files, const IpoibPort &port) {
    const std::string folder = port.folder() + "/pkeys";
    std::vector<std::pair<unsigned long, std::uint16_t>> table;
    for (const std::string &index : files.list(folder)) {
        const auto pkey = static_cast<std::uint16_t>(
            std::strtoul(sysfs_text(files, folder + "/" + index).c_str(), nullptr, 16));
        if (pkey != 0) {
            table.emplace_back(std::strtoul(index.c_str(), nullptr, 10), pkey);
        }
    }
    std::sort(table.begin(), table.end());
    std::vector<std::uint16_t> pkeys;
    for (const auto &[index, pkey] : table) {
        pkeys.push_back(pkey);
    }
    return pkeys;
}

std::string port_guid_of(const std::string &address) {
    return address.size() == ipoib_address_text ? address.substr(address.size() - guid_text) : "";
}

} // namespace causeway
