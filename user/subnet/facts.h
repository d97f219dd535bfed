// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor knows of the subnet manager of this machine and of its partitions.
#pragma once

#include "doctor/facts.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A partition with a number, of a partitions file of opensm.
struct PartitionLine {
    std::string file;
    unsigned int pkey = 0; // without the membership bit
    unsigned int rate = 0; // opensm's code; 0: not said
};

struct SubnetFacts {
    bool manager_runs = false; // opensm on this machine
    bool manager_enabled = false;
    bool manager_ours = false; // causeway sm enable has set it up
    std::vector<PartitionLine> partitions;
    std::vector<std::string> partition_files;
};

// The lines of a partitions file; its name is in errors.
Result<std::vector<PartitionLine>> partition_lines(const std::string &file, std::string_view text);

} // namespace causeway
