// SPDX-License-Identifier: GPL-2.0-or-later
// Files and devices that the kernel itself uses by their paths.
#pragma once

#include "machine/kernel_files.h"

#include <string>
#include <vector>

namespace causeway {

struct LoopDevice {
    std::string name; // "loop0"
    std::string file; // path of the file or device behind it
};

// Returns the loop devices that are set up.
std::vector<LoopDevice> loop_devices(KernelFiles &files);

// Returns the paths of the devices and files that this machine swaps to.
std::vector<std::string> swap_areas(KernelFiles &files);

// Returns the first word of each line, for tables whose first column is a path. Resolves the
// escapes of mount tables. Skips lines that do not begin with an absolute path.
std::vector<std::string> paths_of_lines(const std::string &text);

} // namespace causeway
