// SPDX-License-Identifier: GPL-2.0-or-later
// Attaching one disk, for "attach" and for "restore".
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "machine/world.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// The kernel's attachment of this name.
Result<std::optional<AttachmentInfo>> running_attachment(World &world, const DiskName &disk);

Error not_attached(const DiskName &disk);

struct BroughtUp {
    std::string disk; // its name; in the background maybe empty
    std::vector<std::string> warnings{};
};

// Resolves the server and asks the kernel, address after address where the network is at fault. In
// the background the first address counts, since the kernel answers at once.
Result<BroughtUp> bring_up(World &world, const AttachmentSettings &settings, bool background);

// Words that name the devices of an attached disk.
struct DiskPaths {
    std::string node; // /dev/causewayN
    std::string link; // /dev/causeway/SERVER/NAME; empty where udev did not make it
};
DiskPaths paths_now(World &world, const DiskName &name, const std::string &disk);

} // namespace causeway
