// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/partition_group.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::string_view mgid_start = "mgid=";
constexpr std::string_view link_scope = "2";

// The limits of the fields: IBA 15.2.5.17 (MCMemberRecord). opensm takes 0 for its default.
constexpr std::uint64_t most_scope = 14;
constexpr std::uint64_t most_sl = 15;
constexpr std::uint64_t most_qkey = 0xffffffff;
constexpr std::uint64_t most_tclass = 0xff;
constexpr std::uint64_t most_flow_label = 0xfffff;

struct FlagLimits {
    std::string_view option;
    std::string_view key;
    std::uint64_t least;
    std::uint64_t most;
    bool hex;
};
constexpr std::array<FlagLimits, 5> flag_limits{
    {{"scope", "scope", 1, most_scope, false},
     {"qkey", "Q_Key", 1, most_qkey, true},
     {"sl", "sl", 0, most_sl, false},
     {"tclass", "TClass", 0, most_tclass, false},
     {"flow-label", "FlowLabel", 0, most_flow_label, true}}};

// The scopes of multicast addresses: RFC 4291, 2.7.
struct MulticastScope {
    std::string_view word;
    std::uint64_t number;
};
constexpr std::array<MulticastScope, 4> scopes{
    {{"link", 2}, {"site", 5}, {"organization", 8}, {"global", 14}}};

std::optional<std::uint64_t> flag_number(std::string_view text) {
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    text.remove_prefix(hex ? 2 : 0);
    std::uint64_t number = 0;
    const auto [rest, failure] =
        std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
    return failure == std::errc() && rest == text.data() + text.size()
               ? std::optional<std::uint64_t>(number)
               : std::nullopt;
}

Result<std::string> parse_flag_number(const FlagLimits &limits, const std::string &text) {
    auto number = flag_number(text);
    if (limits.option == "scope") {
        for (const MulticastScope &scope : scopes) {
            number = text == scope.word ? scope.number : number;
        }
    }
    if (!number || *number < limits.least || *number > limits.most) {
        const auto shown = [&](std::uint64_t value) {
            return limits.hex ? fmt::format("{:#x}", value) : fmt::format("{}", value);
        };
        return Error{
            ExitCode::usage, fmt::format("'{}' is no --{}", text, limits.option),
            fmt::format("give a number from {} to {}{}", shown(limits.least), shown(limits.most),
                        limits.option == "scope" ? ", or link, site, organization or global" : "")};
    }
    return limits.hex ? fmt::format("{:#x}", *number) : fmt::format("{}", *number);
}

Result<std::string> parse_flag_value(std::string_view option, const std::string &text) {
    if (option == "rate" || option == "mtu") {
        auto code = TRY(option == "rate" ? partition_rate_code(text) : partition_mtu_code(text));
        return fmt::format("{}", code);
    }
    const auto limits = std::find_if(flag_limits.begin(), flag_limits.end(),
                                     [&](const FlagLimits &each) { return each.option == option; });
    return parse_flag_number(*limits, text);
}

using Gid = std::array<unsigned char, 16>;

std::optional<Gid> gid_in(const std::string &text) {
    Gid gid{};
    return inet_pton(AF_INET6, text.c_str(), gid.data()) == 1 ? std::optional(gid) : std::nullopt;
}

bool is_ip(const Gid &gid) {
    return (gid[2] == 0x40 || gid[2] == 0x60) && gid[3] == 0x1b;
}

std::string gid_text(const Gid &gid) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    return inet_ntop(AF_INET6, gid.data(), text.data(), text.size()) == nullptr ? "" : text.data();
}

// opensm fills in the P_Key of an IP group that has none.
void remove_partition_bits(Gid &gid, std::uint16_t pkey) {
    const unsigned int found = static_cast<unsigned int>(gid[4]) << 8U | gid[5];
    if (is_ip(gid) && (found & 0x7fffU) == pkey) {
        gid[4] = 0;
        gid[5] = 0;
    }
}

bool has_partition_bits(const Gid &gid) {
    return gid[4] != 0 || gid[5] != 0;
}

} // namespace

std::vector<OptionSpec> group_options() {
    return {{"rate", "GBPS", "rate, in Gb/s: slower ports stay out"},
            {"mtu", "BYTES", "MTU: 256, 512, 1024, 2048 or 4096"},
            {"scope", "SCOPE...", "link, site, organization, global or 1 to 14: one group for each",
             true},
            {"qkey", "Q_KEY", "Q_Key; IP over InfiniBand may need the default, 0xb1b"},
            {"sl", "0-15", "service level, for \"causeway sm qos set\""},
            {"tclass", "0-255", "traffic class"},
            {"flow-label", "0-0xfffff", "flow label"}};
}

Result<std::vector<FlagChange>> parse_group_options(const Arguments &arguments, bool defaults) {
    std::vector<FlagChange> changes;
    for (const OptionSpec &option : group_options()) {
        if (!arguments.has(option.name)) {
            continue;
        }
        const auto limits =
            std::find_if(flag_limits.begin(), flag_limits.end(),
                         [&](const FlagLimits &each) { return each.option == option.name; });
        FlagChange change{option.name, limits == flag_limits.end() ? option.name : limits->key, {}};
        const auto typed = option.repeats ? arguments.list(option.name)
                                          : std::vector{arguments.text(option.name).value_or("")};
        const bool removed = defaults && typed.size() == 1 && typed.front() == "default";
        for (const std::string &word : removed ? std::vector<std::string>() : typed) {
            auto value = TRY(parse_flag_value(option.name, word));
            change.values.push_back(value);
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

std::vector<std::string> flag_values(const std::vector<std::string> &flags, std::string_view key) {
    std::vector<std::string> values;
    for (const std::string &flag : flags) {
        if (flag_key(flag) == key) {
            values.push_back(flag.substr(std::min(key.size() + 1, flag.size())));
        }
    }
    return values;
}

void remove_flag(std::vector<std::string> &flags, std::string_view key) {
    flags.erase(std::remove_if(flags.begin(), flags.end(),
                               [&](const std::string &flag) { return flag_key(flag) == key; }),
                flags.end());
}

void set_flag(std::vector<std::string> &flags, const FlagChange &change) {
    auto place =
        std::find_if(flags.begin(), flags.end(),
                     [&](const std::string &flag) { return flag_key(flag) == change.key; }) -
        flags.begin();
    remove_flag(flags, change.key);
    place = std::min(place, static_cast<std::ptrdiff_t>(flags.size()));
    for (const std::string &value : change.values) {
        flags.insert(flags.begin() + place++, fmt::format("{}={}", change.key, value));
    }
}

bool is_group(std::string_view property) {
    return property.substr(0, mgid_start.size()) == mgid_start;
}

std::string PartitionGroup::text() const {
    std::string text = std::string(mgid_start) + mgid;
    for (const std::string &flag : flags) {
        text += "," + flag;
    }
    return text;
}

bool PartitionGroup::ip() const {
    const auto gid = gid_in(mgid);
    return gid && is_ip(*gid);
}

Result<std::string> parse_mgid(const std::string &text, std::uint16_t pkey) {
    auto gid = gid_in(text);
    const unsigned int scope = gid ? (*gid)[1] & 0xfU : 0;
    if (!gid || (*gid)[0] != 0xff || scope == 0 || scope > most_scope) {
        return Error{ExitCode::usage, fmt::format("'{}' is no GID of a multicast group", text),
                     "give one such as ff12:401b::fb, which is 224.0.0.251, or ff12:601b::fb"};
    }
    remove_partition_bits(*gid, pkey);
    if (is_ip(*gid) && has_partition_bits(*gid)) {
        return Error{
            ExitCode::usage,
            fmt::format("the group '{}' is of another partition than 0x{:04x}", text, pkey),
            "leave the P_Key in it out, as in ff12:401b::fb: opensm fills it in"};
    }
    const bool broadcast =
        is_ip(*gid) && (*gid)[2] == 0x40 &&
        std::all_of(gid->begin() + 6, gid->begin() + 12,
                    [](unsigned char byte) { return byte == 0; }) &&
        std::all_of(gid->begin() + 12, gid->end(), [](unsigned char byte) { return byte == 0xff; });
    if (broadcast) {
        return Error{ExitCode::usage,
                     fmt::format("'{}' is the broadcast group of the partition", text),
                     "--ipoib makes the broadcast group"};
    }
    return gid_text(*gid);
}

PartitionGroup group_of(std::string_view property, std::uint16_t pkey) {
    PartitionGroup group;
    property.remove_prefix(std::min(mgid_start.size(), property.size()));
    std::vector<std::string> words;
    while (!property.empty()) {
        const std::size_t end = std::min(property.find(','), property.size());
        std::string word(property.substr(0, end));
        word.erase(std::remove_if(word.begin(), word.end(),
                                  [](char c) { return c == ' ' || c == '\t' || c == '\r'; }),
                   word.end());
        words.push_back(std::move(word));
        property.remove_prefix(std::min(end + 1, property.size()));
    }
    if (words.empty()) {
        return group;
    }
    group.mgid = words.front();
    if (auto gid = gid_in(group.mgid)) {
        remove_partition_bits(*gid, pkey);
        group.mgid = gid_text(*gid);
    }
    group.flags.assign(words.begin() + 1, words.end());
    return group;
}

Result<void> check_group(const PartitionRule &rule, const PartitionGroup &group) {
    if (!group.ip()) {
        return {};
    }
    const std::string partition = fmt::format("0x{:04x}", rule.pkey.value_or(default_partition));
    for (const auto &[key, standard] : {std::pair("rate", "3"), std::pair("mtu", "4")}) {
        const auto own = flag_values(group.flags, key);
        const auto of_rule = flag_values(rule.flags, key);
        const std::string wanted = of_rule.empty() ? standard : of_rule.back();
        if (!own.empty() && own.back() != wanted) {
            return Error{ExitCode::usage,
                         fmt::format("the group {} of IP must have the {} of the broadcast group "
                                     "of its partition",
                                     group.mgid, key),
                         fmt::format("leave out --{}, or change the partition: causeway sm "
                                     "partition set {}",
                                     key, partition)};
        }
    }
    auto group_scopes = flag_values(group.flags, "scope");
    if (group_scopes.empty()) {
        group_scopes = flag_values(rule.flags, "scope");
    }
    const bool elsewhere = std::any_of(group_scopes.begin(), group_scopes.end(),
                                       [](const std::string &each) { return each != link_scope; });
    if (elsewhere) {
        return Error{ExitCode::usage,
                     fmt::format("the group {} of IP must have the scope \"link\": opensm makes "
                                 "the broadcast group of a partition with this scope alone",
                                 group.mgid),
                     "give the group the scope \"link\""};
    }
    return {};
}

} // namespace causeway
