// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the partition and the ports that a command line names, for all verbs of partitions.
#pragma once

#include "command/arguments.h"
#include "subnet/managers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace causeway {

// The ports of --port.
inline constexpr OptionSpec partition_port_option{
    "port", "DEVICE[/PORT]|GUID...",
    "the partitions of these ports alone, which then have partitions of their own", true};

// Parses a P_Key, and removes the membership bit.
Result<std::uint16_t> parse_partition(const std::string &typed);
std::string partition_text(std::uint16_t pkey); // "0x0001"
Error no_partition(std::uint16_t pkey);

struct PartitionTarget {
    std::uint16_t pkey = 0;
    Managers before;
    std::vector<std::string> guids; // none: all ports
};
// Reads the first operand and --port. Returns an error if Causeway enabled no subnet manager.
Result<PartitionTarget> read_partition_target(const World &world, const Arguments &arguments);

Result<Answer> carry_partitions(World &world, const Arguments &arguments, const std::string &verb,
                                const PartitionTarget &target, const Managers &after,
                                const std::string &nothing_to_do);

} // namespace causeway
