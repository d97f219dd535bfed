// SPDX-License-Identifier: GPL-2.0-or-later
// Which verb was meant by words that name none. A verb of the opposite effect is never suggested:
// who types "export del" must not be led to "export add".
#pragma once

#include <string>
#include <vector>

namespace causeway {

struct Suggestion {
    std::string unknown; // the words that name no verb: "export del"
    // The verbs that were probably meant: "export remove". Two where one letter decides between
    // opposites.
    std::vector<std::string> meant;
    // No verb ends what this one does; "causeway undo" takes it back: "firewall open".
    std::string undone;
    // The known words in front, fixed, and those that may stand behind them: "export"; "add", ...
    std::string start;
    std::vector<std::string> next;
};

// typed: the words of the command line up to its first option, at least one.
Suggestion suggest_verb(const std::vector<std::string> &typed);

} // namespace causeway
