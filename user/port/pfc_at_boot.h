// SPDX-License-Identifier: GPL-2.0-or-later
// Flow control that "pfc set" keeps for the next boot: in a unit for each interface, or in an
// option of mlx4_en, which applies to all ports of mlx4.
#pragma once

#include "change/change_set.h"
#include "port/device_unit.h"
#include "port/flow_control.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct PfcAtBoot {
    Priorities on;
    DscpEntries dscp;
    std::string netdev{}; // of a unit
};

// Returns "3, 4", or "off".
std::string priorities_text(const Priorities &priorities);

// Returns "26=3" for each DSCP, with @between in place of "=".
std::vector<std::string> dscp_words(const DscpEntries &entries, char between);
bool has_dscp(const DscpEntries &entries, unsigned int dscp);
// Parses such words of the command line. The word "none" alone gives no entry.
Result<DscpEntries> parse_dscp(const std::vector<std::string> &typed);

// The unit of an interface. The first has only its name and is enough to find or remove the unit.
DeviceUnit pfc_unit_on(const std::string &netdev);
DeviceUnit pfc_unit_of(const FlowControl &control);

// Returns the settings that the unit of an interface makes at boot. Returns none if there is no
// unit, or if an administrator wrote another command into it.
std::optional<PfcAtBoot> pfc_by_unit(const World &world, const FlowControl &control);
// Returns the option of mlx4_en in the file of "pfc set", or none.
std::optional<PfcAtBoot> pfc_of_mlx4(const World &world);
// Calls pfc_of_mlx4() for an interface of mlx4_en, else pfc_by_unit().
std::optional<PfcAtBoot> pfc_at_boot(const World &world, const FlowControl &control);
// Returns the settings of interfaces whose unit exists, and which are not in @there.
std::vector<PfcAtBoot> pfc_of_gone(const World &world, const std::vector<FlowControl> &there);

// Writes the option of mlx4_en, or removes it if no priority is on. @initramfs: also makes the
// initramfs anew, because the module may be loaded from there. Returns true if the file changes.
Result<bool> plan_mlx4_option(World &world, ChangeSet &set, const Priorities &on, bool initramfs);

} // namespace causeway
