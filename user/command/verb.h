// SPDX-License-Identifier: GPL-2.0-or-later
// A verb of the command line: its words, its options, and the function behind it.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "command/arguments.h"
#include "machine/world.h"

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
    bool hidden = false;   // for programs: no help, no completion
    bool verbatim = false; // all from its first operand on belongs to another command
};

const std::vector<Verb> &all_verbs();

// Its words, one by one.
std::vector<std::string> words_of(const Verb &verb);

// Its own options and those that every verb has. One that is hidden is among them.
std::vector<OptionSpec> options_of(const Verb &verb);

// How an option is written: "-o, --options OPTIONS".
std::string option_text(const OptionSpec &option);

// The words that lead to verbs, for suggestions: "export add", "list". None that is hidden.
std::vector<std::string> verb_words();

} // namespace causeway
