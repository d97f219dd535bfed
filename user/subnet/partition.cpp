// SPDX-License-Identifier: GPL-2.0-or-later
// sm partition add, set, remove, list: the partitions that this machine's subnet managers make.
#include "subnet/partition_change.h"
#include "subnet/partition_table.h"
#include "subnet/partition_target.h"
#include "subnet/ports.h"
#include "subnet/qos.h"
#include "subnet/slow_ports.h"
#include "subnet/verbs.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// Returns what an administrator should know of the new settings.
std::vector<std::string> warnings_of(World &world, const PartitionTarget &target, Managers &after,
                                     const PartitionChange &change) {
    std::vector<std::string> warnings;
    const auto guids = target.guids.empty() ? after.guids() : target.guids;
    for (const FlagChange &flag : change.flags) {
        if (flag.values.empty()) {
            continue;
        }
        if (flag.key == "rate") {
            const auto code = std::strtoul(flag.values.back().c_str(), nullptr, 10);
            const std::string rate = partition_rate_text(static_cast<unsigned int>(code));
            const auto slow = warn_of_slow_ports(world, guids, std::strtod(rate.c_str(), nullptr));
            warnings.insert(warnings.end(), slow.begin(), slow.end());
        }
        if (flag.key == "sl" && flag.values.back() != "0") {
            for (const std::string &guid : guids) {
                const auto settings = effective_settings(world.places, after, after.find(guid));
                if (settings && !qos_is_on(*settings)) {
                    warnings.push_back(fmt::format("opensm on {} uses service level 0 for every "
                                                   "partition until: causeway sm qos set",
                                                   guid));
                }
            }
        }
    }
    return warnings;
}

Result<Answer> run_sm_partition_add(World &world, const Arguments &arguments) {
    const PartitionTarget target = TRY(read_partition_target(world, arguments));
    const auto change = TRY(parse_partition_change(arguments, target.pkey, false));
    PartitionRule fresh;
    fresh.name = target.pkey == default_partition ? "Default" : fmt::format("p{:04x}", target.pkey);
    fresh.pkey = target.pkey;
    fresh.properties.emplace_back("ALL=full");
    if (target.pkey == default_partition) {
        fresh.flags.emplace_back("ipoib");
    }
    Managers after = target.before;
    const auto done = after.change_partitions(
        target.guids, [&](std::vector<PartitionRule> &rules) -> Result<void> {
            const auto there = partition_of(rules, target.pkey);
            auto rule = TRY(change.applied_to(there ? *there : fresh));
            if (!there) {
                rules = with_partition(std::move(rules), rule);
                return {};
            }
            const auto differences = partition_differences(*there, rule);
            if (differences.empty()) {
                return {};
            }
            return Error{ExitCode::failed,
                         fmt::format("the partition {} is there with other settings: {}",
                                     partition_text(target.pkey), fmt::join(differences, "; ")),
                         fmt::format("to change it: causeway sm partition set {}",
                                     partition_text(target.pkey))};
        });
    if (!done) {
        return done.error();
    }
    auto answer = carry_partitions(
        world, arguments, "sm partition add", target, after,
        fmt::format("the partition {} is like this already", partition_text(target.pkey)));
    if (answer) {
        const auto warnings = warnings_of(world, target, after, change);
        answer->warnings.insert(answer->warnings.end(), warnings.begin(), warnings.end());
    }
    return answer;
}

Result<Answer> run_sm_partition_set(World &world, const Arguments &arguments) {
    const PartitionTarget target = TRY(read_partition_target(world, arguments));
    const auto change = TRY(parse_partition_change(arguments, target.pkey, true));
    if (!change.name && !change.members && change.flags.empty() && change.mgids.empty() &&
        !change.ipoib && !change.indx0) {
        return Error{ExitCode::usage, "there is nothing to set",
                     "give --member, --rate, --mtu, --mgid or another option: causeway sm "
                     "partition set --help"};
    }
    Managers after = target.before;
    bool found = false;
    const auto done = after.change_partitions(
        target.guids, [&](std::vector<PartitionRule> &rules) -> Result<void> {
            const auto there = partition_of(rules, target.pkey);
            if (!there) {
                return {};
            }
            found = true;
            auto rule = TRY(change.applied_to(*there));
            if (!partition_differences(*there, rule).empty()) {
                rules = with_partition(std::move(rules), rule);
            }
            return {};
        });
    if (!done) {
        return done.error();
    }
    if (!found) {
        return no_partition(target.pkey);
    }
    auto answer = carry_partitions(
        world, arguments, "sm partition set", target, after,
        fmt::format("the partition {} is like this already", partition_text(target.pkey)));
    if (answer) {
        const auto warnings = warnings_of(world, target, after, change);
        answer->warnings.insert(answer->warnings.end(), warnings.begin(), warnings.end());
    }
    return answer;
}

Result<Answer> run_sm_partition_remove(World &world, const Arguments &arguments) {
    auto pkey = TRY(parse_partition(arguments.operands().front()));
    if (pkey == default_partition) {
        return Error{ExitCode::usage,
                     "the default partition 0x7fff cannot be removed: the subnet manager finds "
                     "every port in it",
                     "change its members: causeway sm partition set 0x7fff --member ..."};
    }
    const PartitionTarget target = TRY(read_partition_target(world, arguments));
    Managers after = target.before;
    const auto done = after.change_partitions(
        target.guids, [&](std::vector<PartitionRule> &rules) -> Result<void> {
            if (partition_of(rules, pkey)) {
                rules = without_partition(std::move(rules), pkey);
            }
            return {};
        });
    if (!done) {
        return done.error();
    }
    return carry_partitions(world, arguments, "sm partition remove", target, after,
                            fmt::format("there is no partition {}", partition_text(pkey)));
}

Result<Answer> run_sm_partition_list(World &world, const Arguments &arguments) {
    auto managers = TRY(read_managers(world.places));
    const auto guids =
        TRY(choose_enabled(subnet_ports(world.files), managers.guids(), arguments.list("port")));
    Answer answer;
    add_partitions(managers, guids, world.terminal, answer);
    if (managers.ports.empty()) {
        answer.text += "causeway enabled no subnet manager here, so it keeps no partitions\n";
    }
    return answer;
}

std::vector<OptionSpec> partition_options(bool setting) {
    std::vector<OptionSpec> options = {
        {"name", "NAME", "name of the partition in opensm's log"},
        {"member", "MEMBER[=full|limited|both]...",
         "ports of the partition, full members by default: port GUIDs, ALL, ALL_CAS (hosts), "
         "ALL_SWITCHES, ALL_ROUTERS, SELF (the port of the subnet manager)",
         true},
        {"defmember", "full|limited|both", "membership of members without one"},
        {"ipoib", "",
         "make a broadcast group for IP over InfiniBand; 0x7fff, groups of IP and the settings of "
         "the group, except --sl, imply this"},
        {"indx0", "", "put the P_Key at index 0 of the ports' tables"}};
    for (const OptionSpec &option : group_options()) {
        options.push_back(option);
    }
    options.push_back({"mgid", "MGID...",
                       "multicast groups that exist without a member, with the settings of the "
                       "partition",
                       true});
    if (setting) {
        options.push_back({"no-ipoib", "", "make no broadcast group"});
        options.push_back({"no-indx0", "", "leave the index of the P_Key to opensm"});
    }
    options.push_back(partition_port_option);
    return options;
}

const VerbRows partition_rows(Section::host, 10, [] {
    std::vector<Verb> verbs = {
        {
            .words = "sm partition add",
            .operands = "P_KEY",
            .summary = "make a partition; all ports are full members without --member",
            .options = partition_options(false),
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_sm_partition_add,
        },
        {
            .words = "sm partition set",
            .operands = "P_KEY",
            .summary = "change the given settings of a partition; the value \"default\" removes a "
                       "setting",
            .options = partition_options(true),
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_sm_partition_set,
        },
        {
            .words = "sm partition remove",
            .operands = "P_KEY",
            .summary = "remove a partition",
            .options = {partition_port_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_sm_partition_remove,
        },
        {
            .words = "sm partition list",
            .summary = "show the partitions with their settings, members and multicast groups",
            .options = {{"port", "DEVICE[/PORT]|GUID...", "those of these ports", true}},
            .run = run_sm_partition_list,
        },
    };
    for (const auto &more : {partition_group_verbs(), qos_verbs()}) {
        verbs.insert(verbs.end(), more.begin(), more.end());
    }
    return verbs;
});

} // namespace

} // namespace causeway
