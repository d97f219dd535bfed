// SPDX-License-Identifier: GPL-2.0-or-later
// The partitions of an InfiniBand subnet as opensm reads them: "PARTITION CONFIGURATION" of
// opensm(8).
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A P_Key without the bit of membership, from 1 to 0x7fff. The last is the default partition, in
// which every port is found by the subnet manager: it always exists.
inline constexpr std::uint16_t default_partition = 0x7fff;

// "Name=0x0001, ipoib, rate=7 : 0x0002c90300101234=full, ALL=limited ;"
struct PartitionRule {
    std::string name;                  // may be empty
    std::optional<std::uint16_t> pkey; // none: opensm makes one of the name
    std::vector<std::string> flags;    // "ipoib", "rate=7", "defmember=full"
    // Members, "0x...=full" or "ALL", and multicast groups, "mgid=...": as they were read.
    std::vector<std::string> properties;

    bool operator==(const PartitionRule &) const = default;
};

// The source names the file in errors, "file:line: ...".
Result<std::vector<PartitionRule>> parse_partitions(const std::string &source,
                                                    std::string_view text);
std::string partitions_text(const std::vector<PartitionRule> &rules);

// In place of every rule with its P_Key, or after the others. Puts the rule of the default
// partition in front where there is none.
std::vector<PartitionRule> with_partition(std::vector<PartitionRule> rules,
                                          const PartitionRule &rule);
std::vector<PartitionRule> without_partition(std::vector<PartitionRule> rules, std::uint16_t pkey);
std::vector<PartitionRule> with_default(std::vector<PartitionRule> rules);

// What IPoIB has in another partition: codes of IBA 1.5, 14.2.5.6 (PathRecord) for what people
// type. Gb/s: "2.5", "10", "40", "100".
Result<unsigned int> partition_rate_code(const std::string &text);
// Bytes: 256 to 4096.
Result<unsigned int> partition_mtu_code(const std::string &text);
// The other way, for showing; empty where the code is none.
std::string partition_rate_text(unsigned int code);
std::string partition_mtu_text(unsigned int code);

// A port GUID, in the ways in which people copy one: 0x0002c90300101234, 0002:c903:0010:1234,
// 00:02:c9:03:00:10:12:34. Returned in the first.
Result<std::string> canonical_guid(const std::string &text);

} // namespace causeway
