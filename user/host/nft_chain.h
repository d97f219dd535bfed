// SPDX-License-Identifier: GPL-2.0-or-later
// Follows a packet that opens a connection to a port through a chain. For most conditions of a rule
// it is certain whether that packet meets them. Others depend on facts that are unknown, such as
// the host that sends the packet. Fit states how many of the wanted packets meet a condition. Two
// questions judge it differently: "may this chain close the port?" and "is the port certainly
// closed?".
#pragma once

#include "host/firewall.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace causeway {

// The objects of "nft -j list ruleset".
struct NftRuleset {
    std::vector<nlohmann::json> chains;
    std::vector<nlohmann::json> rules;
    std::vector<nlohmann::json> sets; // and maps
};

enum class NftQuestion { may_close, is_closed };

// Returns true if the rules or the policy of a chain with a hook may close the port (may_close) or
// certainly close it (is_closed). Throws exceptions of nlohmann-json if a rule is not in the form
// that nft prints.
bool closes(const NftRuleset &ruleset, const nlohmann::json &chain, const OpenPort &port,
            NftQuestion question);

} // namespace causeway
