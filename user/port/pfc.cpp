// SPDX-License-Identifier: GPL-2.0-or-later
// pfc set: priority flow control (IEEE 802.1Qbb), without which RoCE loses packets on a busy
// network, and the priorities of DSCPs.
//
// mlx4 takes flow control as an option of its module. All other drivers take it by dcb(8), and lose
// it with the device: a unit sets it again.
#include "change/carry_out.h"
#include "command/verb.h"
#include "port/at_boot_option.h"
#include "port/dscp_change.h"
#include "port/pfc_at_boot.h"
#include "port/pfc_verbs.h"
#include "port/roce_verbs.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace causeway {

namespace {

// The interfaces that the verb is about. mlx4 has one setting for all its ports.
struct Targets {
    std::vector<FlowControl> by_dcb;
    std::vector<std::string> gone; // interfaces that only have a unit, which has to go
    bool mlx4 = false;

    bool empty() const { return !mlx4 && by_dcb.empty() && gone.empty(); }
    std::vector<std::string> warnings;
};

// Returns the interface that the user has typed, or an error that says why it cannot be set.
Result<FlowControl> find_typed(const std::vector<FlowControl> &all, const std::string &typed) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const FlowControl &each) { return each.netdev == typed; });
    if (found == all.end()) {
        return Error{ExitCode::unavailable, fmt::format("{} carries no RoCE", typed),
                     "see which do: causeway pfc list"};
    }
    if (found->software) {
        return Error{
            ExitCode::unavailable,
            fmt::format("{} is below {}, an RDMA device by software", typed, found->device),
            "priority flow control is for adapters: causeway pfc list"};
    }
    if (found->source.empty()) {
        return Error{ExitCode::unavailable, fmt::format("the flow control of {} cannot be set: {}",
                                                        typed, found->why_not)};
    }
    return *found;
}

// @unsets: the units of interfaces that are gone count too.
Result<Targets> targets_of(World &world, const Arguments &arguments, bool unsets) {
    const auto all = flow_controls(world);
    const auto typed = arguments.list("interface");
    Targets targets;
    for (const PfcAtBoot &kept : unsets ? pfc_of_gone(world, all) : std::vector<PfcAtBoot>()) {
        if (typed.empty() || std::find(typed.begin(), typed.end(), kept.netdev) != typed.end()) {
            targets.gone.push_back(kept.netdev);
        }
    }
    for (const std::string &name : typed) {
        if (std::find(targets.gone.begin(), targets.gone.end(), name) != targets.gone.end()) {
            continue;
        }
        auto one = TRY(find_typed(all, name));
        targets.mlx4 |= one.source == "mlx4_en";
        if (one.source == "dcb") {
            targets.by_dcb.push_back(std::move(one));
        }
    }
    if (!typed.empty()) {
        return targets;
    }
    targets.mlx4 = !mlx4_sent(world.files).empty();
    for (const FlowControl &each : all) {
        if (each.source == "dcb" && !each.software) {
            targets.by_dcb.push_back(each);
        } else if (each.source.empty() && !each.software) {
            targets.warnings.push_back(
                fmt::format("{} is left as it is: {}", each.netdev, each.why_not));
        }
    }
    if (targets.empty()) {
        return Error{ExitCode::unavailable,
                     "this machine has no RoCE adapter whose flow control can be set: mlx4_en is "
                     "not loaded, and dcb reports none of another driver",
                     "see: causeway pfc list"};
    }
    return targets;
}

std::vector<std::string> pfc_program(const std::string &netdev, const Priorities &on) {
    std::vector<std::string> words = {"dcb", "pfc", "set", "dev", netdev, "prio-pfc", "all:off"};
    for (const unsigned int priority : on) {
        words.push_back(fmt::format("{}:on", priority));
    }
    return words;
}

// @gives_up: delete the entries that other programs made, too. The old entry of a DSCP is deleted
// before the new one is added (change_dscp_entry()).
void plan_dscp(ChangeSet &set, const FlowControl &control, const DscpEntries &before,
               const DscpEntries &after, bool gives_up) {
    for (const auto &entry : control.dscp) {
        const bool dropped = gives_up || before.count(entry) != 0 || has_dscp(after, entry.first);
        if (dropped && after.count(entry) == 0) {
            set.add(change_dscp_entry({control.netdev, entry.first, entry.second}, false));
        }
    }
    for (const auto &entry : after) {
        if (control.dscp.count(entry) == 0) {
            set.add(change_dscp_entry({control.netdev, entry.first, entry.second}, true));
        }
    }
}

struct Wish {
    Priorities on;
    std::optional<DscpEntries> dscp; // none: as it is
    bool persists = false;
    bool at_boot = false;
};

Result<void> plan_interface(World &world, ChangeSet &set, const FlowControl &control,
                            const Wish &wish) {
    const auto kept = pfc_by_unit(world, control).value_or(PfcAtBoot());
    const DscpEntries dscp = wish.dscp.value_or(wish.on.empty() ? DscpEntries() : kept.dscp);
    if (wish.persists) {
        DeviceUnit unit = pfc_unit_of(control);
        for (const unsigned int priority : wish.on) {
            unit.words.push_back(fmt::format("{}", priority));
        }
        if (wish.on.empty()) {
            unit.words.emplace_back("none");
        }
        unit.words.insert(unit.words.end(), {"--interface", control.netdev});
        for (const std::string &word : dscp_words(dscp, '=')) {
            unit.words.insert(unit.words.end(), {"--dscp", word});
        }
        TRY(wish.on.empty() && dscp.empty() ? plan_no_device_unit(world, set, unit)
                                            : plan_device_unit(world, set, unit));
    }
    if (control.on != wish.on) {
        set.add(change_program(pfc_program(control.netdev, wish.on),
                               pfc_program(control.netdev, control.on)));
    }
    plan_dscp(set, control, kept.dscp, dscp, wish.dscp && wish.dscp->empty());
    return {};
}

// Returns the priorities that the running module both sends and receives pauses for.
Priorities mlx4_now(KernelFiles &files) {
    return bits_of(std::strtoul(mlx4_sent(files).c_str(), nullptr, 0) &
                   std::strtoul(mlx4_received(files).c_str(), nullptr, 0));
}

Result<void> plan_units(World &world, ChangeSet &set, const Targets &targets, const Wish &wish) {
    for (const FlowControl &control : targets.by_dcb) {
        TRY(plan_interface(world, set, control, wish));
    }
    for (const std::string &netdev : targets.gone) {
        TRY(plan_no_device_unit(world, set, pfc_unit_on(netdev)));
    }
    if (wish.persists && (!targets.by_dcb.empty() || !targets.gone.empty())) {
        set.reload_systemd(world);
    }
    return {};
}

Result<Answer> run_pfc_set(World &world, const Arguments &arguments) {
    Wish wish;
    wish.on = TRY(parse_priorities(arguments.operands()));
    if (arguments.has("dscp")) {
        wish.dscp = TRY(parse_dscp(arguments.list("dscp")));
    }
    wish.at_boot = arguments.has("at-boot");
    wish.persists = !wish.at_boot && !arguments.has("no-persist") && systemd_runs(world);
    auto targets = TRY(targets_of(world, arguments, wish.on.empty() && wish.persists));
    if (targets.mlx4 && arguments.has("no-persist")) {
        return Error{ExitCode::usage,
                     "mlx4_en takes flow control as an option at boot alone, so --no-persist "
                     "cannot be",
                     "leave --no-persist out, or name the other interfaces: --interface NETDEV"};
    }
    if (targets.mlx4 && wish.dscp && !wish.dscp->empty() && targets.by_dcb.empty()) {
        return Error{ExitCode::unavailable, "mlx4 gives no priorities to DSCPs",
                     "leave --dscp out: mlx4 takes the priority of the VLAN tag"};
    }
    ChangeSet set("pfc set");
    TRY(plan_units(world, set, targets, wish));
    bool needs_reboot = false;
    if (targets.mlx4) {
        const bool changes =
            TRY(plan_mlx4_option(world, set, wish.on, !arguments.has("no-initramfs")));
        needs_reboot = changes && mlx4_now(world.files) != wish.on;
    }
    auto answer =
        carry_out(world, {arguments.dry_run(), !wish.at_boot}, set,
                  targets.by_dcb.empty() ? "mlx4_en gets these priorities at boot already"
                                         : "the interfaces have this flow control already");
    if (!answer) {
        return answer;
    }
    if (needs_reboot) {
        answer->warnings.emplace_back("mlx4_en takes this when it is loaded: reboot");
    }
    if (!targets.by_dcb.empty() && !systemd_runs(world) && !arguments.has("no-persist")) {
        answer->warnings.emplace_back(
            "systemd does not run here: nothing sets this again after a reboot");
    }
    if (targets.mlx4 && wish.dscp && !wish.dscp->empty()) {
        answer->warnings.emplace_back("mlx4 gives no priorities to DSCPs: its interfaces got none");
    }
    answer->warnings.insert(answer->warnings.end(), targets.warnings.begin(),
                            targets.warnings.end());
    return answer;
}

const VerbRows pfc_rows(Section::host, 13, [] {
    return std::vector<Verb>{
        pfc_show_verb(),
        pfc_list_verb(),
        {
            .words = "pfc set",
            .operands = "PRIORITY...|none",
            .summary = "set priority flow control of RoCE adapters, now and at every boot; of "
                       "mlx4, from the next boot on",
            .options = {{"interface", "NETDEV",
                         "only this interface; default: all of RoCE adapters", true},
                        {"dscp", "DSCP=PRIORITY",
                         "give packets with this DSCP the priority, and trust DSCPs; none: give "
                         "up all priorities of DSCPs, also those of other programs",
                         true},
                        no_initramfs,
                        no_persist,
                        at_boot_option},
            .least_operands = 1,
            .most_operands = 8,
            .changes = true,
            .run = run_pfc_set,
        },
        pfc_unset_verb(),
        roce_tos_verb(),
        roce_ecn_verb(),
    };
});

} // namespace

} // namespace causeway
