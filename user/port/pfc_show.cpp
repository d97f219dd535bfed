// SPDX-License-Identifier: GPL-2.0-or-later
// pfc show, pfc list: priority flow control of interfaces that carry RoCE, now and at boot.
#include "port/pfc_at_boot.h"
#include "port/pfc_verbs.h"
#include "show/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

Json dscp_json(const DscpEntries &entries) {
    Json json = Json::array();
    for (const auto &[dscp, priority] : entries) {
        json.push_back({{"dscp", dscp}, {"priority", priority}});
    }
    return json;
}

std::string pfc_at_boot_text(const PfcAtBoot &kept) {
    return priorities_text(kept.on) +
           (kept.dscp.empty() ? ""
                              : fmt::format("; {}", fmt::join(dscp_words(kept.dscp, '='), ", ")));
}

Json control_json(const FlowControl &control, const std::optional<PfcAtBoot> &kept) {
    const bool known = !control.source.empty();
    return {{"interface", or_null(control.netdev)},
            {"device", or_null(control.device)},
            {"priorities", known ? Json(control.on) : Json(nullptr)},
            {"dscp", control.source == "dcb" ? dscp_json(control.dscp) : Json(nullptr)},
            {"source", known ? Json(control.source) : Json(nullptr)},
            {"at_boot", kept ? Json{{"priorities", kept->on}, {"dscp", dscp_json(kept->dscp)}}
                             : Json(nullptr)},
            {"why_not", control.why_not}};
}

// Returns the option of mlx4_en where no interface shows it, because the module is not loaded.
std::optional<PfcAtBoot> unseen_of_mlx4(World &world) {
    return mlx4_sent(world.files).empty() ? pfc_of_mlx4(world) : std::nullopt;
}

Result<Answer> run_pfc_show(World &world, const Arguments &arguments) {
    const std::string asked = arguments.operands().empty() ? "" : arguments.operands().front();
    Answer answer;
    answer.json["interfaces"] = Json::array();
    Table table({{"INTERFACE"},
                 {"DEVICE"},
                 {"PFC ON PRIORITIES"},
                 {"DSCP=PRIORITY"},
                 {"AT BOOT"},
                 {"SAYS"}});
    const auto all = flow_controls(world);
    for (const FlowControl &each : all) {
        if (!asked.empty() && asked != each.netdev && asked != each.device) {
            continue;
        }
        const bool known = !each.source.empty();
        const auto kept = pfc_at_boot(world, each);
        answer.json["interfaces"].push_back(control_json(each, kept));
        table.row({each.netdev, each.device, known ? priorities_text(each.on) : "unknown",
                   fmt::format("{}", fmt::join(dscp_words(each.dscp, '='), ", ")),
                   kept ? pfc_at_boot_text(*kept) : "", known ? each.source : each.why_not});
    }
    for (const PfcAtBoot &kept : pfc_of_gone(world, all)) {
        if (asked.empty() || asked == kept.netdev) {
            FlowControl gone;
            gone.netdev = kept.netdev;
            gone.why_not = "not there";
            answer.json["interfaces"].push_back(control_json(gone, kept));
            table.row({kept.netdev, "", "", "", pfc_at_boot_text(kept), gone.why_not});
        }
    }
    if (const auto kept = asked.empty() ? unseen_of_mlx4(world) : std::nullopt) {
        FlowControl gone;
        gone.why_not = "mlx4_en is not loaded";
        answer.json["interfaces"].push_back(control_json(gone, kept));
        table.row({"all of mlx4", "", "", "", pfc_at_boot_text(*kept), gone.why_not});
    }
    if (answer.json["interfaces"].empty() && !asked.empty()) {
        return Error{ExitCode::unavailable, fmt::format("{} carries no RoCE", asked),
                     "see which do: causeway pfc list"};
    }
    answer.text = answer.json["interfaces"].empty() ? "there is no interface that carries RoCE\n"
                                                    : table.text(world.terminal);
    return answer;
}

} // namespace

Verb pfc_show_verb() {
    return {
        .words = "pfc show",
        .operands = "[INTERFACE|DEVICE]",
        .summary = "show priority flow control of interfaces that carry RoCE",
        .most_operands = 1,
        .run = run_pfc_show,
    };
}

Verb pfc_list_verb() {
    return {
        .words = "pfc list",
        .summary = "show priority flow control of all interfaces that carry RoCE, now and at boot",
        .run = run_pfc_show,
    };
}

} // namespace causeway
