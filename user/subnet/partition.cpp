// SPDX-License-Identifier: GPL-2.0-or-later
// sm partition add, sm partition remove: the partitions that this machine's subnet manager makes.
#include "change/carry_out.h"
#include "command/verb.h"
#include "netconf/settings.h"
#include "subnet/opensm.h"
#include "subnet/partitions.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

Result<std::uint16_t> parse_partition(const std::string &typed) {
    auto pkey = TRY(parse_pkey(typed));
    return static_cast<std::uint16_t>(pkey & ~full_member);
}

// Parses "GUID", "GUID=limited" or "ALL=full". The default is full, unlike in opensm.
Result<std::string> parse_member(const std::string &typed) {
    const std::size_t equals = typed.find('=');
    const std::string who = typed.substr(0, equals);
    const std::string how = equals == std::string::npos ? "full" : typed.substr(equals + 1);
    if (how != "full" && how != "limited" && how != "both") {
        return Error{ExitCode::usage, fmt::format("'{}' is no membership", how),
                     "give full, limited or both"};
    }
    for (const char *group : {"ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF"}) {
        if (who == group) {
            return fmt::format("{}={}", who, how);
        }
    }
    auto guid = TRY(canonical_guid(who));
    return fmt::format("{}={}", guid, how);
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

Result<PartitionRule> wanted_rule(const Arguments &arguments) {
    auto pkey = TRY(parse_partition(arguments.operands().front()));
    PartitionRule rule;
    rule.pkey = pkey;
    auto name = TRY(parse_partition_name(arguments.text("name").value_or(
        pkey == default_partition ? "Default" : fmt::format("p{:04x}", pkey))));
    rule.name = name;
    const auto rate = arguments.text("rate");
    const auto mtu = arguments.text("mtu");
    if (arguments.has("ipoib") || rate || mtu || pkey == default_partition) {
        rule.flags.emplace_back("ipoib");
    }
    if (rate) {
        auto code = TRY(partition_rate_code(*rate));
        rule.flags.push_back(fmt::format("rate={}", code));
    }
    if (mtu) {
        auto code = TRY(partition_mtu_code(*mtu));
        rule.flags.push_back(fmt::format("mtu={}", code));
    }
    for (const std::string &typed : arguments.list("member")) {
        auto member = TRY(parse_member(typed));
        rule.properties.push_back(member);
    }
    // In opensm a later entry for a port overrides an earlier one, so the groups come first.
    std::stable_partition(rule.properties.begin(), rule.properties.end(),
                          [](const std::string &each) { return each.substr(0, 3) == "ALL"; });
    if (rule.properties.empty()) {
        rule.properties.emplace_back("ALL=full");
    }
    return rule;
}

// Keeps the partition's multicast groups, which an administrator wrote.
void keep_groups(const std::vector<PartitionRule> &rules, PartitionRule &wanted) {
    for (const PartitionRule &rule : rules) {
        if (rule.pkey != wanted.pkey) {
            continue;
        }
        std::copy_if(rule.properties.begin(), rule.properties.end(),
                     std::back_inserter(wanted.properties),
                     [](const std::string &each) { return each.substr(0, 5) == "mgid="; });
    }
}

Result<std::vector<PartitionRule>> rules_now(const World &world) {
    auto guids = TRY(opensm_ports(world.places));
    if (guids.empty()) {
        return Error{ExitCode::unavailable,
                     "no subnet manager was enabled here by causeway: it would not read the "
                     "partitions",
                     "on the host of the subnet manager: causeway sm enable"};
    }
    auto text = TRY(partitions_before(world.places));
    return parse_partitions(world.places.partitions().string(), text);
}

Result<Answer> carry(World &world, const Arguments &arguments, const std::string &title,
                     const std::vector<PartitionRule> &rules, const std::string &nothing) {
    const std::string text = partitions_text(rules);
    // A file that cannot be parsed again would leave the subnet without its partitions.
    if (auto same = parse_partitions("the new partitions", text); !same || *same != rules) {
        return Error{ExitCode::failed, "the new partitions cannot be read back", ""};
    }
    ChangeSet probe("");
    TRY(probe.write(world.places.partitions(), text));
    ChangeSet set(title);
    if (!probe.empty()) {
        const auto reread = opensm_reread(opensm_package(world.places));
        set.add(change_attempts({}, reread));
        TRY(set.write(world.places.partitions(), text));
        set.add(change_attempts(reread, {}));
    }
    return carry_out(world, {arguments.dry_run()}, set, nothing);
}

Result<Answer> run_sm_partition_add(World &world, const Arguments &arguments) {
    auto rule = TRY(wanted_rule(arguments));
    auto rules = TRY(rules_now(world));
    keep_groups(rules, rule);
    const std::string pkey = fmt::format("0x{:04x}", *rule.pkey);
    return carry(world, arguments, "sm partition add " + pkey, with_partition(rules, rule),
                 fmt::format("the partition {} is like this already", pkey));
}

Result<Answer> run_sm_partition_remove(World &world, const Arguments &arguments) {
    auto pkey = TRY(parse_partition(arguments.operands().front()));
    if (pkey == default_partition) {
        return Error{ExitCode::usage,
                     "the default partition 0x7fff cannot be removed: the subnet manager finds "
                     "every port in it",
                     "change its members: causeway sm partition add 0x7fff --member ..."};
    }
    auto rules = TRY(rules_now(world));
    const std::string text = fmt::format("0x{:04x}", pkey);
    return carry(world, arguments, "sm partition remove " + text, without_partition(rules, pkey),
                 fmt::format("there is no partition {}", text));
}

const VerbRows partition_rows(Section::host, 10, [] {
    return std::vector<Verb>{
        {
            .words = "sm partition add",
            .operands = "P_KEY",
            .summary = "make a partition, or replace all its settings but its multicast groups",
            .options = {{"name", "NAME", "name of the partition in opensm's log"},
                        {"member", "GUID|ALL|SELF[=full|limited]...",
                         "ports of the partition, full members unless =limited or =both is given; "
                         "by default ALL=full",
                         true},
                        {"ipoib", "",
                         "make a broadcast group for IP over InfiniBand; --rate, --mtu and 0x7fff "
                         "imply this"},
                        {"rate", "GBPS",
                         "rate of the broadcast group, in Gb/s: slower ports stay out"},
                        {"mtu", "BYTES",
                         "MTU of the broadcast group: 256, 512, 1024, 2048 or 4096"}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_sm_partition_add,
        },
        {
            .words = "sm partition remove",
            .operands = "P_KEY",
            .summary = "remove a partition",
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_sm_partition_remove,
        },
    };
});

} // namespace

} // namespace causeway
