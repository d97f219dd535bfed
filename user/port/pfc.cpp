// SPDX-License-Identifier: GPL-2.0-or-later
// pfc show, pfc set: priority flow control (IEEE 802.1Qbb), without which RoCE loses packets on a
// busy network, and the priorities of DSCPs.
//
// mlx4 takes flow control as an option of its module. All other drivers take it by dcb(8), and lose
// it with the device: a unit sets it again.
#include "base/units.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "doctor/gather.h"
#include "port/at_boot_option.h"
#include "port/device_unit.h"
#include "port/flow_control.h"
#include "port/roce_verbs.h"
#include "show/table.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

namespace causeway {

namespace {

std::string priorities_text(const Priorities &priorities) {
    return priorities.empty() ? "off" : fmt::format("{}", fmt::join(priorities, ", "));
}

std::vector<std::string> dscp_words(const DscpPriorities &map, char between) {
    std::vector<std::string> words;
    for (const auto &[dscp, priority] : map) {
        words.push_back(fmt::format("{}{}{}", dscp, between, priority));
    }
    return words;
}

// Parses "26=3". The list "none" is an empty map.
Result<DscpPriorities> parse_dscp(const std::vector<std::string> &typed) {
    DscpPriorities map;
    for (const std::string &word : typed) {
        if (word == "none" && typed.size() == 1) {
            return map;
        }
        const std::size_t equals = word.find('=');
        auto dscp = parse_number("a DSCP", word.substr(0, equals), 0, dscp_count - 1);
        auto priority =
            parse_number("a priority", equals == std::string::npos ? "" : word.substr(equals + 1),
                         0, priority_count - 1);
        if (!dscp || !priority) {
            return Error{ExitCode::usage, fmt::format("'{}' gives no priority to a DSCP", word),
                         "write DSCP=PRIORITY, a DSCP from 0 to 63 and a priority from 0 to 7: "
                         "--dscp 26=3; or: --dscp none"};
        }
        const auto key = static_cast<unsigned int>(*dscp);
        if (!map.emplace(key, static_cast<unsigned int>(*priority)).second) {
            return Error{ExitCode::usage, fmt::format("the DSCP {} is there twice", key),
                         "give each DSCP one priority"};
        }
    }
    return map;
}

DeviceUnit pfc_unit_on(const std::string &netdev) {
    DeviceUnit unit;
    unit.verb = "pfc set";
    unit.setting = "pfc";
    unit.subject = netdev;
    return unit;
}

DeviceUnit pfc_unit_of(const FlowControl &control) {
    DeviceUnit unit = pfc_unit_on(control.netdev);
    unit.interface = control.netdev;
    unit.node_guid = control.node_guid;
    unit.description = fmt::format("Priority flow control of {}", control.netdev);
    return unit;
}

// The settings that the unit of an interface, or an option of mlx4_en, makes at boot.
struct AtBoot {
    Priorities on;
    DscpPriorities dscp;
    std::string netdev{};
};

// Parses the command of a unit. Returns none if there is no unit, or if an administrator wrote
// another command into it.
std::optional<AtBoot> parse_at_boot(const std::vector<std::string> &words) {
    std::vector<std::string> typed;
    std::vector<std::string> maps;
    std::string netdev;
    for (std::size_t i = 0; i < words.size(); i++) {
        if (words[i] == "--dscp" && i + 1 < words.size()) {
            maps.push_back(words[++i]);
        } else if (words[i] == "--interface" && i + 1 < words.size()) {
            netdev = words[++i];
        } else if (words[i].compare(0, 2, "--") != 0) {
            typed.push_back(words[i]);
        }
    }
    const auto on = parse_priorities(typed);
    const auto dscp = parse_dscp(maps);
    return words.empty() || typed.empty() || !on || !dscp
               ? std::nullopt
               : std::optional(AtBoot{*on, *dscp, netdev});
}

std::optional<AtBoot> at_boot_by_unit(const World &world, const FlowControl &control) {
    return parse_at_boot(words_at_boot(world, pfc_unit_of(control)));
}

// Returns the option of mlx4_en in the file of "pfc set", or none.
std::optional<AtBoot> at_boot_of_mlx4(const World &world) {
    constexpr std::string_view key = "pfctx=";
    const std::string text = text_of(world.places.mlx4_options()).value_or("");
    const std::size_t place = text.find(key);
    if (place == std::string::npos) {
        return std::nullopt;
    }
    return AtBoot{bits_of(std::strtoul(text.c_str() + place + key.size(), nullptr, 0)), {}};
}

std::optional<AtBoot> at_boot_of(const World &world, const FlowControl &control) {
    return control.source == "mlx4_en" ? at_boot_of_mlx4(world) : at_boot_by_unit(world, control);
}

// Returns the interfaces whose unit exists, and which do not.
std::vector<AtBoot> kept_of_gone(const World &world, const std::vector<FlowControl> &there) {
    std::vector<AtBoot> gone;
    for (const auto &words : all_words_at_boot(world, "pfc", "pfc set")) {
        const auto kept = parse_at_boot(words);
        const bool known =
            !kept || std::any_of(there.begin(), there.end(), [&](const FlowControl &each) {
                return each.netdev == kept->netdev;
            });
        if (!known && !kept->netdev.empty()) {
            gone.push_back(*kept);
        }
    }
    return gone;
}

Json dscp_json(const DscpPriorities &map) {
    Json json = Json::array();
    for (const auto &[dscp, priority] : map) {
        json.push_back({{"dscp", dscp}, {"priority", priority}});
    }
    return json;
}

std::string at_boot_text(const AtBoot &kept) {
    return priorities_text(kept.on) +
           (kept.dscp.empty() ? ""
                              : fmt::format("; {}", fmt::join(dscp_words(kept.dscp, '='), ", ")));
}

Json control_json(const FlowControl &control, const std::optional<AtBoot> &kept) {
    const bool known = !control.source.empty();
    return {{"interface", control.netdev},
            {"device", or_null(control.device)},
            {"priorities", known ? Json(control.on) : Json(nullptr)},
            {"dscp", control.source == "dcb" ? dscp_json(control.dscp) : Json(nullptr)},
            {"source", known ? Json(control.source) : Json(nullptr)},
            {"at_boot", kept ? Json{{"priorities", kept->on}, {"dscp", dscp_json(kept->dscp)}}
                             : Json(nullptr)},
            {"why_not", control.why_not}};
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
        const auto kept = at_boot_of(world, each);
        answer.json["interfaces"].push_back(control_json(each, kept));
        table.row({each.netdev, each.device, known ? priorities_text(each.on) : "unknown",
                   fmt::format("{}", fmt::join(dscp_words(each.dscp, '='), ", ")),
                   kept ? at_boot_text(*kept) : "", known ? each.source : each.why_not});
    }
    for (const AtBoot &kept : kept_of_gone(world, all)) {
        if (asked.empty() || asked == kept.netdev) {
            FlowControl gone;
            gone.netdev = kept.netdev;
            gone.why_not = "not there";
            answer.json["interfaces"].push_back(control_json(gone, kept));
            table.row({kept.netdev, "", "", "", at_boot_text(kept), gone.why_not});
        }
    }
    if (answer.json["interfaces"].empty() && !asked.empty()) {
        return Error{ExitCode::unavailable, fmt::format("{} carries no RoCE", asked),
                     "see which do: causeway pfc show"};
    }
    answer.text = answer.json["interfaces"].empty() ? "there is no interface that carries RoCE\n"
                                                    : table.text(world.terminal);
    return answer;
}

// The initramfs must contain the options of mlx4_en too, because the module may be loaded from
// there.
std::vector<std::string> initramfs_program(World &world) {
    if (world.processes.there("update-initramfs")) {
        return {"update-initramfs", "-u"};
    }
    if (world.processes.there("dracut")) {
        return {"dracut", "--force"};
    }
    return {};
}

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
                     "see which do: causeway pfc show"};
    }
    if (found->software) {
        return Error{
            ExitCode::unavailable,
            fmt::format("{} is below {}, an RDMA device by software", typed, found->device),
            "priority flow control is for adapters: causeway pfc show"};
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
    for (const AtBoot &kept : unsets ? kept_of_gone(world, all) : std::vector<AtBoot>()) {
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
                     "see: causeway pfc show"};
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

// Adds or deletes one entry. The order of mlx5 matters: it replaces an entry by itself when another
// is added, and then refuses to delete the old one. So the old entry is deleted first.
ChangePointer change_entry(const std::string &netdev, unsigned int dscp, unsigned int priority,
                           bool is_new) {
    const auto words = [&](const char *action) {
        return std::vector<std::string>{
            "dcb", "app", action, "dev", netdev, "dscp-prio", fmt::format("{}:{}", dscp, priority)};
    };
    return is_new ? change_program(words("add"), words("del"))
                  : change_program(words("del"), words("add"));
}

void plan_dscp(ChangeSet &set, const FlowControl &control, const DscpPriorities &before,
               const DscpPriorities &after) {
    // Entries that another program made are not removed.
    for (const auto &[dscp, priority] : control.dscp) {
        const auto wanted = after.find(dscp);
        const bool dropped = wanted == after.end() && before.count(dscp) != 0;
        if (dropped || (wanted != after.end() && wanted->second != priority)) {
            set.add(change_entry(control.netdev, dscp, priority, false));
        }
    }
    for (const auto &[dscp, priority] : after) {
        const auto now = control.dscp.find(dscp);
        if (now == control.dscp.end() || now->second != priority) {
            set.add(change_entry(control.netdev, dscp, priority, true));
        }
    }
}

struct Wish {
    Priorities on;
    std::optional<DscpPriorities> dscp; // none: as it is
    bool persists = false;
    bool at_boot = false;
};

Result<void> plan_interface(World &world, ChangeSet &set, const FlowControl &control,
                            const Wish &wish) {
    const auto kept = at_boot_by_unit(world, control).value_or(AtBoot());
    const DscpPriorities dscp = wish.dscp.value_or(wish.on.empty() ? DscpPriorities() : kept.dscp);
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
    plan_dscp(set, control, kept.dscp, dscp);
    return {};
}

// Returns true if the running module has other priorities than the wanted ones.
Result<bool> plan_mlx4(World &world, ChangeSet &set, const Wish &wish, bool initramfs) {
    unsigned long mask = 0;
    for (const unsigned int priority : wish.on) {
        mask |= 1UL << priority;
    }
    const std::size_t before = set.changes().size();
    const std::string text = our_header("pfc set") +
                             fmt::format("options mlx4_en pfctx=0x{0:02x} pfcrx=0x{0:02x}\n", mask);
    TRY(mask == 0 ? set.remove(world.places.mlx4_options())
                  : set.write(world.places.mlx4_options(), text));
    const bool changes = set.changes().size() != before;
    const auto program = initramfs_program(world);
    if (changes && !program.empty() && initramfs) {
        set.add(refresh_program(program));
    }
    return changes && (std::strtoul(mlx4_sent(world.files).c_str(), nullptr, 0) &
                       std::strtoul(mlx4_received(world.files).c_str(), nullptr, 0)) != mask;
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
        needs_reboot = TRY(plan_mlx4(world, set, wish, !arguments.has("no-initramfs")));
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
        {
            .words = "pfc show",
            .operands = "[INTERFACE|DEVICE]",
            .summary = "show priority flow control of interfaces that carry RoCE",
            .most_operands = 1,
            .run = run_pfc_show,
        },
        {
            .words = "pfc set",
            .operands = "PRIORITY...|none",
            .summary = "set priority flow control of RoCE adapters, now and at every boot; of "
                       "mlx4, from the next boot on",
            .options = {{"interface", "NETDEV",
                         "only this interface; default: all of RoCE adapters", true},
                        {"dscp", "DSCP=PRIORITY",
                         "give packets with this DSCP the priority, and trust DSCPs; none: give "
                         "up these priorities",
                         true},
                        {"no-initramfs", "", "do not make the initramfs anew"},
                        no_persist,
                        at_boot_option},
            .least_operands = 1,
            .most_operands = 8,
            .changes = true,
            .run = run_pfc_set,
        },
        roce_tos_verb(),
        roce_ecn_verb(),
    };
});

} // namespace

} // namespace causeway
