// SPDX-License-Identifier: GPL-2.0-or-later
// Suggests the verb for words that name none. Never suggests a verb with the opposite effect:
// "export del" must not lead to "export add".
#pragma once

#include <string>
#include <vector>

namespace causeway {

struct Suggestion {
    std::string unknown; // the words that name no verb: "export del"
    // The verbs that were probably meant: "export remove". Two, if one letter decides between
    // opposites.
    std::vector<std::string> meant;
    // A verb such as "firewall open" that no other verb reverses, only "causeway undo".
    std::string undone;
    // The known words at the start, with typing errors corrected, and the words that may follow:
    // "export"; "add", ...
    std::string start;
    std::vector<std::string> next;
};

// @typed are the words of the command line up to the first option, at least one.
Suggestion suggest_verb(const std::vector<std::string> &typed);

} // namespace causeway
