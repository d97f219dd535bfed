// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/partition_change.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace causeway {

namespace {

constexpr std::string_view membership = "defmember";

Result<void> check_membership(const std::string &how) {
    if (how != "full" && how != "limited" && how != "both") {
        return Error{ExitCode::usage, fmt::format("'{}' is no membership", how),
                     "give full, limited or both"};
    }
    return {};
}

// Parses "GUID", "GUID=limited" or "ALL=full".
Result<std::string> parse_member(const std::string &typed, const std::string &standard) {
    const std::size_t equals = typed.find('=');
    const std::string who = typed.substr(0, equals);
    const std::string how = equals == std::string::npos ? standard : typed.substr(equals + 1);
    TRY(check_membership(how));
    for (const char *group : {"ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF"}) {
        if (who == group) {
            return fmt::format("{}={}", who, how);
        }
    }
    auto guid = canonical_guid(who);
    if (!guid) {
        Error error = guid.error();
        error.fix += "; or ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF";
        return error;
    }
    return fmt::format("{}={}", *guid, how);
}

Result<std::string> parse_partition_name(const std::string &name) {
    const bool good = !name.empty() && name.size() <= 32 &&
                      name.find_first_of(" \t\r\n#:;,=") == std::string::npos;
    if (!good) {
        return Error{ExitCode::usage, fmt::format("'{}' cannot name a partition", name),
                     "give a word of at most 32 characters without '#', ':', ';', ',' and '='"};
    }
    return name;
}

std::optional<bool> switch_of(const Arguments &arguments, std::string_view on,
                              std::string_view off) {
    return arguments.has(on)    ? std::optional(true)
           : arguments.has(off) ? std::optional(false)
                                : std::nullopt;
}

Result<std::vector<std::string>> parse_members(const std::vector<std::string> &typed,
                                               const std::string &standard) {
    std::vector<std::string> members;
    for (const std::string &word : typed) {
        auto member = TRY(parse_member(word, standard));
        members.push_back(member);
    }
    // In opensm a later entry for a port overrides an earlier one, so the groups come first.
    std::stable_partition(members.begin(), members.end(),
                          [](const std::string &each) { return each.substr(0, 3) == "ALL"; });
    return members;
}

bool has_flag(const std::vector<std::string> &flags, std::string_view flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

void set_switch(std::vector<std::string> &flags, const char *flag, bool on) {
    flags.erase(std::remove(flags.begin(), flags.end(), flag), flags.end());
    if (on) {
        flags.insert(flags.begin(), flag);
    }
}

// Groups of IP follow the rate and MTU of their partition.
void drop_own_values(PartitionRule &rule, std::string_view key) {
    for (std::string &property : rule.properties) {
        if (!is_group(property)) {
            continue;
        }
        PartitionGroup group = group_of(property, rule.pkey.value_or(default_partition));
        if (group.ip()) {
            remove_flag(group.flags, key);
            property = group.text();
        }
    }
}

Result<void> check_groups(const PartitionRule &rule) {
    for (const std::string &property : rule.properties) {
        if (is_group(property)) {
            TRY(check_group(rule, group_of(property, rule.pkey.value_or(default_partition))));
        }
    }
    return {};
}

std::string shown_value(std::string_view key, const std::string &value) {
    const auto code = static_cast<unsigned int>(std::strtoul(value.c_str(), nullptr, 0));
    const std::string text = key == "rate"  ? partition_rate_text(code)
                             : key == "mtu" ? partition_mtu_text(code)
                                            : "";
    return text.empty() ? value : text;
}

// Returns each setting of a rule with its value, in a form that is the same for equal settings.
std::map<std::string, std::string> settings_of(const PartitionRule &rule) {
    std::map<std::string, std::string> settings;
    std::map<std::string, std::set<std::string>> values;
    for (const std::string &flag : rule.flags) {
        const std::size_t equals = flag.find('=');
        const std::string key = flag.substr(0, equals);
        values[key].insert(equals == std::string::npos ? "on"
                                                       : shown_value(key, flag.substr(equals + 1)));
    }
    const auto standard = flag_values(rule.flags, membership);
    for (const std::string &property : rule.properties) {
        if (is_group(property)) {
            PartitionGroup group = group_of(property, rule.pkey.value_or(default_partition));
            std::sort(group.flags.begin(), group.flags.end());
            values["group " + group.mgid].insert(
                group.flags.empty() ? "present" : fmt::format("{}", fmt::join(group.flags, ",")));
        } else {
            values["members"].insert(
                canonical_member(property, standard.empty() ? "limited" : standard.back()));
        }
    }
    settings["name"] = rule.name;
    for (const auto &[key, all] : values) {
        settings[key] = fmt::format("{}", fmt::join(all, ","));
    }
    return settings;
}

} // namespace

Result<PartitionRule> PartitionChange::applied_to(const PartitionRule &rule) const {
    PartitionRule changed = rule;
    changed.name = name.value_or(rule.name);
    bool group = false;
    for (const FlagChange &change : flags) {
        set_flag(changed.flags, change);
        // The service level counts for paths too.
        group = group || (!change.values.empty() && change.key != "sl" && change.key != membership);
        if (change.key == "rate" || change.key == "mtu") {
            drop_own_values(changed, change.key);
        }
    }
    const auto traffic_class = flag_values(changed.flags, "TClass");
    for (const std::string &mgid : mgids) {
        PartitionGroup wanted{mgid, {}};
        // opensm gives a group all settings of its partition but this one.
        if (!traffic_class.empty()) {
            wanted.flags.push_back("TClass=" + traffic_class.back());
        }
        group = group || wanted.ip();
        const auto same = [&](const std::string &property) {
            return is_group(property) &&
                   group_of(property, rule.pkey.value_or(default_partition)).mgid == mgid;
        };
        if (std::none_of(changed.properties.begin(), changed.properties.end(), same)) {
            changed.properties.push_back(wanted.text());
        }
    }
    if (ipoib.value_or(group) && !has_flag(changed.flags, "ipoib")) {
        set_switch(changed.flags, "ipoib", true);
    } else if (ipoib == false) {
        set_switch(changed.flags, "ipoib", false);
    }
    if (indx0) {
        set_switch(changed.flags, "indx0", *indx0);
    }
    if (members) {
        std::vector<std::string> properties = *members;
        std::copy_if(changed.properties.begin(), changed.properties.end(),
                     std::back_inserter(properties), is_group);
        changed.properties = std::move(properties);
    }
    TRY(check_groups(changed));
    return changed;
}

Result<PartitionChange> parse_partition_change(const Arguments &arguments, std::uint16_t pkey,
                                               bool setting) {
    PartitionChange change;
    if (const auto typed = arguments.text("name")) {
        auto name = TRY(parse_partition_name(*typed));
        change.name = name;
    }
    auto flags = TRY(parse_group_options(arguments, setting));
    change.flags = flags;
    std::string standard = "full"; // unlike in opensm
    if (const auto typed = arguments.text("defmember")) {
        FlagChange wanted{membership, membership, {*typed}};
        if (setting && *typed == "default") {
            wanted.values.clear();
        } else {
            TRY(check_membership(*typed));
            standard = *typed;
        }
        change.flags.push_back(std::move(wanted));
    }
    if (arguments.has("member")) {
        auto members = TRY(parse_members(arguments.list("member"), standard));
        change.members = members;
    }
    for (const std::string &typed : arguments.list("mgid")) {
        auto mgid = TRY(parse_mgid(typed, pkey));
        change.mgids.push_back(mgid);
    }
    for (const auto &[on, off] : {std::pair("ipoib", "no-ipoib"), std::pair("indx0", "no-indx0")}) {
        if (arguments.has(on) && arguments.has(off)) {
            return Error{ExitCode::usage, fmt::format("--{} and --{} exclude each other", on, off),
                         "give one of them"};
        }
    }
    change.ipoib = switch_of(arguments, "ipoib", "no-ipoib");
    change.indx0 = switch_of(arguments, "indx0", "no-indx0");
    return change;
}

std::vector<std::string> partition_differences(const PartitionRule &there,
                                               const PartitionRule &wanted) {
    const auto before = settings_of(there);
    const auto after = settings_of(wanted);
    std::set<std::string> keys;
    for (const auto *settings : {&before, &after}) {
        for (const auto &[key, value] : *settings) {
            keys.insert(key);
        }
    }
    std::vector<std::string> differences;
    for (const std::string &key : keys) {
        const auto shown = [&](const std::map<std::string, std::string> &settings) {
            const auto found = settings.find(key);
            if (found != settings.end()) {
                return found->second;
            }
            return std::string(key.compare(0, 6, "group ") == 0 ? "absent" : "unset");
        };
        if (shown(before) != shown(after)) {
            differences.push_back(
                fmt::format("{} is {}, not {}", key, shown(before), shown(after)));
        }
    }
    return differences;
}

} // namespace causeway
