// SPDX-License-Identifier: GPL-2.0-or-later
// Units that repeat a verb when an RDMA device appears, because the kernel or the adapter loses the
// setting with the device or at a reboot.
#pragma once

#include "change/change_set.h"

#include <filesystem>
#include <string>
#include <vector>

namespace causeway {

struct DeviceUnit {
    std::string verb;               // "roce tos"
    std::string setting;            // the middle of the names of the files: "tos"
    std::string subject;            // the RDMA device or network interface: "mlx5_0", "eth1"
    std::string node_guid;          // of the RDMA device
    std::string description;        // of the unit
    std::string interface;          // a network interface that the unit waits for; may be empty
    std::vector<std::string> words; // of the command, without --at-boot

    std::string name() const; // "causeway-tos@mlx5_0.service"
    std::filesystem::path unit(const Places &places) const;
    std::filesystem::path rule(const Places &places) const;
};

// Returns a unit with only these fields. They are enough to find or to remove the unit.
DeviceUnit device_unit(std::string verb, std::string setting, std::string subject);

// Adds the unit and the rule of udev that starts the unit.
Result<void> plan_device_unit(World &world, ChangeSet &set, const DeviceUnit &unit);
// Removes both if they are there.
Result<void> plan_no_device_unit(World &world, ChangeSet &set, const DeviceUnit &unit);
// Returns the words of the command of an existing unit after the verb, or none.
std::vector<std::string> words_at_boot(const World &world, const DeviceUnit &unit);

// Returns the same for each unit of a setting, also those of devices that are gone.
std::vector<std::vector<std::string>>
all_words_at_boot(const World &world, const std::string &setting, const std::string &verb);

} // namespace causeway
