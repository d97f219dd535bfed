// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/help.h"

#include "command/section.h"
#include "show/columns.h"

#include <fmt/format.h>

namespace causeway {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t widest_synopsis = 28;
constexpr std::size_t widest_option = 26;

std::string synopsis(const Verb &verb) {
    return verb.operands.empty() ? std::string(verb.words)
                                 : fmt::format("{} {}", verb.words, verb.operands);
}

} // namespace

std::string overview() {
    std::string text = "usage: causeway VERB [OPTION...]\n\n"
                       "Disks and files between Linux machines over RDMA.\n";
    for (const SectionTitle &section : section_titles) {
        Pairs lines;
        for (const Verb *verb : verbs_in(section.section)) {
            lines.emplace_back(synopsis(*verb), verb->summary);
        }
        if (!lines.empty()) {
            text += fmt::format("\n{}\n", section.title) + two_columns(lines, widest_synopsis);
        }
    }
    text += "\nAll take --json, and -v to print what they do; those that change something take\n"
            "--dry-run.\n"
            "causeway help VERB, or causeway VERB --help, explains one of them;\n"
            "man causeway explains all.\n";
    return text;
}

Answer verb_help(const Verb &verb) {
    Answer answer;
    answer.text = fmt::format("causeway {}\n", synopsis(verb));
    for (const std::string &line : wrap(verb.summary, page_width - 2)) {
        answer.text += "  " + line + "\n";
    }
    answer.json["verb"] = verb.words;
    answer.json["operands"] = verb.operands;
    answer.json["summary"] = verb.summary;
    answer.json["section"] = section_name(verb.section);
    answer.json["options"] = Json::array();
    std::vector<OptionSpec> options = options_of(verb);
    // Replace "help", which the reader of the help knows.
    options.back() = {"json", "", "answer as JSON"};
    options.push_back(
        {"verbose", "", "print on standard error what the command does", false, false, 'v'});
    Pairs lines;
    for (const OptionSpec &option : options) {
        if (option.hidden) {
            continue;
        }
        lines.emplace_back(option_text(option), option.help);
        answer.json["options"].push_back(
            {{"name", option.name}, {"value", option.value}, {"help", option.help}});
    }
    answer.text += "\n" + two_columns(lines, widest_option);
    return answer;
}

} // namespace causeway
