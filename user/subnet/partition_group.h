// SPDX-License-Identifier: GPL-2.0-or-later
// The settings of a partition and of its multicast groups, as the verbs take them and as opensm
// reads them: "PARTITION CONFIGURATION" of opensm(8). A group has the settings of its partition,
// unless its line has others; TClass alone must be in the line (opensm 3.3.23).
#pragma once

#include "command/arguments.h"
#include "subnet/partitions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// opensm's settings of a broadcast or multicast group: "rate=7", "Q_Key=0xb1b".
using GroupFlags = std::vector<std::string>;

// The options of the verbs that become GroupFlags.
std::vector<OptionSpec> group_options();

// The wanted changes of GroupFlags.
struct FlagChange {
    std::string_view option;         // "qkey"
    std::string_view key;            // opensm's name: "Q_Key"
    std::vector<std::string> values; // none: opensm's default
};
// @defaults: accepts the word "default" as a value.
Result<std::vector<FlagChange>> parse_group_options(const Arguments &arguments, bool defaults);

// Returns the values of a flag, in the order of the list.
std::vector<std::string> flag_values(const std::vector<std::string> &flags, std::string_view key);
void set_flag(std::vector<std::string> &flags, const FlagChange &change);
void remove_flag(std::vector<std::string> &flags, std::string_view key);

bool is_group(std::string_view property);

// A multicast group of a partition: the line "mgid=ff12:401b::fb,sl=1".
struct PartitionGroup {
    std::string mgid; // as inet_ntop() writes it, without the P_Key of an IP group
    GroupFlags flags;

    std::string text() const;
    bool ip() const; // a group of IPv4 or IPv6 (RFC 4391, 4)
};
// Parses the MGID of a group in this partition.
Result<std::string> parse_mgid(const std::string &text, std::uint16_t pkey);
// Parses a line. An MGID that cannot be parsed stays as it is written.
PartitionGroup group_of(std::string_view property, std::uint16_t pkey);

// Returns an error if opensm would refuse the group: a group of IP has the rate, the MTU and the
// scope of the broadcast group of its partition.
Result<void> check_group(const PartitionRule &rule, const PartitionGroup &group);

} // namespace causeway
