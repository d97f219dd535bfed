// SPDX-License-Identifier: GPL-2.0-or-later
// A packet that opens a connection to a port is followed through a chain. Most conditions of a rule
// say for certain whether that packet meets them; others depend on what is not known, such as the
// host that it comes from. Fit says how many of the wanted packets meet a condition, and two
// questions judge that differently: "may this chain close the port?" and "is the port closed for
// certain?".
#pragma once

#include "host/firewall.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace causeway {

// As "nft -j list ruleset" has them.
struct NftRuleset {
    std::vector<nlohmann::json> chains;
    std::vector<nlohmann::json> rules;
    std::vector<nlohmann::json> sets; // and maps
};

enum class NftQuestion { may_close, is_closed };

// Whether the answer is yes for a chain with a hook and its policy. Throws what nlohmann-json
// throws if a rule is not as nft writes it.
bool closes(const NftRuleset &ruleset, const nlohmann::json &chain, const OpenPort &port,
            NftQuestion question);

} // namespace causeway
