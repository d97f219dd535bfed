// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of the P_Keys of partitions.
#include "command/completion.h"
#include "subnet/opensm.h"
#include "subnet/partitions.h"
#include <fmt/format.h>

namespace causeway {

namespace {

using Names = std::vector<std::string>;

Names partitions(World &world) {
    Names names;
    const auto text = partitions_before(world.places);
    const auto rules = text ? parse_partitions("", *text) : text.error();
    for (const PartitionRule &rule : rules ? *rules : std::vector<PartitionRule>()) {
        if (rule.pkey) {
            names.push_back(fmt::format("0x{:04x}", *rule.pkey));
        }
    }
    return names;
}

const CompletionSource source_of_partition_key("sm partition", "P_KEY", partitions);

} // namespace

} // namespace causeway
