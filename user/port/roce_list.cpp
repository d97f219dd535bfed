// SPDX-License-Identifier: GPL-2.0-or-later
// roce list, roce unset: all settings of RoCE at once, those of "roce mode", "roce tos" and "roce
// ecn". The first two belong to an RDMA device, the last one to a network interface.
#include "base/append_once.h"
#include "change/carry_out.h"
#include "host/roce_default.h"
#include "port/roce_device.h"
#include "port/roce_kept.h"
#include "port/roce_tos_change.h"
#include "port/roce_verbs.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace causeway {

namespace {

// The names that a verb is about, also of devices and interfaces that are gone.
struct RoceNames {
    std::vector<std::string> devices;
    std::vector<Congestion> interfaces;
};

struct AllOfRoce {
    KeptOfRoce modes;
    KeptOfRoce tos;
    std::vector<Congestion> congestion;
};

AllOfRoce all_of_roce(World &world) {
    return {kept_modes(world), kept_tos(world), all_congestion(world)};
}

std::vector<std::string> all_devices_of_roce(World &world, const AllOfRoce &all) {
    std::vector<std::string> names;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        if (std::any_of(device.ports.begin(), device.ports.end(),
                        [&](const RdmaPort &port) { return is_roce(device, port); })) {
            names.push_back(device.name);
        }
    }
    for (const KeptOfRoce *kept : {&all.modes, &all.tos}) {
        for (const auto &[name, setting] : *kept) {
            append_once(names, name);
        }
    }
    return names;
}

// Returns what the operand names: an RDMA device with its interfaces, or one interface of mlx5.
// Without an operand, returns all.
Result<RoceNames> names_of(World &world, const Arguments &arguments, const AllOfRoce &all) {
    if (arguments.operands().empty()) {
        return RoceNames{all_devices_of_roce(world, all), all.congestion};
    }
    const std::string &typed = arguments.operands().front();
    RoceNames names;
    for (const Congestion &each : all.congestion) {
        if (each.netdev == typed || (!each.device.empty() && each.device == typed)) {
            names.interfaces.push_back(each);
        }
    }
    const bool is_interface =
        std::any_of(names.interfaces.begin(), names.interfaces.end(),
                    [&](const Congestion &each) { return each.netdev == typed; });
    if (is_interface) {
        return names;
    }
    if (kept_of(all.modes, typed).empty() && kept_of(all.tos, typed).empty()) {
        TRY(find_roce_device(world.files, typed));
    }
    names.devices.push_back(typed);
    return names;
}

/* ---- roce list ---- */

// The settings of one port of a device; without a number, those of a device that is gone.
struct RocePort {
    std::string device;
    std::optional<unsigned int> number;
    std::string mode;
    std::optional<unsigned int> tos;
};

void add_port(const RocePort &port, const AllOfRoce &all, Table &table, Answer &answer) {
    const std::string mode_kept = kept_of(all.modes, port.device);
    const std::string tos_kept = kept_of(all.tos, port.device);
    const std::string mode = port.mode.empty() ? "the kernel's choice: v2 where it can" : port.mode;
    answer.json["ports"].push_back({{"device", port.device},
                                    {"port", port.number ? Json(*port.number) : Json(nullptr)},
                                    {"mode", or_null(port.mode)},
                                    {"at_boot", or_null(mode_kept)},
                                    {"tos", port.tos ? Json(*port.tos) : Json(nullptr)},
                                    {"tos_at_boot", or_null(tos_kept)}});
    table.row({port.device, port.number ? fmt::format("{}", *port.number) : "",
               port.number ? mode : "not there",
               mode_kept.empty() ? "the kernel's choice" : mode_kept,
               port.tos ? fmt::format("{}", *port.tos) : "", tos_kept});
}

// Returns the table of version and type of service, and adds "ports" to the JSON.
std::string table_of_devices(World &world, const RoceNames &names, const AllOfRoce &all,
                             Answer &answer) {
    Table table({{"DEVICE"},
                 {"PORT", Table::Align::right},
                 {"VERSION"},
                 {"AT BOOT"},
                 {"TOS", Table::Align::right},
                 {"AT BOOT", Table::Align::right}});
    for (const std::string &name : names.devices) {
        const auto device = find_rdma_device(world.files, name);
        if (!device) {
            add_port({name, std::nullopt, "", std::nullopt}, all, table, answer);
            continue;
        }
        for (const RdmaPort &port : device->ports) {
            if (is_roce(*device, port)) {
                add_port({name, port.number, roce_mode_now(world.files, name, port.number),
                          roce_tos_now(world.files, name, port.number).value_or(0)},
                         all, table, answer);
            }
        }
    }
    return answer.json["ports"].empty() ? "" : table.text(world.terminal);
}

/* ---- roce unset ---- */

struct RoceParts {
    bool mode = false;
    bool tos = false;
    bool ecn = false;

    // Without an option, all are meant.
    explicit RoceParts(const Arguments &arguments)
        : mode(arguments.has("mode")), tos(arguments.has("tos")), ecn(arguments.has("ecn")) {
        if (!mode && !tos && !ecn) {
            mode = tos = ecn = true;
        }
    }
    std::string nothing_to_do() const {
        std::vector<std::string> parts;
        if (mode) {
            parts.emplace_back("the kernel chooses the version of RoCE, now and at boot");
        }
        if (tos) {
            parts.emplace_back("connections have the kernel's type of service");
        }
        if (ecn) {
            parts.emplace_back("nothing sets ECN at boot");
        }
        return fmt::format("{}", fmt::join(parts, "; "));
    }
};

Result<Answer> run_roce_unset(World &world, const Arguments &arguments) {
    const AllOfRoce all = all_of_roce(world);
    const auto names = TRY(names_of(world, arguments, all));
    const RoceParts settings(arguments);
    const std::string typed = arguments.operands().empty() ? "" : arguments.operands().front();
    if (!typed.empty() && names.devices.empty() && !settings.ecn) {
        return Error{ExitCode::usage,
                     fmt::format("{} is a network interface, which has no version and no type of "
                                 "service of its own",
                                 typed),
                     "name the RDMA device: causeway roce list"};
    }
    ChangeSet set(typed.empty() ? "roce unset" : "roce unset " + typed);
    for (const std::string &name : names.devices) {
        if (settings.mode) {
            TRY(plan_mode_unset(world, set, name));
        }
        if (settings.tos) {
            TRY(plan_tos_unset(world, set, name));
        }
    }
    std::string note;
    for (const Congestion &each : names.interfaces) {
        if (settings.ecn && keeps_ecn(world, each.netdev)) {
            TRY(plan_ecn_unset(world, set, each.netdev));
            note += fmt::format("{} keeps its present ECN until the next boot\n", each.netdev);
        }
    }
    set.reload_systemd(world);
    auto answer = TRY(carry_out(world, {arguments.dry_run()}, set, settings.nothing_to_do()));
    if (!arguments.dry_run()) {
        answer.text += note;
    }
    return answer;
}

} // namespace

std::string kept_of(const KeptOfRoce &kept, const std::string &device) {
    const auto found = kept.find(device);
    return found == kept.end() ? std::string() : found->second;
}

Result<Answer> run_roce_list(World &world, const Arguments &arguments) {
    const AllOfRoce all = all_of_roce(world);
    const auto names = TRY(names_of(world, arguments, all));
    Answer answer;
    answer.json["ports"] = Json::array();
    answer.text = table_of_devices(world, names, all, answer);
    const std::string ecn = table_of_ecn(world, names.interfaces, false, answer);
    if (!names.interfaces.empty()) {
        answer.text += (answer.text.empty() ? "" : "\n") + ecn;
    }
    if (answer.text.empty()) {
        answer.text = "there is no device of RoCE\n";
    }
    return answer;
}

Verb roce_list_verb() {
    return {
        .words = "roce list",
        .operands = "[DEVICE|NETDEV]",
        .summary = "show the version of RoCE and the type of service of connections, and ECN, now "
                   "and at boot",
        .most_operands = 1,
        .run = run_roce_list,
    };
}

Verb roce_unset_verb() {
    return {
        .words = "roce unset",
        .operands = "[DEVICE|NETDEV]",
        .summary = "leave version, type of service and ECN of RoCE to the kernel and the adapter, "
                   "now and at every boot; without DEVICE of all devices",
        .options = {{"mode", "", "only the version, of roce mode"},
                    {"tos", "", "only the type of service, of roce tos"},
                    {"ecn", "", "only ECN of its interfaces, of roce ecn: from the next boot on"}},
        .most_operands = 1,
        .changes = true,
        .run = run_roce_unset,
    };
}

} // namespace causeway
