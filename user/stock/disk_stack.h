// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the mounts, volumes, arrays and mappings that are built on a block device, and the commands
// that release the device.
#pragma once

#include "machine/kernel_files.h"

#include <string>
#include <vector>

namespace causeway {

struct DiskStack {
    // The first user, and what is built on that one. The subject is the device: "is used by the
    // logical volume data/home (dm-0), which is mounted at /mnt". Empty if nothing is built on it.
    std::string sentence;
    // Commands that end all of these uses, in the order in which they have to run.
    std::vector<std::string> release;
};

// @name is a name of /sys/class/block, such as "sdb1". The mounts are those of this mount
// namespace.
DiskStack stack_on(KernelFiles &files, const std::string &name);

} // namespace causeway
