// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of the P_Keys of partitions and of ports of InfiniBand.
#include "command/completion.h"
#include "subnet/managers.h"
#include "subnet/ports.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

using Names = std::vector<std::string>;

Names partitions(World &world) {
    Names names;
    const auto managers = read_managers(world.places);
    if (!managers) {
        return names;
    }
    const auto add = [&](const std::vector<PartitionRule> &rules) {
        for (const PartitionRule &rule : rules) {
            const std::string name = rule.pkey ? fmt::format("0x{:04x}", *rule.pkey) : "";
            if (rule.pkey && std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(name);
            }
        }
    };
    add(managers->partitions);
    for (const ManagedPort &port : managers->ports) {
        add(managers->partitions_of(port));
    }
    return names;
}

const CompletionSource source_of_partition_key("sm partition", "P_KEY", partitions);

} // namespace

} // namespace causeway
