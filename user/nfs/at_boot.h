// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps NFS mounts over a reboot: by a unit of systemd that Causeway writes, or by a line of
// /etc/fstab that an administrator wrote.
#pragma once

#include "base/answer.h"
#include "change/change_set.h"
#include "host/fstab.h"
#include "nfs/mounting.h"
#include "nfs/removal.h"
#include "nfs/units.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// The path of the unit that mounts @directory.
std::filesystem::path mount_unit_place(const Places &places, const std::string &directory);

// Returns the line of /etc/fstab for @directory; none if there is no such line. Returns an error if
// the file cannot be read.
Result<std::optional<FstabLine>> line_of_fstab(const Places &places, const std::string &directory);

// Returns "unit" or "fstab"; empty if nothing mounts @directory at boot, or if that is unknown.
std::string mounted_at_boot_by(const Places &places, const std::string &directory);

// Returns the mounts of all units that Causeway wrote.
std::vector<UnitMount> mounts_of_units(const Places &places);

// Adds the unit to the set, and the link by which "systemctl enable" enables it. Adds a warning in
// place of the unit if systemd does not run, or if /etc/fstab has a line for the folder.
Result<void> plan_mount_at_boot(World &world, const MountRequest &request, ChangeSet &set,
                                std::vector<std::string> &warnings);
// Adds the removal of the unit to the set if Causeway wrote it. A file that cannot be removed does
// not prevent the unmount.
void plan_no_mount_at_boot(World &world, const std::string &directory, ChangeSet &set,
                           Removals &removals);

} // namespace causeway
