// SPDX-License-Identifier: GPL-2.0-or-later
// opensm as distributions package it: its units, and the programs that start and stop them.
// Causeway changes no file of the package. Settings and partitions are in files of Causeway. A unit
// joins the settings of the package and those of Causeway each time it starts opensm, so that
// settings of a later package take effect too.
#pragma once

#include "base/places.h"
#include "change/change_set.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

enum class OpensmPackage {
    none,
    debian, // opensm.service starts opensm@GUID.service for each of PORTS
    redhat, // opensm.service starts opensm without instances; our units replace it
};
// Looks for the units of the package.
OpensmPackage opensm_package(const Places &places);
// The same, or an error if opensm or systemd is missing.
Result<OpensmPackage> need_opensm(const World &world);

// Returns the ports on which Causeway enabled a subnet manager.
Result<std::vector<std::string>> opensm_ports(const Places &places);

// Adds to the set the units that run opensm on these ports, now and at boot, or their removal if
// there are no ports. @before: the ports until now.
Result<void> plan_opensm_units(ChangeSet &set, const Places &places, OpensmPackage package,
                               const std::vector<std::string> &before,
                               const std::vector<std::string> &guids);

// Returns the unit of a port: "opensm@0x0002c90300101234.service".
std::string opensm_unit(OpensmPackage package, const std::string &guid);
bool opensm_runs(World &world, OpensmPackage package, const std::string &guid);
// Returns true if the package's own service runs.
bool opensm_service_runs(World &world);

using Programs = std::vector<std::vector<std::string>>;

// Starts or restarts opensm on these ports. @with_package: through the package's own service, so
// that its record says that it runs.
Programs opensm_restart(OpensmPackage package, const std::vector<std::string> &guids,
                        bool with_package);
// Stops opensm on these ports. @with_package: also the package's own service.
Programs opensm_stop(OpensmPackage package, const std::vector<std::string> &guids,
                     bool with_package);
// Makes opensm read the partitions again.
Programs opensm_reread(OpensmPackage package, const std::vector<std::string> &guids);

} // namespace causeway
