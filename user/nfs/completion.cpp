// SPDX-License-Identifier: GPL-2.0-or-later
// Completes the networks of NFS rules in shells.
#include "command/completion.h"

namespace causeway {

namespace {

using Names = std::vector<std::string>;

Names networks_of_rules(World &world) {
    Names names;
    if (const auto found = world.kernel.nfs_rules()) {
        for (const NfsRule &rule : *found) {
            names.push_back(rule.network.text());
        }
    }
    return names;
}

const CompletionSource source_of_rule_to_remove("nfs rule remove", "CIDR", networks_of_rules);
const CompletionSource source_of_rule_to_set("nfs rule set", "CIDR", networks_of_rules);

} // namespace

} // namespace causeway
