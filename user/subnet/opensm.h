// SPDX-License-Identifier: GPL-2.0-or-later
// opensm as a distribution has packaged it, and how it is told what to do without touching a file
// of its package. Its settings and the partitions are files of ours, which its command line names.
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

// A port of InfiniBand on this machine that a subnet manager may run on.
struct SubnetPort {
    std::string device;
    unsigned int port = 0;
    std::string guid;  // "0x0002c90300101234"
    std::string state; // "ACTIVE", "INIT", "DOWN"
    unsigned int lid = 0;
    unsigned int sm_lid = 0; // 0: no subnet manager was seen

    std::string text() const; // "mlx4_0/1"
    bool managed_elsewhere() const { return sm_lid != 0 && sm_lid != lid; }
};
std::vector<SubnetPort> subnet_ports(KernelFiles &files);

enum class OpensmPackage {
    none,
    debian, // opensm.service starts opensm@GUID.service for each of PORTS
    redhat, // opensm.service is a launcher without instances: ours take its place
};
OpensmPackage opensm_package(const Places &places);

// The files that make it run on these ports, and at boot.
Result<void> plan_opensm(ChangeSet &set, const Places &places, OpensmPackage package,
                         const std::vector<std::string> &guids);
// The ports that plan_opensm() was last asked for; none where it was not.
Result<std::vector<std::string>> opensm_ports(const Places &places);

// Programs that bring the files into effect, and those that end what they have started.
std::vector<std::vector<std::string>> opensm_start(OpensmPackage package,
                                                   const std::vector<std::string> &guids);
std::vector<std::vector<std::string>> opensm_stop(OpensmPackage package,
                                                  const std::vector<std::string> &guids);
// Makes a running one read its files again.
std::vector<std::vector<std::string>> opensm_reread(OpensmPackage package);

// Our file of opensm(8)'s settings, or the administrator's of the package where we have none yet,
// with these values in place of its own.
Result<std::string> opensm_settings(const Places &places,
                                    const std::map<std::string, std::string> &values);
// Our partitions, or those of the package's file where we have none yet.
Result<std::string> partitions_before(const Places &places);

} // namespace causeway
