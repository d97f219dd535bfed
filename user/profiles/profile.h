// SPDX-License-Identifier: GPL-2.0-or-later
// Profiles of network interfaces that an administrator or another program wrote. Causeway writes no
// profile beside one of these, because the two would hide each other's addresses and routes.
#pragma once

#include "machine/world.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

enum class Manager { network_manager, networkd, ifupdown, netplan, ifcfg, wicked, vdsm, dhcpcd };

struct Profile {
    Manager manager = Manager::network_manager;
    std::filesystem::path place;
    std::string name{}; // id of the connection; NetworkManager only
};

// The properties by which profiles match an interface.
struct InterfaceIdentity {
    std::string name;
    std::string index{};   // "7"; empty if the interface does not exist
    std::string address{}; // 20 bytes: "80:00:02:08:fe:80:..."
    std::string parent{};  // for a P_Key child
    // Properties of udev: ID_PATH, ID_NET_DRIVER and others; empty if udev does not know the
    // interface.
    std::map<std::string, std::string> udev{};
};
// Reads sysfs and runs udevadm. An interface that does not exist gets the address of its @parent.
InterfaceIdentity identify_interface(World &world, const std::string &name,
                                     const std::string &parent = {});

// Each function returns the profile that its manager would use for the interface, unless Causeway
// wrote that profile. The functions do not check that the manager runs; the caller does.
std::optional<Profile> network_manager_profile(World &world, const InterfaceIdentity &interface);
std::optional<Profile> networkd_profile(World &world, const InterfaceIdentity &interface);
std::optional<Profile> ifupdown_profile(World &world, const InterfaceIdentity &interface);
std::optional<Profile> netplan_profile(World &world, const InterfaceIdentity &interface);
// ifcfg files of RHEL up to 8, wicked of SUSE, vdsm of oVirt, dhcpcd.
std::optional<Profile> ifcfg_profile(World &world, const InterfaceIdentity &interface);
std::optional<Profile> wicked_profile(World &world, const InterfaceIdentity &interface);
std::optional<Profile> vdsm_profile(World &world, const InterfaceIdentity &interface);
std::optional<Profile> dhcpcd_profile(World &world, const InterfaceIdentity &interface);

// Returns "NetworkManager", "netplan" and so on.
std::string manager_title(Manager manager);

} // namespace causeway
