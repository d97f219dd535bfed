// SPDX-License-Identifier: GPL-2.0-or-later
// sm qos set, unset, show: the service levels of the subnets of this machine's subnet managers.
#include "show/table.h"
#include "subnet/managers.h"
#include "subnet/ports.h"
#include "subnet/qos.h"
#include "subnet/verbs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::uint64_t most_high_limit = 255;
constexpr std::uint64_t usual_high_limit = 10;

Result<Answer> run_sm_qos_set(World &world, const Arguments &arguments) {
    const auto limit = TRY(arguments.number("high-limit", 0, most_high_limit));
    if (!arguments.has("level") && !arguments.has("high")) {
        return Error{ExitCode::usage, "there is no service level to set",
                     "give --level SL=WEIGHT, such as --level 0=64 1=192"};
    }
    if (limit && !arguments.has("high")) {
        return Error{ExitCode::usage,
                     "--high-limit limits the levels of --high, and there are none",
                     "give --high SL=WEIGHT too"};
    }
    const auto levels = TRY(parse_qos_levels(
        arguments.list("level"), arguments.list("high"),
        static_cast<unsigned int>(limit.value_or(arguments.has("high") ? usual_high_limit : 0))));
    auto package = TRY(need_opensm(world));
    const Managers before = TRY(need_managers(world));
    const auto guids =
        TRY(choose_enabled(subnet_ports(world.files), before.guids(), arguments.operands()));
    Managers after = before;
    for (const auto &[key, value] : qos_settings(levels)) {
        after.set(guids, key, value);
    }
    return carry_managers(world, arguments.dry_run(),
                          title_with_ports("sm qos set", arguments.operands()), package, before,
                          after, "opensm has these service levels already");
}

Result<Answer> run_sm_qos_unset(World &world, const Arguments &arguments) {
    auto package = TRY(need_opensm(world));
    const Managers before = TRY(need_managers(world));
    const auto guids =
        TRY(choose_enabled(subnet_ports(world.files), before.guids(), arguments.operands()));
    Managers after = before;
    for (const std::string &key : qos_keys()) {
        after.unset(guids, key);
    }
    return carry_managers(world, arguments.dry_run(),
                          title_with_ports("sm qos unset", arguments.operands()), package, before,
                          after, "no service levels are set");
}

// Adds the levels of one port.
void add_qos_levels(const std::string &guid, const OpensmSettings &settings,
                    const Terminal &terminal, Answer &answer) {
    const bool on = qos_is_on(settings);
    const auto levels = on ? qos_levels_of(settings) : std::nullopt;
    Json rows = Json::array();
    Table table({{"SL", Table::Align::right},
                 {"VL", Table::Align::right},
                 {"WEIGHT", Table::Align::right},
                 {"PRIORITY"}});
    for (const QosLevel &level : levels ? levels->levels : std::vector<QosLevel>()) {
        rows.push_back(
            {{"sl", level.sl}, {"vl", level.vl}, {"weight", level.weight}, {"high", level.high}});
        table.row({fmt::format("{}", level.sl), fmt::format("{}", level.vl),
                   fmt::format("{}", level.weight), level.high ? "high" : "low"});
    }
    answer.json["qos"].push_back({{"port", guid},
                                  {"on", on},
                                  {"high_limit", levels ? Json(levels->high_limit) : Json(nullptr)},
                                  {"levels", rows}});
    if (!on) {
        answer.text += fmt::format("no service levels are set on {}\n", guid);
        return;
    }
    if (!levels) {
        answer.warnings.push_back(
            fmt::format("the settings qos_* of {} are not those of \"causeway sm qos set\"", guid));
    }
    answer.text += fmt::format("service levels on {}; other levels share the lane of level 0\n{}",
                               guid, table.text(terminal));
}

Result<Answer> run_sm_qos_show(World &world, const Arguments &arguments) {
    Managers managers = TRY(read_managers(world.places));
    auto guids =
        TRY(choose_enabled(subnet_ports(world.files), managers.guids(), arguments.operands()));
    if (guids.empty()) {
        guids = managers.guids();
    }
    Answer answer;
    answer.json["qos"] = Json::array();
    for (const std::string &guid : guids) {
        const auto settings = TRY(effective_settings(world.places, managers, managers.find(guid)));
        add_qos_levels(guid, settings, world.terminal, answer);
    }
    if (guids.empty()) {
        answer.text = "causeway enabled no subnet manager here, so no service levels are set\n";
    }
    return answer;
}

} // namespace

std::vector<Verb> qos_verbs() {
    return std::vector<Verb>{
        {
            .words = "sm qos set",
            .operands = manager_operands,
            .summary = "give service levels a share of each link, in the subnets of the given "
                       "ports or of all",
            .options = {{"level", "SL=WEIGHT...",
                         "service levels from 0 to 15 with their weights from 1 to 255; level 0 "
                         "is that of all other traffic",
                         true},
                        {"high", "SL=WEIGHT...",
                         "service levels that are served before those of --level", true},
                        {"high-limit", "0-255",
                         "how much the levels of --high send before another level has a turn, in "
                         "units of 4 KiB; 255: without limit; by default 10"}},
            .most_operands = 64,
            .changes = true,
            .run = run_sm_qos_set,
        },
        {
            .words = "sm qos unset",
            .operands = manager_operands,
            .summary = "remove the service levels",
            .most_operands = 64,
            .changes = true,
            .run = run_sm_qos_unset,
        },
        {
            .words = "sm qos show",
            .operands = manager_operands,
            .summary = "show service levels, their virtual lanes and weights",
            .most_operands = 64,
            .run = run_sm_qos_show,
        },
    };
}

} // namespace causeway
