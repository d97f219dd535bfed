// SPDX-License-Identifier: GPL-2.0-or-later
// pfc unset: keeps flow control of interfaces no longer for the next boot. The adapter or its
// driver chooses it then.
#include "base/append_once.h"
#include "change/carry_out.h"
#include "port/pfc_at_boot.h"
#include "port/pfc_verbs.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// The settings that are kept for the interfaces that the user named, or for all.
struct KeptPfc {
    std::vector<std::string> units; // the interfaces that have one
    bool mlx4 = false;              // the option of mlx4_en
};

Result<KeptPfc> find_kept_pfc(World &world, const std::vector<std::string> &typed) {
    const auto all = flow_controls(world);
    const bool option = pfc_of_mlx4(world).has_value();
    KeptPfc kept;
    kept.mlx4 = option && typed.empty();
    std::vector<std::string> names = typed;
    if (typed.empty()) {
        for (const FlowControl &each : all) {
            append_once(names, each.netdev);
        }
        for (const PfcAtBoot &each : pfc_of_gone(world, all)) {
            append_once(names, each.netdev);
        }
    }
    for (const std::string &name : names) {
        const auto found = std::find_if(
            all.begin(), all.end(), [&](const FlowControl &each) { return each.netdev == name; });
        const bool has_unit = !words_at_boot(world, pfc_unit_on(name)).empty();
        if (!has_unit && found == all.end()) {
            return Error{ExitCode::unavailable,
                         fmt::format("{} carries no RoCE, and nothing of it is kept", name),
                         "see which interfaces do: causeway pfc list"};
        }
        if (has_unit) {
            append_once(kept.units, name);
        }
        kept.mlx4 |= option && found != all.end() && found->is_mlx4();
    }
    return kept;
}

Result<Answer> run_pfc_unset(World &world, const Arguments &arguments) {
    const auto &typed = arguments.operands();
    const auto kept = TRY(find_kept_pfc(world, typed));
    ChangeSet set(typed.empty() ? "pfc unset" : fmt::format("pfc unset {}", fmt::join(typed, " ")));
    for (const std::string &netdev : kept.units) {
        TRY(plan_no_device_unit(world, set, pfc_unit_on(netdev)));
    }
    if (!kept.units.empty()) {
        set.reload_systemd(world);
    }
    if (kept.mlx4) {
        TRY(plan_mlx4_option(world, set, {}, !arguments.has("no-initramfs")));
    }
    auto answer =
        TRY(carry_out(world, {arguments.dry_run()}, set,
                      typed.empty() ? "no flow control is kept for the next boot"
                                    : fmt::format("no flow control of {} is kept for the next boot",
                                                  fmt::join(typed, ", "))));
    if (arguments.dry_run()) {
        return answer;
    }
    for (const std::string &netdev : kept.units) {
        answer.text +=
            fmt::format("{} keeps its present flow control until the next boot\n", netdev);
    }
    if (kept.mlx4) {
        answer.text += "all ports of mlx4 keep their present flow control until the next boot\n";
    }
    return answer;
}

} // namespace

Verb pfc_unset_verb() {
    return {
        .words = "pfc unset",
        .operands = "[NETDEV...]",
        .summary = "keep flow control of these interfaces no longer for the next boot; without "
                   "NETDEV of all",
        .options = {no_initramfs},
        .most_operands = 64,
        .changes = true,
        .run = run_pfc_unset,
    };
}

} // namespace causeway
