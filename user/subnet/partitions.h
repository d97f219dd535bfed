// SPDX-License-Identifier: GPL-2.0-or-later
// The partitions of an InfiniBand subnet in the format of opensm: "PARTITION CONFIGURATION" of
// opensm(8).
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// P_Keys without the membership bit are 1 to 0x7fff. 0x7fff is the default partition, which always
// exists: the subnet manager reaches every port through it.
inline constexpr std::uint16_t default_partition = 0x7fff;

// A rule such as "Name=0x0001, ipoib, rate=7 : 0x0002c90300101234=full, ALL=limited ;".
struct PartitionRule {
    std::string name;                  // may be empty
    std::optional<std::uint16_t> pkey; // none: opensm derives one from the name
    std::vector<std::string> flags;    // "ipoib", "rate=7", "defmember=full"
    // Members, "0x...=full" or "ALL", and multicast groups, "mgid=...", as in the file.
    std::vector<std::string> properties;

    bool operator==(const PartitionRule &) const = default;
};

// Returns the name of a flag: "rate" of "rate=7".
std::string_view flag_key(std::string_view flag);

// @source names the file in errors, "file:line: ...".
Result<std::vector<PartitionRule>> parse_partitions(const std::string &source,
                                                    std::string_view text);
std::string partitions_text(const std::vector<PartitionRule> &rules);

// Returns the rule of a partition, none if there is none. Several rules with its P_Key become one,
// as opensm merges them.
std::optional<PartitionRule> partition_of(const std::vector<PartitionRule> &rules,
                                          std::uint16_t pkey);

// Returns a member as "0x0002c90300101234=full". @standard is the membership of a member without
// one.
std::string canonical_member(const std::string &member, const std::string &standard);

// Replaces every rule with the same P_Key, or appends the rule. Adds a rule for the default
// partition at the start if there is none.
std::vector<PartitionRule> with_partition(std::vector<PartitionRule> rules,
                                          const PartitionRule &rule);
std::vector<PartitionRule> without_partition(std::vector<PartitionRule> rules, std::uint16_t pkey);
// Adds a rule for the default partition at the start if there is none.
std::vector<PartitionRule> with_default(std::vector<PartitionRule> rules);

// Returns the code (IBA 1.5, 14.2.5.6, PathRecord) of a rate of a partition's IPoIB. @text is in
// Gb/s: "2.5", "10", "40", "100".
Result<unsigned int> partition_rate_code(const std::string &text);
// Returns the code of an MTU in bytes, 256 to 4096.
Result<unsigned int> partition_mtu_code(const std::string &text);
// Convert the codes back to text. Return "" for an unknown code.
std::string partition_rate_text(unsigned int code);
std::string partition_mtu_text(unsigned int code);

// Parses a port GUID in any usual form: 0x0002c90300101234, 0002:c903:0010:1234,
// 00:02:c9:03:00:10:12:34. Returns the first form.
Result<std::string> canonical_guid(const std::string &text);

} // namespace causeway
