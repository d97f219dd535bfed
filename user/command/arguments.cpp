// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/arguments.h"

#include "base/nearest.h"
#include "base/units.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <iterator>

namespace causeway {

namespace po = boost::program_options;

namespace {

constexpr const char *operand_option = "causeway-operands";

po::options_description describe(const std::vector<OptionSpec> &options) {
    po::options_description description;
    for (const OptionSpec &option : options) {
        std::string name(option.name);
        if (option.letter != 0) {
            name += std::string(",") + option.letter;
        }
        if (option.value.empty()) {
            description.add_options()(name.c_str(),
                                      po::value<std::vector<std::string>>()->zero_tokens());
            continue;
        }
        auto *value = po::value<std::vector<std::string>>()->composing();
        if (option.repeats) {
            value->multitoken();
        }
        description.add_options()(name.c_str(), value);
    }
    description.add_options()(operand_option, po::value<std::vector<std::string>>());
    return description;
}

Error unknown_option(const std::string &typed, const std::vector<OptionSpec> &options,
                     std::string_view help) {
    std::vector<std::string> known;
    for (const OptionSpec &option : options) {
        if (!option.hidden) {
            known.push_back("--" + std::string(option.name));
        }
    }
    const auto close = nearest(typed, known);
    return Error{ExitCode::usage, fmt::format("the option {} is unknown here", typed),
                 close ? fmt::format("did you mean {}?", *close) : fmt::format("see: {}", help)};
}

const OptionSpec *find_option(const std::vector<OptionSpec> &options, std::string_view name) {
    for (const OptionSpec &option : options) {
        if (option.name == name) {
            return &option;
        }
    }
    return nullptr;
}

// Returns the option that the word names, such as "--queues" or "-o", if the next word is its
// value. Else returns null.
const OptionSpec *waits_for_value(const std::vector<OptionSpec> &options, std::string_view word) {
    const OptionSpec *option = nullptr;
    if (word.substr(0, 2) == "--") {
        option = find_option(options, word.substr(2));
    } else if (word.size() == 2 && word.front() == '-') {
        const auto found = std::find_if(options.begin(), options.end(),
                                        [&](const auto &each) { return each.letter == word[1]; });
        option = found == options.end() ? nullptr : &*found;
    }
    return option == nullptr || option->value.empty() ? nullptr : option;
}

bool starts_like_an_option(std::string_view word) {
    return word.size() > 1 && word[0] == '-';
}

Error no_value(const OptionSpec &option, const std::string &word) {
    return Error{ExitCode::usage,
                 fmt::format("the option --{} needs a value, and {} starts like an option",
                             option.name, word),
                 fmt::format("write --{} {}", option.name, option.value)};
}

Result<po::variables_map> store(const std::vector<OptionSpec> &options,
                                const std::vector<std::string> &words, std::string_view help) {
    const po::options_description description = describe(options);
    po::positional_options_description operands;
    operands.add(operand_option, -1);
    // No abbreviations: one that is unique today could mean another option tomorrow.
    const int style =
        po::command_line_style::allow_long | po::command_line_style::long_allow_adjacent |
        po::command_line_style::long_allow_next | po::command_line_style::allow_short |
        po::command_line_style::allow_dash_for_short | po::command_line_style::short_allow_next |
        po::command_line_style::short_allow_adjacent;
    po::variables_map found;
    try {
        po::store(po::command_line_parser(words)
                      .options(description)
                      .positional(operands)
                      .style(style)
                      .run(),
                  found);
    } catch (const po::unknown_option &refused) {
        return unknown_option(refused.get_option_name(), options, help);
    } catch (const po::error_with_option_name &refused) {
        const std::string name = refused.get_option_name();
        const OptionSpec *option = find_option(options, name.substr(name.find_first_not_of('-')));
        if (option != nullptr && !option->value.empty()) {
            return Error{ExitCode::usage,
                         fmt::format("the option --{} needs a value", option->name),
                         fmt::format("write --{} {}", option->name, option->value)};
        }
        return Error{ExitCode::usage, fmt::format("the option {} takes no value", name),
                     fmt::format("see: {}", help)};
    } catch (const po::error &refused) {
        return Error{ExitCode::usage, refused.what(), fmt::format("see: {}", help)};
    }
    return found;
}

} // namespace

Result<Arguments> parse_arguments(const std::vector<OptionSpec> &options,
                                  const std::vector<std::string> &words, std::string_view help,
                                  std::vector<std::string> verbatim) {
    for (std::size_t i = 0; i < words.size(); i++) {
        const std::string &word = words[i];
        // If the user forgot a value, the next option must not become the value: it may be
        // --dry-run.
        const OptionSpec *before = i == 0 ? nullptr : waits_for_value(options, words[i - 1]);
        if (before != nullptr && starts_like_an_option(word)) {
            return no_value(*before, word);
        }
        const bool is_short = word.size() > 1 && word.front() == '-' && word[1] != '-';
        const bool known =
            is_short && std::any_of(options.begin(), options.end(), [&](const OptionSpec &option) {
                return option.letter == word[1];
            });
        if (is_short && !known) {
            return unknown_option(word, options, help);
        }
    }
    auto found = TRY(store(options, words, help));
    Arguments arguments;
    for (const auto &[name, value] : found) {
        auto values = value.as<std::vector<std::string>>();
        if (name == operand_option) {
            arguments.operands_ = std::move(values);
            continue;
        }
        const OptionSpec *option = find_option(options, name);
        if (option != nullptr && !option->value.empty() && !option->repeats && values.size() > 1) {
            return Error{ExitCode::usage,
                         fmt::format("the option --{} is given {} times", name, values.size()),
                         "give it once"};
        }
        arguments.values_.emplace(name, std::move(values));
    }
    arguments.operands_.insert(arguments.operands_.end(), std::make_move_iterator(verbatim.begin()),
                               std::make_move_iterator(verbatim.end()));
    return arguments;
}

std::optional<std::string> Arguments::text(std::string_view option) const {
    const auto found = values_.find(option);
    if (found == values_.end() || found->second.empty()) {
        return std::nullopt;
    }
    return found->second.front();
}

std::vector<std::string> Arguments::list(std::string_view option) const {
    std::vector<std::string> words;
    const auto found = values_.find(option);
    if (found == values_.end()) {
        return words;
    }
    for (const std::string &value : found->second) {
        std::size_t start = 0;
        for (;;) {
            const std::size_t comma = value.find(',', start);
            words.push_back(value.substr(start, comma - start));
            if (comma == std::string::npos) {
                break;
            }
            start = comma + 1;
        }
    }
    return words;
}

Result<std::optional<std::uint64_t>> Arguments::number(std::string_view option, std::uint64_t least,
                                                       std::uint64_t most) const {
    const auto typed = text(option);
    if (!typed) {
        return std::optional<std::uint64_t>();
    }
    auto number = TRY(parse_number(fmt::format("--{}", option), *typed, least, most));
    return std::optional(number);
}

} // namespace causeway
