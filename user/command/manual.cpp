// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/manual.h"

#include "command/section.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <sstream>

namespace causeway {

namespace {

// Escapes characters that scdoc would interpret.
std::string plain(std::string_view text) {
    constexpr std::string_view special = "\\*_`#[]|<>~.-+";
    std::string escaped;
    for (const char c : text) {
        escaped += special.find(c) == std::string_view::npos ? "" : "\\";
        escaped += c;
    }
    return escaped;
}

// Returns the text with a capital letter and a full stop, which the rows of verbs do not have.
std::string sentence(std::string_view text) {
    std::string whole = plain(text);
    whole.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(whole.front())));
    return whole + ".";
}

// Underlines names in capitals, which the user replaces. All other words are shown as they are
// typed.
std::string operands(std::string_view text) {
    std::istringstream stream{std::string(text)};
    std::string shown;
    for (std::string word; stream >> word;) {
        const bool name =
            std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
        shown += fmt::format(" {0}{1}{0}", word == "|" ? "" : name ? "_" : "*", plain(word));
    }
    return shown;
}

std::string option_line(const OptionSpec &option) {
    std::string line = option.letter == 0 ? "" : fmt::format("*\\-{}*, ", option.letter);
    line += fmt::format("*{}*", plain("--" + std::string(option.name)));
    return option.value.empty() ? line : line + operands(option.value);
}

std::string explain(const Verb &verb) {
    std::string text = fmt::format("*causeway {}*{}\n\t{}\n\n", plain(verb.words),
                                   operands(verb.operands), sentence(verb.summary));
    for (const OptionSpec &option : verb.options) {
        if (!option.hidden) {
            text += fmt::format("\t{}\n\t\t{}\n\n", option_line(option), sentence(option.help));
        }
    }
    return text;
}

} // namespace

Result<std::string> fill_manual(const std::string &page) {
    std::set<std::string_view> left;
    for (const SectionTitle &section : section_titles) {
        left.insert(section.name);
    }
    std::istringstream stream(page);
    std::string filled;
    for (std::string line; std::getline(stream, line);) {
        if (line.size() < 3 || line.front() != '@' || line.back() != '@') {
            filled += line + "\n";
            continue;
        }
        const std::string name = line.substr(1, line.size() - 2);
        if (left.erase(name) == 0) {
            return Error{ExitCode::usage,
                         fmt::format("there is no section '{}', or it is there twice", name),
                         fmt::format("left are: {}", fmt::join(left, " "))};
        }
        const auto section =
            std::find_if(section_titles.begin(), section_titles.end(),
                         [&](const SectionTitle &each) { return each.name == name; });
        for (const Verb *verb : verbs_in(section->section)) {
            filled += explain(*verb);
        }
    }
    if (!left.empty()) {
        return Error{ExitCode::usage, fmt::format("the page leaves out: {}", fmt::join(left, " ")),
                     fmt::format("add a line @{}@", *left.begin())};
    }
    return filled;
}

} // namespace causeway
