// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/help.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

std::string option_text(const OptionSpec &option) {
    const std::string letter =
        option.letter == 0 ? "" : fmt::format("-{}, ", std::string(1, option.letter));
    return option.value.empty() ? fmt::format("{}--{}", letter, option.name)
                                : fmt::format("{}--{} {}", letter, option.name, option.value);
}

std::string synopsis(const Verb &verb) {
    std::string text = fmt::format("causeway {}", verb.words);
    if (!verb.operands.empty()) {
        text += fmt::format(" {}", verb.operands);
    }
    return text;
}

} // namespace

std::string overview() {
    std::size_t width = 0;
    for (const Verb &verb : all_verbs()) {
        width = std::max(width, synopsis(verb).size());
    }
    std::string text = "Disks and files between Linux machines over RDMA.\n\n";
    for (const Verb &verb : all_verbs()) {
        text += fmt::format("  {:<{}}  {}\n", synopsis(verb), width, verb.summary);
    }
    text += "\nAll take --json; those that change something take --dry-run.\n"
            "causeway help VERB, or causeway VERB --help, explains one of them.\n";
    return text;
}

Answer verb_help(const Verb &verb) {
    Answer answer;
    answer.text = fmt::format("{}\n  {}\n", synopsis(verb), verb.summary);
    answer.json["verb"] = verb.words;
    answer.json["operands"] = verb.operands;
    answer.json["summary"] = verb.summary;
    answer.json["options"] = Json::array();
    std::vector<OptionSpec> options = verb.options;
    if (verb.changes) {
        options.push_back({"dry-run", "", "show what would change and change nothing"});
    }
    options.push_back({"json", "", "answer as JSON"});
    std::size_t width = 0;
    for (const OptionSpec &option : options) {
        width = std::max(width, option_text(option).size());
    }
    answer.text += "\n";
    for (const OptionSpec &option : options) {
        if (option.hidden) {
            continue;
        }
        answer.text += fmt::format("  {:<{}}  {}\n", option_text(option), width, option.help);
        answer.json["options"].push_back(
            {{"name", option.name}, {"value", option.value}, {"help", option.help}});
    }
    return answer;
}

} // namespace causeway
