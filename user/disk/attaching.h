// SPDX-License-Identifier: GPL-2.0-or-later
// Attaches one disk, for "attach", "restore" and undo.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "machine/world.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// Returns the kernel's attachment of this disk; none if the disk is not attached.
Result<std::optional<AttachmentInfo>> running_attachment(World &world, const DiskName &disk);

Error not_attached(const DiskName &disk);

struct BroughtUp {
    std::string disk; // the block device; may be empty in the background
    std::vector<std::string> warnings{};
};

// Returns the numbers that the kernel reports.
AttachNumbers numbers_of(const AttachmentInfo &info);

// Resolves the server and attaches the disk at the server's first address. After an error of the
// network (is_of_the_network()) tries the next address. @background: the kernel returns before it
// has connected, so only the first address is used.
Result<BroughtUp> bring_up(World &world, const AttachmentSettings &settings, bool background);

// The paths of an attached disk.
struct DiskPaths {
    std::string node; // /dev/causewayN
    std::string link; // /dev/causeway/SERVER/NAME; empty if udev has not made it
};
// @disk: the name of the block device; if empty, both paths are empty.
DiskPaths paths_now(World &world, const DiskName &name, const std::string &disk);

} // namespace causeway
