// SPDX-License-Identifier: GPL-2.0-or-later
// Managers that Causeway writes no profiles for, and the identification of an interface.
#include "host/ipoib.h"
#include "host/rdma_devices.h"
#include "profiles/profile.h"
#include "profiles/reading.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::array vdsm_folders = {"var/lib/vdsm/persistence/netconf/nets",
                                     "var/lib/vdsm/staging/netconf/nets", "run/vdsm/netconf/nets"};

// Copies that editors and packages leave behind and that no manager reads.
bool is_copy(const fs::path &place) {
    const std::string suffix = place.extension().string();
    return suffix == ".bak" || suffix == ".orig" || suffix == ".rpmnew" || suffix == ".rpmsave" ||
           suffix == ".rpmorig";
}

bool ifcfg_fits(const std::vector<KeyValue> &lines, const InterfaceIdentity &interface) {
    const std::string device = value_of(lines, "", "DEVICE");
    if (!device.empty()) {
        return device == interface.name;
    }
    const std::string address = value_of(lines, "", "HWADDR");
    if (!address.empty()) {
        return same_port(address, interface.address);
    }
    return same_text(value_of(lines, "", "TYPE"), "InfiniBand");
}

} // namespace

InterfaceIdentity identify_interface(World &world, const std::string &name,
                                     const std::string &parent) {
    InterfaceIdentity identity;
    identity.name = name;
    identity.parent = parent;
    identity.index = sysfs_text(world.files, net_folder(name) + "/ifindex");
    identity.address = sysfs_text(world.files, net_folder(name) + "/address");
    if (identity.address.empty() && !parent.empty()) {
        identity.address = sysfs_text(world.files, net_folder(parent) + "/address");
    }
    auto end =
        world.processes.run({"udevadm", "info", "--query=property", "--path=" + net_folder(name)});
    if (end && end->good()) {
        std::istringstream stream(end->out);
        for (std::string line; std::getline(stream, line);) {
            const std::size_t equals = line.find('=');
            if (equals != std::string::npos) {
                identity.udev[line.substr(0, equals)] = line.substr(equals + 1);
            }
        }
    }
    return identity;
}

std::optional<Profile> ifcfg_profile(World &world, const InterfaceIdentity &interface) {
    const fs::path folder = world.places.network_scripts();
    const std::string own = "ifcfg-" + interface.name;
    for (const fs::path &place : files_of_folder(folder, "")) {
        const std::string name = place.filename().string();
        if (is_copy(place)) {
            continue;
        }
        if (name == own || (name.substr(0, 6) == "ifcfg-" &&
                            ifcfg_fits(read_key_values(text_of_file(place)), interface))) {
            return Profile{Manager::ifcfg, place};
        }
    }
    return std::nullopt;
}

std::optional<Profile> wicked_profile(World &world, const InterfaceIdentity &interface) {
    const fs::path place = world.places.of_others("etc/sysconfig/network/ifcfg-" + interface.name);
    std::error_code failure;
    return fs::exists(place, failure) ? std::optional(Profile{Manager::wicked, place})
                                      : std::nullopt;
}

std::optional<Profile> vdsm_profile(World &world, const InterfaceIdentity &interface) {
    for (const char *folder : vdsm_folders) {
        for (const fs::path &place : files_of_folder(world.places.of_others(folder), "")) {
            const auto net = nlohmann::json::parse(text_of_file(place), nullptr, false);
            if (net.is_object() && net.contains("nic") && net.at("nic") == interface.name) {
                return Profile{Manager::vdsm, place};
            }
        }
    }
    return std::nullopt;
}

std::optional<Profile> dhcpcd_profile(World &world, const InterfaceIdentity &interface) {
    const fs::path place = world.places.of_others("etc/dhcpcd.conf");
    std::istringstream stream(text_of_file(place));
    for (std::string line; std::getline(stream, line);) {
        const auto words = split(line, " \t\r");
        if (words.size() > 1 && words[0] == "interface" &&
            std::find(words.begin() + 1, words.end(), interface.name) != words.end()) {
            return Profile{Manager::dhcpcd, place};
        }
    }
    return std::nullopt;
}

std::string manager_title(Manager manager) {
    switch (manager) {
    case Manager::network_manager:
        return "NetworkManager";
    case Manager::networkd:
        return "systemd-networkd";
    case Manager::ifupdown:
        return "ifupdown";
    case Manager::netplan:
        return "netplan";
    case Manager::ifcfg:
        return "ifcfg files";
    case Manager::wicked:
        return "wicked";
    case Manager::vdsm:
        return "vdsm";
    case Manager::dhcpcd:
        return "dhcpcd";
    }
    return "";
}

} // namespace causeway
