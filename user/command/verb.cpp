// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/verb.h"

#include <fmt/format.h>
#include <sstream>

namespace causeway {

std::vector<std::string> words_of(const Verb &verb) {
    std::istringstream stream{std::string(verb.words)};
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::vector<OptionSpec> options_of(const Verb &verb) {
    std::vector<OptionSpec> options = verb.options;
    if (verb.changes) {
        options.push_back({"dry-run", "", "show what would change and change nothing"});
    }
    options.push_back({"help", "", "explain this verb"});
    return options;
}

std::string option_text(const OptionSpec &option) {
    const std::string letter =
        option.letter == 0 ? "" : fmt::format("-{}, ", std::string(1, option.letter));
    return option.value.empty() ? fmt::format("{}--{}", letter, option.name)
                                : fmt::format("{}--{} {}", letter, option.name, option.value);
}

} // namespace causeway
