// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/dispatch.h"

#include "base/nearest.h"
#include "command/help.h"
#include "command/suggestion.h"
#include "command/verb.h"
#include "show/progress.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace causeway {

namespace {

constexpr std::string_view program = "causeway";

void print_text(World &world, const Answer &answer) {
    world.out << answer.text;
    for (const std::string &warning : answer.warnings) {
        world.err << program << ": " << warning << "\n";
    }
}

void print_json(World &world, const Answer &answer) {
    Json whole{{"schema", json_schema}};
    whole.update(answer.json);
    if (!answer.warnings.empty()) {
        whole["warnings"] = answer.warnings;
    }
    world.out << whole.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

int finish(World &world, const Result<Answer> &result) {
    if (result) {
        if (!result->printed) {
            world.json ? print_json(world, *result) : print_text(world, *result);
        }
        world.out.flush();
        return static_cast<int>(result->code);
    }
    const Error &error = result.error();
    if (world.json) {
        Answer answer;
        answer.json["error"] = {{"what", error.what},
                                {"fix", error.fix},
                                {"exit", static_cast<int>(error.code)},
                                {"errno", error.system_error}};
        print_json(world, answer);
        world.out.flush();
    } else {
        world.err << program << ": " << error.what << "\n";
        if (!error.fix.empty()) {
            world.err << "  " << error.fix << "\n";
        }
    }
    return static_cast<int>(error.code);
}

Error unknown_verb(const std::vector<std::string> &typed) {
    const Suggestion suggestion = suggest_verb(typed);
    std::string advice = fmt::format("see: {} help", program);
    if (!suggestion.meant.empty()) {
        advice = fmt::format("did you mean: {} {}", program,
                             fmt::join(suggestion.meant, fmt::format(" or {} ", program)));
    } else if (!suggestion.undone.empty()) {
        advice = fmt::format(
            "to take \"{0} {1}\" back, find its number: {0} undo --list; then: {0} undo N", program,
            suggestion.undone);
    } else if (!suggestion.start.empty()) {
        advice = fmt::format("give {} and then {}", suggestion.start,
                             fmt::join(suggestion.next, " or "));
    }
    return Error{ExitCode::usage, fmt::format("the verb '{}' is unknown", suggestion.unknown),
                 advice};
}

std::string help_of(const Verb &verb) {
    return fmt::format("{} {} --help", program, verb.words);
}

// Returns the verb at the start of the command line, and removes its words. "attach set" is longer
// than "attach", and is preferred.
Result<const Verb *> take_verb(std::vector<std::string> &words) {
    const Verb *found = nullptr;
    std::size_t length = 0;
    for (const Verb &verb : all_verbs()) {
        const auto wanted = words_of(verb);
        if (words.size() >= wanted.size() && wanted.size() > length &&
            std::equal(wanted.begin(), wanted.end(), words.begin())) {
            found = &verb;
            length = wanted.size();
        }
    }
    if (found != nullptr) {
        words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
        return found;
    }
    // The words may be the common start of several verbs: "export" or "nfs rule".
    const auto stop = std::find_if(words.begin(), words.end(), [](const std::string &word) {
        return word.substr(0, 1) == "-";
    });
    const std::vector<std::string> typed(words.begin(), stop);
    std::vector<std::string> next;
    for (const Verb &verb : all_verbs()) {
        const auto wanted = words_of(verb);
        if (!verb.hidden && wanted.size() > typed.size() &&
            std::equal(typed.begin(), typed.end(), wanted.begin()) &&
            std::find(next.begin(), next.end(), wanted[typed.size()]) == next.end()) {
            next.push_back(wanted[typed.size()]);
        }
    }
    const std::string start = fmt::format("{}", fmt::join(typed, " "));
    if (typed.empty() && !words.empty()) {
        const auto close =
            nearest(words.front(), {"--json", "--root", "--verbose", "--help", "--version"});
        return Error{ExitCode::usage,
                     fmt::format("the option {} is unknown before a verb", words.front()),
                     close ? fmt::format("did you mean {}?", *close)
                           : fmt::format("give the verb first; see: {} help", program)};
    }
    if (!next.empty()) {
        return Error{ExitCode::usage, fmt::format("'{}' needs to know what to do", start),
                     fmt::format("give {} and then {}", start, fmt::join(next, " or "))};
    }
    return unknown_verb(typed);
}

bool begins_a_command(const std::string &word) {
    return word == "--" || word.substr(0, 1) != "-";
}

// Returns true if the words are a verb that runs another command, possibly with options of the
// verb.
bool is_verbatim(const std::vector<std::string> &words) {
    return std::any_of(all_verbs().begin(), all_verbs().end(), [&](const Verb &verb) {
        const auto wanted = words_of(verb);
        return verb.verbatim && words.size() >= wanted.size() &&
               std::equal(wanted.begin(), wanted.end(), words.begin());
    });
}

// Returns how many words after the verb belong to the verb: all, unless the verb runs another
// command. Options before that command are switches.
std::size_t own_words(const Verb &verb, const std::vector<std::string> &words) {
    const auto end =
        !verb.verbatim ? words.end() : std::find_if(words.begin(), words.end(), begins_a_command);
    return static_cast<std::size_t>(end - words.begin());
}

// If the user forgot the folder, the next option must not become the folder: it may be --dry-run.
bool is_folder(const std::string &word) {
    return !word.empty() && word.front() != '-';
}

// Returns true if take_global_options() left a --root, which then has no folder. A --root that
// belongs to another command does not count.
bool lacks_root(const std::vector<std::string> &words) {
    for (std::size_t i = 0; i < words.size(); i++) {
        if (words[i] == "--root") {
            return true;
        }
        if (begins_a_command(words[i]) &&
            is_verbatim({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i)})) {
            return false;
        }
    }
    return false;
}

} // namespace

Result<ParsedCommand> parse_command(std::vector<std::string> words) {
    auto taken = TRY(take_verb(words));
    const Verb &verb = *taken;
    const std::size_t own = own_words(verb, words);
    std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(own), words.end());
    if (verb.verbatim && !rest.empty() && rest.front() == "--") {
        rest.erase(rest.begin());
    }
    words.resize(own);
    auto arguments = TRY(parse_arguments(options_of(verb), words, help_of(verb), std::move(rest)));
    return ParsedCommand{&verb, std::move(arguments)};
}

Result<void> check_operands(const ParsedCommand &command) {
    const Verb &verb = *command.verb;
    const auto &operands = command.arguments.operands();
    if (operands.size() < verb.least_operands) {
        return Error{ExitCode::usage,
                     fmt::format("{} {} needs {}", program, verb.words, verb.operands),
                     fmt::format("see: {}", help_of(verb))};
    }
    if (operands.size() > verb.most_operands) {
        return Error{ExitCode::usage,
                     fmt::format("'{}' is one argument too many for {} {}",
                                 operands[verb.most_operands], program, verb.words),
                     fmt::format("see: {}", help_of(verb))};
    }
    return {};
}

namespace {

bool has_word(const std::string &text, const std::string &word) {
    const auto is_inside = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.' || c == '/';
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_inside(text[at - 1])) &&
            (end == text.size() || !is_inside(text[end]))) {
            return true;
        }
    }
    return false;
}

// The last of several words after an option that takes several values.
struct LastValue {
    std::string word; // empty: there is none
    std::string option;
};

LastValue last_value_in(const std::vector<OptionSpec> &options,
                        const std::vector<std::string> &words) {
    LastValue last;
    const OptionSpec *option = nullptr;
    std::size_t values = 0;
    for (const std::string &word : words) {
        if (word.substr(0, 1) == "-") {
            const std::string name = word.substr(0, word.find('='));
            const auto found =
                std::find_if(options.begin(), options.end(), [&](const OptionSpec &each) {
                    return each.repeats &&
                           (name == "--" + std::string(each.name) ||
                            (each.letter != 0 && name == std::string("-") + each.letter));
                });
            option = found == options.end() ? nullptr : &*found;
            values = name.size() == word.size() ? 0 : 1;
        } else if (option != nullptr && ++values > 1) {
            last = {word, std::string(option->name)};
        }
    }
    return last;
}

// Returns true if the word has the form of this alternative in Verb::operands: "none", "SIZE",
// "PRIORITY", "SERVER/NAME". @names: any word has the form of a name.
bool fits_operand(std::string_view form, const std::string &word, bool names) {
    const bool is_literal = std::none_of(form.begin(), form.end(),
                                         [](unsigned char c) { return std::isupper(c) != 0; });
    if (is_literal) {
        return word == form;
    }
    constexpr std::string_view digits = "0123456789";
    if (form == "SIZE") {
        return digits.find(word.front()) != std::string_view::npos;
    }
    if (form == "PRIORITY" || form == "TOS" || form == "N") {
        return word.find_first_not_of(digits) == std::string::npos;
    }
    if (form.find('/') != std::string_view::npos) {
        return word.find('/') != std::string::npos;
    }
    return names;
}

// Returns true if the word has the form of an operand that is not given: "[PRIORITY...|none]".
bool may_be_operand(const Verb &verb, std::size_t given, const std::string &word) {
    std::string_view rest = verb.operands;
    for (std::size_t place = 0; !rest.empty(); place++) {
        std::string_view operand = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), operand.size() + 1));
        const bool repeats = operand.find("...") != std::string_view::npos;
        if (place < given && !repeats) {
            continue;
        }
        while (!operand.empty()) {
            operand.remove_prefix(std::min(operand.size(), operand.find_first_not_of("[|")));
            const std::string_view form = operand.substr(0, operand.find_first_of("].|"));
            operand.remove_prefix(std::min(operand.size(), operand.find_first_of("].|")));
            operand.remove_prefix(std::min(operand.size(), operand.find_first_not_of("].")));
            if (!form.empty() && fits_operand(form, word, place >= given)) {
                return true;
            }
        }
    }
    return false;
}

// An option with several values takes all words after it. Adds to the error that it took a word
// which the user may have meant as an operand: an operand is lacking, or the error is about the
// word, and the word has the form of an operand.
Error with_taken_word(Error error, const ParsedCommand &command,
                      const std::vector<std::string> &words) {
    const Verb &verb = *command.verb;
    const auto [word, option] = last_value_in(options_of(verb), words);
    const std::size_t operands = command.arguments.operands().size();
    const bool lacks = operands < verb.least_operands;
    if (word.empty() || operands >= verb.most_operands ||
        (!lacks && !(has_word(error.what, word) && may_be_operand(verb, operands, word)))) {
        return error;
    }
    error.fix = fmt::format("{} was taken as a value of --{}: give operands before the options{}{}",
                            word, option, error.fix.empty() ? "" : "; ", error.fix);
    return error;
}

} // namespace

Result<Answer> answer_command(World &world, std::vector<std::string> words) {
    const auto typed = words;
    auto command = TRY(parse_command(std::move(words)));
    if (command.arguments.has("help")) {
        return verb_help(*command.verb);
    }
    if (auto good = check_operands(command); !good) {
        return with_taken_word(good.error(), command, typed);
    }
    const Verb &verb = *command.verb;
    std::optional<Progress> progress;
    if (!verb.hidden) { // programs call those
        progress.emplace(world, std::string(verb.words));
    }
    auto answer = verb.run(world, command.arguments);
    if (!answer) {
        return with_taken_word(answer.error(), command, typed);
    }
    return answer;
}

GlobalOptions take_global_options(std::vector<std::string> &words) {
    GlobalOptions options;
    std::vector<std::string> left;
    for (std::size_t i = 0; i < words.size(); i++) {
        if (begins_a_command(words[i]) && is_verbatim(left)) {
            left.insert(left.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
            break;
        }
        if (words[i] == "--json") {
            options.json = true;
        } else if (words[i] == "--verbose" || words[i] == "-v") {
            options.verbose = true;
        } else if (words[i] == "--root" && i + 1 < words.size() && is_folder(words[i + 1])) {
            options.root = words[++i];
        } else {
            left.push_back(words[i]);
        }
    }
    words = std::move(left);
    return options;
}

int run_command(World &world, std::vector<std::string> words) {
    if (words.empty()) {
        if (!world.json) {
            world.err << overview() << "\n";
        }
        return finish(world, Error{ExitCode::usage, "no verb is given",
                                   "give one of those that causeway help shows"});
    }
    if (lacks_root(words)) {
        return finish(
            world, Error{ExitCode::usage, "the option --root needs a folder", "write --root DIR"});
    }
    if (words.front() == "--help" || words.front() == "-h") {
        words.front() = "help";
    } else if (words.front() == "--version") {
        words.front() = "version";
    }
    return finish(world, answer_command(world, std::move(words)));
}

} // namespace causeway
