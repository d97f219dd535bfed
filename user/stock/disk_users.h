// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the users of a disk or a file on this machine. A disk in use is neither exported nor
// detached: two users that write to the same blocks without knowing of each other destroy the data.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "machine/world.h"
#include "stock/settings.h"
#include "stock/target.h"

#include <string>

namespace causeway {

// Each function returns a sentence such as "/dev/sdb1 is mounted", or an empty text if it detects
// no use. These count as use: a mount in any namespace, swap, a device that is built on the disk, a
// loop device, an export by nvmet or LIO no matter which program made it, and a program that has
// the disk open for writing.

// @disk is a name of /sys/class/block. The use of its partitions counts.
std::string user_of_disk(World &world, const std::string &disk);
// Returns the commands that end all mounts, volumes, arrays and mappings on the disk and its
// partitions, in order and separated by "; ". Empty if there are none.
std::string release_of_disk(World &world, const std::string &disk);
// Exports by Causeway's own transport count as use, too.
std::string user_of_path(World &world, const std::string &path);

// Refuses to export a device or a file that is in use. The export must not be running.
Result<void> check_unclaimed(World &world, const ExportSettings &settings);
Result<void> check_unclaimed(World &world, const StockExport &settings);
// Does the same for an export that is made again from its plan. @subject: "the export 'x'".
Result<void> check_unclaimed(World &world, const std::string &subject, const TargetPlan &plan);
// Refuses a path that the configuration of another export names, even if that export is not
// running.
Result<void> check_not_configured(World &world, const std::string &name, const std::string &path);

} // namespace causeway
