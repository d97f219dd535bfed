// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of fstab(5) for file systems on attached disks.
#pragma once

#include "machine/world.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct FstabLine {
    unsigned int number = 0; // of the line in the file, from 1
    std::string source;      // "/dev/sdb1", "UUID=..."
    std::string directory;
    std::string type;
    std::vector<std::string> options;

    bool has(std::string_view option) const;
};

// Returns the lines that describe a file system. Comments and lines with less than three fields are
// left out.
std::vector<FstabLine> parse_fstab(std::string_view text);

// Returns the path of the device that a source means: "UUID=x" is /dev/disk/by-uuid/x. Returns none
// for a source that is no device, such as "server:/srv".
std::optional<std::string> device_of_source(const std::string &source);

// Returns true if the device is a Causeway disk, one of its partitions, or a mapping, volume or
// array on one. A device that does not exist now is known by the name of its link only.
bool is_on_causeway_disk(World &world, const std::string &device);

// The options that a file system on an attached disk needs in fstab.
inline constexpr std::string_view fstab_options = "_netdev,nofail,x-systemd.device-timeout=5min";

// Returns the line of fstab for a disk. @link: the path of the disk; @name: that of its export.
std::string fstab_line(const std::string &link, const std::string &name);

} // namespace causeway
