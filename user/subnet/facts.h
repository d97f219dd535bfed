// SPDX-License-Identifier: GPL-2.0-or-later
// Facts of doctor about the subnet manager of this machine and its partitions.
#pragma once

#include "doctor/facts.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A partition with a P_Key, from a partitions file of opensm.
struct PartitionLine {
    std::string file;
    unsigned int pkey = 0;      // without the membership bit
    unsigned int rate = 0;      // opensm's code; 0: none given
    bool has_all_hosts = false; // a member is ALL or ALL_CAS
};

// Ports of a fabric that are slower than the rate of a partition. This machine runs the subnet
// manager of the fabric. Its own ports do not count here.
struct SlowHosts {
    std::string file; // of the partition
    std::string port; // GUID, if the file is that of one port
    unsigned int pkey = 0;
    std::string what;
    double slowest = 0; // Gb/s

    bool operator==(const SlowHosts &) const = default;
};

struct SubnetFacts {
    bool manager_runs = false; // opensm on this machine
    bool manager_enabled = false;
    bool manager_ours = false; // set up by "causeway sm enable"
    std::vector<PartitionLine> partitions;
    std::vector<std::string> partition_files;
    std::vector<SlowHosts> slow_hosts;
};

// Parses a partitions file. @file is its name, for errors.
Result<std::vector<PartitionLine>> partition_lines(const std::string &file, std::string_view text);

} // namespace causeway
