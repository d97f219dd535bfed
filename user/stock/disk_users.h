// SPDX-License-Identifier: GPL-2.0-or-later
// Who uses a disk or a file on this machine. What is in use is neither exported nor detached: two
// that write to the same blocks, each without knowing of the other, destroy what is there.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "machine/world.h"
#include "stock/settings.h"
#include "stock/target.h"

#include <string>

namespace causeway {

// Each returns a sentence, as in "/dev/sdb1 is mounted", or an empty text if nothing uses it as far
// as can be seen. Use is: a mount in any namespace, swap, a device that is built on the disk, a
// loop device, an export by nvmet or LIO whoever made it, a program that has it open for writing.

// @disk: as in /sys/class/block. The use of its partitions counts.
std::string user_of_disk(World &world, const std::string &disk);
// Exports by Causeway's own transport are use, too.
std::string user_of_path(World &world, const std::string &path);

// Refuses to export a device or a file that is in use. The export does not run.
Result<void> check_unclaimed(World &world, const ExportSettings &settings);
Result<void> check_unclaimed(World &world, const StockExport &settings);
// The same of one that is to be made again. @subject: "the export 'x'".
Result<void> check_unclaimed(World &world, const std::string &subject, const TargetPlan &plan);
// Refuses a path that another export is configured with, whether that one runs or not.
Result<void> check_not_configured(World &world, const std::string &name, const std::string &path);

} // namespace causeway
