// SPDX-License-Identifier: GPL-2.0-or-later
// The block device that "bench --disk" names.
#pragma once

#include "base/disk_name.h"
#include "base/result.h"
#include "machine/world.h"

#include <optional>
#include <string>

namespace causeway {

struct BenchedDisk {
    std::string typed;                  // as the user typed it
    std::string device;                 // "/dev/causeway0"
    std::optional<DiskName> attached{}; // the attachment that the device belongs to
    std::string exported{};             // the export that the device is the backend of
};

// Finds the disk: an attached disk SERVER/NAME, the device behind an export NAME of this machine,
// or a block device by its absolute path. Returns an error for everything that is not one block
// device, and for a disk without a connection, whose reads would wait.
Result<BenchedDisk> find_benched_disk(World &world, const std::string &typed);

} // namespace causeway
