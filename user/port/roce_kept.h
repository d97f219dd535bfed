// SPDX-License-Identifier: GPL-2.0-or-later
// Settings of RoCE that the verbs "roce mode", "roce tos" and "roce ecn" make now and keep for the
// next boot, as "roce list" shows them and "roce unset" removes them.
#pragma once

#include "base/answer.h"
#include "change/change_set.h"
#include "port/flow_control.h"

#include <map>
#include <string>
#include <vector>

namespace causeway {

// The settings that units of systemd make at boot, by the name of the RDMA device: "v1", "v2";
// "104". Devices that are gone count too.
using KeptOfRoce = std::map<std::string, std::string>;
KeptOfRoce kept_modes(const World &world);
KeptOfRoce kept_tos(const World &world);
// Returns "" for a device of which nothing is kept.
std::string kept_of(const KeptOfRoce &kept, const std::string &device);

// Congestion control of an interface of mlx5.
struct Congestion {
    std::string netdev;
    std::string device; // empty: the interface is gone, and only its unit is there
    std::string node_guid;
    std::string slot;
    bool has_switch = false;                       // MLNX_OFED
    Priorities on;                                 // where both roles are on
    std::map<std::string, std::string> parameters; // of debugfs
};
// Returns the interfaces of mlx5 that carry RoCE, and those that are gone and have a unit.
std::vector<Congestion> all_congestion(World &world);
bool keeps_ecn(const World &world, const std::string &netdev);
// Adds "interfaces" to the answer's JSON and returns the table. @parameters: with those of debugfs.
std::string table_of_ecn(World &world, const std::vector<Congestion> &all, bool parameters,
                         Answer &answer);

// Each removes the unit of a device or interface, which may be gone. The first two also give the
// device the kernel's choice now; the adapter keeps its present ECN until it is reset.
Result<void> plan_mode_unset(World &world, ChangeSet &set, const std::string &name);
Result<void> plan_tos_unset(World &world, ChangeSet &set, const std::string &name);
Result<void> plan_ecn_unset(World &world, ChangeSet &set, const std::string &netdev);

} // namespace causeway
