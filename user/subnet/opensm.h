// SPDX-License-Identifier: GPL-2.0-or-later
// opensm as distributions package it. Causeway configures it without a change to files of the
// package: settings and partitions are in files of Causeway, which the command line of opensm
// names.
#pragma once

#include "base/places.h"
#include "change/change_set.h"
#include "machine/kernel_files.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// An InfiniBand port of this machine, on which a subnet manager can run.
struct SubnetPort {
    std::string device;
    unsigned int port = 0;
    std::string guid;  // "0x0002c90300101234"
    std::string state; // "ACTIVE", "INIT", "DOWN"
    unsigned int lid = 0;
    unsigned int sm_lid = 0; // 0: no subnet manager has been seen

    std::string text() const; // "mlx4_0/1"
    bool managed_elsewhere() const { return sm_lid != 0 && sm_lid != lid; }
};
std::vector<SubnetPort> subnet_ports(KernelFiles &files);

enum class OpensmPackage {
    none,
    debian, // opensm.service starts opensm@GUID.service for each of PORTS
    redhat, // opensm.service starts opensm without instances; our units replace it
};
// Looks for the units of the package.
OpensmPackage opensm_package(const Places &places);

// Adds to the set the files that make opensm run on these ports, now and at boot.
Result<void> plan_opensm(ChangeSet &set, const Places &places, OpensmPackage package,
                         const std::vector<std::string> &guids);
// Returns the ports of the last plan_opensm() that was carried out; none if there was none.
Result<std::vector<std::string>> opensm_ports(const Places &places);

// Return the programs that apply the files, and those that stop what they started.
std::vector<std::vector<std::string>> opensm_start(OpensmPackage package,
                                                   const std::vector<std::string> &guids);
std::vector<std::vector<std::string>> opensm_stop(OpensmPackage package,
                                                  const std::vector<std::string> &guids);
// Returns the programs that make a running opensm read its files again.
std::vector<std::vector<std::string>> opensm_reread(OpensmPackage package);

// Returns the text of our settings file for opensm(8) with these values. Starts from our present
// file, or from the file of the package if ours does not exist.
Result<std::string> opensm_settings(const Places &places,
                                    const std::map<std::string, std::string> &values);
// Returns our partitions file, or that of the package if ours does not exist.
Result<std::string> partitions_before(const Places &places);

} // namespace causeway
