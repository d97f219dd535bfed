// SPDX-License-Identifier: GPL-2.0-or-later
// A verb of the command line: its words, its options, and the function behind it.
#pragma once

#include "base/result.h"
#include "command/answer.h"
#include "command/arguments.h"
#include "command/world.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct Verb {
    std::string_view words;    // "export add"
    std::string_view operands; // "NAME", for the synopsis
    std::string_view summary;  // one line
    std::vector<OptionSpec> options;
    std::size_t least_operands = 0;
    std::size_t most_operands = 0;
    bool changes = false; // takes --dry-run
    Result<Answer> (*run)(World &world, const Arguments &arguments) = nullptr;
};

const std::vector<Verb> &all_verbs();

// The words that lead to verbs, for suggestions: "export add", "list".
std::vector<std::string> verb_words();

} // namespace causeway
