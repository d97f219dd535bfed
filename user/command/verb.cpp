// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/verb.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <tuple>

namespace causeway {

namespace {

// The head of the list of rows. Initialised before any constructor of another file runs.
constinit const VerbRows *first_rows = nullptr;

} // namespace

VerbRows::VerbRows(Section section, int place, Make make) noexcept
    : section_(section), place_(place), make_(make), next_(first_rows) {
    first_rows = this;
}

std::vector<const VerbRows *> VerbRows::all() {
    std::vector<const VerbRows *> found;
    for (const VerbRows *rows = first_rows; rows != nullptr; rows = rows->next_) {
        found.push_back(rows);
    }
    std::stable_sort(found.begin(), found.end(), [](const VerbRows *left, const VerbRows *right) {
        return std::tie(left->section_, left->place_) < std::tie(right->section_, right->place_);
    });
    return found;
}

std::vector<Verb> VerbRows::verbs() const {
    std::vector<Verb> verbs = make_();
    for (Verb &verb : verbs) {
        verb.section = section_;
    }
    return verbs;
}

const std::vector<Verb> &all_verbs() {
    static const std::vector<Verb> verbs = [] {
        std::vector<Verb> all;
        for (const VerbRows *rows : VerbRows::all()) {
            const std::vector<Verb> more = rows->verbs();
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }();
    return verbs;
}

std::vector<std::string> verb_words() {
    std::vector<std::string> words;
    for (const Verb &verb : all_verbs()) {
        if (!verb.hidden) {
            words.emplace_back(verb.words);
        }
    }
    return words;
}

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
