// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/partitions.h"

#include "config/file_header.h"
#include "host/rate.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::size_t guid_digits = 16;
constexpr unsigned int pkey_bits = 0x7fff;

struct Code {
    unsigned int code;
    std::string text;
};
using Codes = std::vector<Code>;

// Returns the rates from the lowest to the highest.
const Codes &rates() {
    static const Codes codes = [] {
        auto sorted = rate_codes();
        std::sort(sorted.begin(), sorted.end(), [](const RateCode &one, const RateCode &other) {
            return one.gigabits < other.gigabits;
        });
        Codes all;
        for (const RateCode &each : sorted) {
            all.push_back({each.code, short_number(each.gigabits)});
        }
        return all;
    }();
    return codes;
}

const Codes &mtus() {
    static const Codes codes = {{1, "256"}, {2, "512"}, {3, "1024"}, {4, "2048"}, {5, "4096"}};
    return codes;
}

std::string text_of(const Codes &codes, unsigned int code) {
    const auto found = std::find_if(codes.begin(), codes.end(),
                                    [&](const Code &each) { return each.code == code; });
    return found == codes.end() ? std::string() : found->text;
}

Result<unsigned int> code_of(const Codes &codes, const std::string &text, std::string_view what,
                             std::string_view unit) {
    std::vector<std::string_view> all;
    for (const Code &each : codes) {
        if (each.text == text) {
            return each.code;
        }
        all.push_back(each.text);
    }
    return Error{ExitCode::usage, fmt::format("'{}' is no {} of InfiniBand", text, what),
                 fmt::format("give one of {} {}", fmt::join(all, ", "), unit)};
}

constexpr std::string_view blank = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blank);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

// Removes blanks around a word, or around both parts of "name = value".
std::string tight(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
        return std::string(trimmed(text));
    }
    return fmt::format("{}={}", trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)));
}

std::vector<std::string> split(std::string_view text, std::string_view marks) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(marks), text.size());
        if (std::string part = tight(text.substr(0, end)); !part.empty()) {
            parts.push_back(std::move(part));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::optional<std::uint16_t> read_pkey(std::string_view text) {
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    text.remove_prefix(hex ? 2 : 0);
    unsigned int number = 0;
    const auto [rest, failure] =
        std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
    if (failure != std::errc() || rest != text.data() + text.size() || number > 0xffff ||
        (number & pkey_bits) == 0) {
        return std::nullopt;
    }
    return static_cast<std::uint16_t>(number & pkey_bits);
}

class Parser {
  public:
    Parser(const std::string &source, std::string_view text) : source_(source) {
        // A comment ends with its line and can contain any character.
        bool comment = false;
        for (const char c : text) {
            comment = c == '\n' ? false : comment || c == '#';
            text_ += comment ? ' ' : c;
        }
    }

    Result<std::vector<PartitionRule>> run() {
        std::vector<PartitionRule> rules;
        std::size_t start = 0;
        while (text_.find_first_not_of(blank, start) != std::string::npos) {
            const std::size_t end = text_.find(';', start);
            if (end == std::string::npos) {
                return complaint(start, "a rule does not end with ';'");
            }
            const std::string_view statement = std::string_view(text_).substr(start, end - start);
            if (!trimmed(statement).empty()) {
                auto rule = TRY(rule_of(start, statement));
                rules.push_back(std::move(rule));
            }
            start = end + 1;
        }
        return rules;
    }

  private:
    Result<PartitionRule> rule_of(std::size_t start, std::string_view statement) const {
        const std::size_t colon = statement.find(':');
        PartitionRule rule;
        const auto words = split(statement.substr(0, colon), ",\n");
        if (words.empty()) {
            return complaint(start, "a rule has no partition before ':'");
        }
        const std::size_t equals = words.front().find('=');
        rule.name = words.front().substr(0, equals);
        if (equals != std::string::npos) {
            rule.pkey = read_pkey(std::string_view(words.front()).substr(equals + 1));
            if (!rule.pkey) {
                return complaint(
                    start, fmt::format("'{}' has no P_Key from 0x0001 to 0x7fff", words.front()));
            }
        }
        rule.flags.assign(words.begin() + 1, words.end());
        if (colon != std::string_view::npos) {
            rule.properties = properties_of(statement.substr(colon + 1));
        }
        return rule;
    }

    // A multicast group has commas of its own, and is alone on its line.
    static std::vector<std::string> properties_of(std::string_view text) {
        std::vector<std::string> properties;
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = trimmed(text.substr(0, end));
            if (line.substr(0, 5) == "mgid=") {
                properties.emplace_back(line);
            } else {
                for (std::string &part : split(line, ",")) {
                    properties.push_back(std::move(part));
                }
            }
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return properties;
    }

    Error complaint(std::size_t place, std::string_view what) const {
        const std::size_t first = std::min(text_.find_first_not_of(blank, place), text_.size());
        const auto line =
            std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(first), '\n') + 1;
        return Error{ExitCode::bad_config, fmt::format("{}:{}: {}", source_, line, what),
                     "see PARTITION CONFIGURATION in opensm(8)"};
    }

    const std::string &source_;
    std::string text_;
};

bool is_default(const PartitionRule &rule) {
    return rule.pkey == default_partition || (!rule.pkey && rule.name == "Default");
}

bool is_partition(const PartitionRule &rule, std::uint16_t pkey) {
    return rule.pkey == pkey || (pkey == default_partition && is_default(rule));
}

constexpr std::string_view membership_flag = "defmember";

std::string membership_of(const PartitionRule &rule) {
    for (const std::string &flag : rule.flags) {
        if (flag_key(flag) == membership_flag && flag.size() > membership_flag.size()) {
            return flag.substr(membership_flag.size() + 1);
        }
    }
    return "limited";
}

// Adds the flags that @flags lacks. A partition has several scopes, and one value of other flags.
void merge_flags(std::vector<std::string> &flags, const PartitionRule &rule) {
    for (const std::string &flag : rule.flags) {
        const bool there = std::any_of(flags.begin(), flags.end(), [&](const std::string &each) {
            return flag_key(flag) == "scope" ? each == flag : flag_key(each) == flag_key(flag);
        });
        if (!there && flag_key(flag) != membership_flag) {
            flags.push_back(flag);
        }
    }
}

} // namespace

std::string_view flag_key(std::string_view flag) {
    return flag.substr(0, flag.find('='));
}

Result<std::vector<PartitionRule>> parse_partitions(const std::string &source,
                                                    std::string_view text) {
    return Parser(source, text).run();
}

std::string partitions_text(const std::vector<PartitionRule> &rules) {
    std::string text = our_header("sm");
    for (const PartitionRule &rule : rules) {
        text += rule.name;
        text += rule.pkey ? fmt::format("=0x{:04x}", *rule.pkey) : "";
        for (const std::string &flag : rule.flags) {
            text += ", " + flag;
        }
        text += " :";
        bool comma = false;
        for (const std::string &property : rule.properties) {
            const bool group = property.substr(0, 5) == "mgid=";
            text += comma && !group ? ",\n    " : "\n    ";
            text += property;
            comma = !group;
        }
        text += " ;\n";
    }
    return text;
}

std::string canonical_member(const std::string &member, const std::string &standard) {
    const std::size_t equals = member.find('=');
    std::string who = member.substr(0, equals);
    const std::string how = equals == std::string::npos ? standard : member.substr(equals + 1);
    const bool hex = who.size() > 2 && who[0] == '0' && (who[1] == 'x' || who[1] == 'X');
    std::uint64_t guid = 0;
    const char *const start = who.data() + (hex ? 2 : 0);
    const auto [rest, failure] =
        std::from_chars(start, who.data() + who.size(), guid, hex ? 16 : 10);
    if (failure == std::errc() && rest == who.data() + who.size()) {
        who = fmt::format("0x{:016x}", guid);
    }
    return fmt::format("{}={}", who, how);
}

std::optional<PartitionRule> partition_of(const std::vector<PartitionRule> &rules,
                                          std::uint16_t pkey) {
    std::vector<PartitionRule> found;
    std::copy_if(rules.begin(), rules.end(), std::back_inserter(found),
                 [&](const PartitionRule &rule) { return is_partition(rule, pkey); });
    if (found.empty()) {
        return std::nullopt;
    }
    PartitionRule merged = found.front();
    merged.pkey = pkey;
    if (found.size() == 1) {
        return merged;
    }
    // The broadcast group has the flags of the rule that makes the group.
    std::stable_partition(found.begin(), found.end(), [](const PartitionRule &rule) {
        return std::find(rule.flags.begin(), rule.flags.end(), "ipoib") != rule.flags.end();
    });
    merged.flags.clear();
    for (const PartitionRule &rule : found) {
        merge_flags(merged.flags, rule);
    }
    merged.properties.clear();
    for (const PartitionRule &rule : rules) {
        if (!is_partition(rule, pkey)) {
            continue;
        }
        for (const std::string &property : rule.properties) {
            merged.properties.push_back(property.substr(0, 5) == "mgid="
                                            ? property
                                            : canonical_member(property, membership_of(rule)));
        }
    }
    return merged;
}

std::vector<PartitionRule> with_default(std::vector<PartitionRule> rules) {
    if (std::none_of(rules.begin(), rules.end(), is_default)) {
        rules.insert(rules.begin(), {"Default", default_partition, {"ipoib"}, {"ALL=full"}});
    }
    return rules;
}

std::vector<PartitionRule> with_partition(std::vector<PartitionRule> rules,
                                          const PartitionRule &rule) {
    const auto same = [&](const PartitionRule &each) {
        return rule.pkey ? is_partition(each, *rule.pkey) : each.pkey == rule.pkey;
    };
    const auto first = std::find_if(rules.begin(), rules.end(), same);
    if (first == rules.end()) {
        rules.push_back(rule);
    } else {
        *first = rule;
        rules.erase(std::remove_if(std::next(first), rules.end(), same), rules.end());
    }
    return with_default(std::move(rules));
}

std::vector<PartitionRule> without_partition(std::vector<PartitionRule> rules, std::uint16_t pkey) {
    rules.erase(std::remove_if(rules.begin(), rules.end(),
                               [&](const PartitionRule &each) { return each.pkey == pkey; }),
                rules.end());
    return with_default(std::move(rules));
}

Result<unsigned int> partition_rate_code(const std::string &text) {
    return code_of(rates(), text, "rate", "Gb/s");
}

Result<unsigned int> partition_mtu_code(const std::string &text) {
    return code_of(mtus(), text, "MTU", "bytes");
}

std::string partition_rate_text(unsigned int code) {
    return std::string(text_of(rates(), code));
}

std::string partition_mtu_text(unsigned int code) {
    return std::string(text_of(mtus(), code));
}

Result<std::string> canonical_guid(const std::string &text) {
    const bool prefixed = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    std::string digits;
    bool good = true;
    for (const char c : text.substr(prefixed ? 2 : 0)) {
        if (c == ':' && !prefixed) {
            continue;
        }
        good = good && std::isxdigit(static_cast<unsigned char>(c)) != 0;
        digits += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (!good || digits.size() != guid_digits ||
        digits.find_first_not_of('0') == std::string::npos) {
        return Error{ExitCode::usage, fmt::format("'{}' is no port GUID", text),
                     "give 16 hexadecimal digits, such as 0x0002c90300101234; \"causeway show\" "
                     "and ibstat -p have them"};
    }
    return "0x" + digits;
}

} // namespace causeway
