// SPDX-License-Identifier: GPL-2.0-or-later
// sm partition group add, set, remove: multicast groups that the subnet manager makes.
#include "subnet/partition_change.h"
#include "subnet/partition_target.h"
#include "subnet/verbs.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace causeway {

namespace {

// Changes the groups of a partition that the operands name.
using ChangeGroup = std::function<Result<void>(PartitionRule &, const std::string &mgid)>;

Result<Answer> change_groups(World &world, const Arguments &arguments, const std::string &verb,
                             const ChangeGroup &change, const std::string &nothing,
                             bool removal = false) {
    const PartitionTarget target = TRY(read_partition_target(world, arguments));
    std::vector<std::string> mgids;
    for (std::size_t i = 1; i < arguments.operands().size(); i++) {
        auto mgid = TRY(parse_mgid(arguments.operands()[i], target.pkey));
        mgids.push_back(mgid);
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
            PartitionRule rule = *there;
            for (const std::string &mgid : mgids) {
                TRY(change(rule, mgid));
            }
            if (!partition_differences(*there, rule).empty()) {
                rules = with_partition(std::move(rules), rule);
            }
            return {};
        });
    if (!done) {
        return done.error();
    }
    if (!found && !removal) {
        return no_partition(target.pkey);
    }
    return carry_partitions(world, arguments, verb, target, after, nothing);
}

std::vector<std::string>::iterator find_group(PartitionRule &rule, const std::string &mgid) {
    return std::find_if(
        rule.properties.begin(), rule.properties.end(), [&](const std::string &property) {
            return is_group(property) &&
                   group_of(property, rule.pkey.value_or(default_partition)).mgid == mgid;
        });
}

Result<void> put_group(PartitionRule &rule, const PartitionGroup &group) {
    TRY(check_group(rule, group));
    const auto place = find_group(rule, group.mgid);
    if (place == rule.properties.end()) {
        rule.properties.push_back(group.text());
    } else {
        *place = group.text();
    }
    return {};
}

Result<Answer> run_sm_partition_group_add(World &world, const Arguments &arguments) {
    const auto flags = TRY(parse_group_options(arguments, false));
    return change_groups(
        world, arguments, "sm partition group add",
        [&](PartitionRule &rule, const std::string &mgid) -> Result<void> {
            PartitionGroup wanted{mgid, {}};
            const auto place = find_group(rule, mgid);
            const bool there = place != rule.properties.end();
            if (there) {
                wanted = group_of(*place, rule.pkey.value_or(default_partition));
            }
            const PartitionRule before = rule;
            for (const FlagChange &flag : flags) {
                set_flag(wanted.flags, flag);
            }
            TRY(put_group(rule, wanted));
            const auto differences = partition_differences(before, rule);
            if (!there || differences.empty()) {
                return {};
            }
            return Error{ExitCode::failed,
                         fmt::format("the group is there with other settings: {}",
                                     fmt::join(differences, "; ")),
                         fmt::format("to change it: causeway sm partition group set 0x{:04x} {}",
                                     rule.pkey.value_or(default_partition), mgid)};
        },
        "the groups are like this already");
}

Result<Answer> run_sm_partition_group_set(World &world, const Arguments &arguments) {
    const auto flags = TRY(parse_group_options(arguments, true));
    if (flags.empty()) {
        return Error{ExitCode::usage, "there is nothing to set",
                     "give --rate, --mtu, --scope, --qkey, --sl, --tclass or --flow-label"};
    }
    return change_groups(
        world, arguments, "sm partition group set",
        [&](PartitionRule &rule, const std::string &mgid) -> Result<void> {
            const auto place = find_group(rule, mgid);
            if (place == rule.properties.end()) {
                return Error{
                    ExitCode::failed,
                    fmt::format("the partition {} has no group {}",
                                partition_text(rule.pkey.value_or(default_partition)), mgid),
                    fmt::format("causeway sm partition group add {} {}",
                                partition_text(rule.pkey.value_or(default_partition)), mgid)};
            }
            PartitionGroup wanted = group_of(*place, rule.pkey.value_or(default_partition));
            for (const FlagChange &flag : flags) {
                set_flag(wanted.flags, flag);
            }
            return put_group(rule, wanted);
        },
        "the groups are like this already");
}

Result<Answer> run_sm_partition_group_remove(World &world, const Arguments &arguments) {
    return change_groups(
        world, arguments, "sm partition group remove",
        [](PartitionRule &rule, const std::string &mgid) -> Result<void> {
            for (auto place = find_group(rule, mgid); place != rule.properties.end();
                 place = find_group(rule, mgid)) {
                rule.properties.erase(place);
            }
            return {};
        },
        "there is no such group", true);
}

} // namespace

std::vector<Verb> partition_group_verbs() {
    std::vector<OptionSpec> options = group_options();
    options.push_back(partition_port_option);
    return std::vector<Verb>{
        {
            .words = "sm partition group add",
            .operands = "P_KEY MGID...",
            .summary = "add multicast groups that exist without a member; they have the settings "
                       "of their partition where none is given; sm partition list shows them",
            .options = options,
            .least_operands = 2,
            .most_operands = 64,
            .changes = true,
            .run = run_sm_partition_group_add,
        },
        {
            .words = "sm partition group set",
            .operands = "P_KEY MGID...",
            .summary = "change settings of multicast groups; the value \"default\" removes a "
                       "setting; sm partition list shows them",
            .options = options,
            .least_operands = 2,
            .most_operands = 64,
            .changes = true,
            .run = run_sm_partition_group_set,
        },
        {
            .words = "sm partition group remove",
            .operands = "P_KEY MGID...",
            .summary = "remove multicast groups of a partition; sm partition list shows them",
            .options = {partition_port_option},
            .least_operands = 2,
            .most_operands = 64,
            .changes = true,
            .run = run_sm_partition_group_remove,
        },
    };
}

} // namespace causeway
