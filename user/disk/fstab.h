// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of fstab(5) for file systems on attached disks: host/fstab.h reads the lines.
#pragma once

#include "machine/world.h"

#include <optional>
#include <string>
#include <string_view>

namespace causeway {

// Returns the path of the device that a source means: "UUID=x" is /dev/disk/by-uuid/x. Returns none
// for a source that is no device, such as "server:/srv".
std::optional<std::string> device_of_source(const std::string &source);

// Returns true if the device is a Causeway disk, one of its partitions, or a mapping, volume or
// array on one. A device that does not exist now is known by the name of its link only.
bool is_on_causeway_disk(World &world, const std::string &device);

} // namespace causeway
