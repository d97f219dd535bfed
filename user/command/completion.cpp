// SPDX-License-Identifier: GPL-2.0-or-later
// The name of an operand or value in the rows of verbs determines its completion: "rxe|siw" are
// words to choose from; NETDEV and similar names have a source that a feature registers.
#include "command/completion.h"

#include "command/verb.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

using Names = std::vector<std::string>;

// The head of the list of sources. Initialised before any constructor of another file runs.
constinit const CompletionSource *first_source = nullptr;

/* ---- operands in the rows of verbs ---- */

bool is_choice(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

// Removes the brackets of "[unlimited|SIZE]" and the dots of "DIR...".
std::string bare(std::string name) {
    if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
        name = name.substr(1, name.size() - 2);
    }
    if (name.size() > 3 && name.substr(name.size() - 3) == "...") {
        name.erase(name.size() - 3);
    }
    return name;
}

// Returns the names before the first "|", as in "SERVER/NAME | --all".
Names operand_names(const Verb &verb) {
    std::istringstream stream{std::string(verb.operands)};
    Names names;
    for (std::string word; stream >> word && word != "|";) {
        names.push_back(bare(word));
    }
    return names;
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

void add(Completion &completion, const std::string &typed, std::string word, std::string help) {
    if (!starts_with(word, typed)) {
        return;
    }
    const auto &there = completion.candidates;
    if (std::none_of(there.begin(), there.end(),
                     [&](const Candidate &each) { return each.word == word; })) {
        completion.candidates.push_back({std::move(word), std::move(help)});
    }
}

// Returns the source of the name. If there are several, the one with the longest matching verb.
const CompletionSource *source_of(const Verb &verb, const std::string &name) {
    const CompletionSource *found = nullptr;
    for (const CompletionSource *each = first_source; each != nullptr; each = each->next()) {
        const bool fits = each->name() == name && starts_with(verb.words, each->verb());
        if (fits && (found == nullptr || each->verb().size() > found->verb().size())) {
            found = each;
        }
    }
    return found;
}

// Adds the completions of this name. `before` is typed already, such as "--mode=". In
// "datagram|INTERFACE" each part has its own completions, unless the whole name has a source.
void add_values(World &world, const Verb &verb, const std::string &name, const std::string &typed,
                const std::string &before, Completion &completion) {
    std::istringstream stream(name);
    const bool whole = source_of(verb, name) != nullptr;
    for (std::string part; std::getline(stream, part, whole ? '\0' : '|');) {
        if (const CompletionSource *source = source_of(verb, part)) {
            completion.files = std::max(completion.files, source->files());
            for (const std::string &each : source->names(world)) {
                add(completion, typed, before + each, "");
            }
        } else if (is_choice(part)) {
            add(completion, typed, before + part, "");
        }
    }
}

/* ---- the position of the last word ---- */

void add_verbs(const Names &typed, Completion &completion) {
    for (const Verb &verb : all_verbs()) {
        const auto words = words_of(verb);
        const bool leads = !verb.hidden && words.size() >= typed.size() &&
                           std::equal(typed.begin(), typed.end() - 1, words.begin());
        if (leads) {
            const bool ends = words.size() == typed.size();
            add(completion, typed.back(), words[typed.size() - 1],
                ends ? std::string(verb.summary) : std::string());
        }
    }
}

// Prefers the verb with the most words: "fabric hosts" to "fabric".
const Verb *find_verb(const Names &typed) {
    const Verb *found = nullptr;
    for (const Verb &verb : all_verbs()) {
        const auto words = words_of(verb);
        const bool longer = found == nullptr || words.size() > words_of(*found).size();
        if (!verb.hidden && longer && typed.size() > words.size() &&
            std::equal(words.begin(), words.end(), typed.begin())) {
            found = &verb;
        }
    }
    return found;
}

const OptionSpec *option_of(const std::vector<OptionSpec> &options, const std::string &word) {
    for (const OptionSpec &option : options) {
        const std::string letter = std::string("-") + option.letter;
        if (word == "--" + std::string(option.name) || (option.letter != 0 && word == letter)) {
            return &option;
        }
    }
    return nullptr;
}

void add_options(const std::vector<OptionSpec> &options, const Names &words,
                 Completion &completion) {
    for (const OptionSpec &option : options) {
        const std::string written = "--" + std::string(option.name);
        const bool given = std::find(words.begin(), words.end() - 1, written) != words.end() - 1;
        if (!option.hidden && (!given || option.repeats)) {
            add(completion, words.back(), written, std::string(option.help));
        }
    }
    add(completion, words.back(), "--json", "answer as JSON");
    add(completion, words.back(), "--verbose", "print what the command does");
}

// @words are those after the verb. The last one is being typed.
Completion complete_arguments(World &world, const Verb &verb, const Names &words) {
    Completion completion;
    const auto options = options_of(verb);
    const std::string &last = words.back();
    const OptionSpec *open = nullptr; // the option that can take the next word as a value
    bool needs_value = false;
    std::size_t operands = 0;
    for (std::size_t i = 0; i + 1 < words.size(); i++) {
        if (starts_with(words[i], "-")) {
            open = option_of(options, words[i]);
            open = open != nullptr && !open->value.empty() ? open : nullptr;
            needs_value = open != nullptr;
        } else if (open != nullptr) {
            needs_value = false;
            open = open->repeats ? open : nullptr;
        } else {
            operands++;
        }
    }
    if (needs_value) {
        add_values(world, verb, bare(std::string(open->value)), last, "", completion);
        return completion;
    }
    if (const std::size_t equals = last.find('=');
        starts_with(last, "--") && equals != std::string::npos) {
        if (const OptionSpec *option = option_of(options, last.substr(0, equals))) {
            add_values(world, verb, bare(std::string(option->value)), last,
                       last.substr(0, equals + 1), completion);
        }
        return completion;
    }
    if (starts_with(last, "-")) {
        add_options(options, words, completion);
        return completion;
    }
    if (open != nullptr) {
        add_values(world, verb, bare(std::string(open->value)), last, "", completion);
    }
    const Names names = operand_names(verb);
    if (!names.empty() && operands < verb.most_operands) {
        add_values(world, verb, names[std::min(operands, names.size() - 1)], last, "", completion);
    }
    if (completion.candidates.empty() && completion.files == FileKind::none) {
        add_options(options, words, completion);
    }
    return completion;
}

} // namespace

CompletionSource::CompletionSource(std::string_view verb, std::string_view name, Look look) noexcept
    : verb_(verb), name_(name), look_(look), next_(first_source) {
    first_source = this;
}

CompletionSource::CompletionSource(std::string_view name, FileKind files,
                                   std::string_view verb) noexcept
    : verb_(verb), name_(name), files_(files), next_(first_source) {
    first_source = this;
}

Completion complete(World &world, const std::vector<std::string> &words) {
    Completion completion;
    Names typed = words;
    if (typed.empty()) {
        typed.emplace_back();
    }
    // These can be anywhere on the line.
    for (const char *option : {"--json", "--verbose", "-v"}) {
        typed.erase(std::remove(typed.begin(), typed.end() - 1, option), typed.end() - 1);
    }
    if (typed.size() > 1 && typed.front() == "help" && !starts_with(typed.back(), "-")) {
        add_verbs(Names(typed.begin() + 1, typed.end()), completion);
        return completion;
    }
    if (const Verb *verb = find_verb(typed)) {
        const auto count = static_cast<std::ptrdiff_t>(words_of(*verb).size());
        completion = complete_arguments(world, *verb, Names(typed.begin() + count, typed.end()));
    }
    add_verbs(typed, completion);
    if (typed.size() == 1 && starts_with(typed.back(), "-")) {
        for (const char *option : {"--help", "--version", "--json", "--verbose"}) {
            add(completion, typed.back(), option, "");
        }
    }
    return completion;
}

} // namespace causeway
