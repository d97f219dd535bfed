// SPDX-License-Identifier: GPL-2.0-or-later
// The changes of a partition that the options of "sm partition add" and "sm partition set" ask for.
#pragma once

#include "subnet/partition_group.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct PartitionChange {
    std::optional<std::string> name;
    std::optional<std::vector<std::string>> members;
    std::vector<FlagChange> flags; // of the broadcast group, and "defmember"
    std::vector<std::string> mgids;
    std::optional<bool> ipoib;
    std::optional<bool> indx0;

    // Returns an error if opensm would refuse the result.
    Result<PartitionRule> applied_to(const PartitionRule &rule) const;
};

// @setting: accepts the values and options that remove settings.
Result<PartitionChange> parse_partition_change(const Arguments &arguments, std::uint16_t pkey,
                                               bool setting);

// Returns the differences of two rules of one partition, in words: "rate is 40, not 10". Two rules
// without differences are the same for opensm.
std::vector<std::string> partition_differences(const PartitionRule &there,
                                               const PartitionRule &wanted);

} // namespace causeway
