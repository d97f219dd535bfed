// SPDX-License-Identifier: GPL-2.0-or-later
// roce tos: the type of service in the packets of connections that rdma_cm makes from a RoCE
// device, now and at every boot. Its upper six bits are the DSCP, by which switches choose a
// priority.
#include "base/units.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "port/at_boot_option.h"
#include "port/device_unit.h"
#include "port/roce_device.h"
#include "port/roce_kept.h"
#include "port/roce_tos_change.h"
#include "port/roce_verbs.h"
#include "show/table.h"

#include <fmt/format.h>

namespace causeway {

namespace {

// Returns 0, the kernel's default, for "unset".
Result<unsigned int> parse_tos(const std::string &typed) {
    if (typed == "unset") {
        return 0U;
    }
    auto tos = parse_number("a type of service", typed, 0, most_tos);
    if (!tos) {
        Error error = tos.error();
        error.fix = "give a number from 0 to 255, four times the DSCP: 104 for DSCP 26; or unset";
        return error;
    }
    return static_cast<unsigned int>(*tos);
}

DeviceUnit tos_unit_on(const std::string &device) {
    return device_unit("roce tos", "tos", device);
}

DeviceUnit tos_unit_of(const RdmaDevice &device) {
    DeviceUnit unit = tos_unit_on(device.name);
    unit.node_guid = device.node_guid;
    unit.description = fmt::format("Type of service of connections from {}", device.name);
    return unit;
}

// @gone: also show what is kept of devices that are not there.
Answer show_tos(World &world, const std::vector<RdmaDevice> &devices, bool gone) {
    Answer answer;
    answer.json["ports"] = Json::array();
    Table table({{"DEVICE"},
                 {"PORT", Table::Align::right},
                 {"TOS", Table::Align::right},
                 {"DSCP", Table::Align::right},
                 {"AT BOOT"}});
    const auto all_kept = kept_tos(world);
    for (const RdmaDevice &device : devices) {
        const std::string at_boot = kept_of(all_kept, device.name);
        for (const RdmaPort &port : device.ports) {
            if (!is_roce(device, port)) {
                continue;
            }
            const unsigned int tos =
                roce_tos_now(world.files, device.name, port.number).value_or(0);
            answer.json["ports"].push_back({{"device", device.name},
                                            {"port", port.number},
                                            {"tos", tos},
                                            {"dscp", tos >> 2U},
                                            {"at_boot", or_null(at_boot)}});
            table.row({device.name, fmt::format("{}", port.number), fmt::format("{}", tos),
                       fmt::format("{}", tos >> 2U), at_boot});
        }
    }
    for (const auto &[device, tos] : gone ? all_kept : KeptOfRoce()) {
        const std::string &name = device;
        if (std::none_of(devices.begin(), devices.end(),
                         [&](const RdmaDevice &each) { return each.name == name; })) {
            answer.json["ports"].push_back({{"device", device},
                                            {"port", nullptr},
                                            {"tos", nullptr},
                                            {"dscp", nullptr},
                                            {"at_boot", tos}});
            table.row({device, "", "not there", "", tos});
        }
    }
    answer.text =
        answer.json["ports"].empty() ? "there is no device of RoCE\n" : table.text(world.terminal);
    return answer;
}

Result<Answer> unset_tos(World &world, const std::string &device, bool dry_run) {
    if (kept_of(kept_tos(world), device).empty()) {
        TRY(find_roce_device(world.files, device));
    }
    ChangeSet set(fmt::format("roce tos {} unset", device));
    TRY(plan_tos_unset(world, set, device));
    set.reload_systemd(world);
    return carry_out(world, {dry_run}, set,
                     fmt::format("{} has no type of service of its own", device));
}

Result<Answer> run_roce_tos(World &world, const Arguments &arguments) {
    const auto &operands = arguments.operands();
    if (operands.empty()) {
        return show_tos(world, rdma_devices(world.files), true);
    }
    if (operands.size() == 2 && operands[1] == "unset" && !arguments.has("no-persist") &&
        !arguments.has("at-boot")) {
        return unset_tos(world, operands.front(), arguments.dry_run());
    }
    auto device = TRY(find_roce_device(world.files, operands.front()));
    if (operands.size() == 1) {
        return show_tos(world, {device}, false);
    }
    auto tos = TRY(parse_tos(operands[1]));
    const bool at_boot = arguments.has("at-boot");
    const bool persists = !at_boot && !arguments.has("no-persist") && systemd_runs(world);
    ChangeSet set(fmt::format("roce tos {} {}", device.name, operands[1]));
    if (persists) {
        DeviceUnit unit = tos_unit_of(device);
        unit.words = {device.name, fmt::format("{}", tos)};
        TRY(plan_device_unit(world, set, unit));
        set.reload_systemd(world);
    }
    bool loads = false;
    for (const RdmaPort &port : device.ports) {
        const unsigned int now = roce_tos_now(world.files, device.name, port.number).value_or(0);
        if (!is_roce(device, port) || now == tos) {
            continue;
        }
        if (!loads) {
            set.load(world, "rdma_cm");
            loads = true;
        }
        set.add(change_roce_tos({device.name, port.number, now, tos}));
    }
    auto answer = carry_out(
        world, {arguments.dry_run(), !at_boot}, set,
        fmt::format("connections from {} have the type of service {} already", device.name, tos));
    if (answer && !persists && !at_boot && !arguments.has("no-persist")) {
        answer->warnings.emplace_back(
            "systemd does not run here: nothing sets this again after a reboot");
    }
    return answer;
}

} // namespace

KeptOfRoce kept_tos(const World &world) {
    KeptOfRoce kept;
    for (const auto &words : all_words_at_boot(world, "tos", "roce tos")) {
        if (words.size() > 1) {
            kept.emplace(words[0], words[1]);
        }
    }
    return kept;
}

Result<void> plan_tos_unset(World &world, ChangeSet &set, const std::string &name) {
    TRY(plan_no_device_unit(world, set, tos_unit_on(name)));
    const auto device = find_rdma_device(world.files, name);
    for (const RdmaPort &port : device ? device->ports : std::vector<RdmaPort>()) {
        const unsigned int now = roce_tos_now(world.files, name, port.number).value_or(0);
        if (is_roce(*device, port) && now != 0) {
            set.add(change_roce_tos({name, port.number, now, 0}));
        }
    }
    return {};
}

Verb roce_tos_verb() {
    return {
        .words = "roce tos",
        .operands = "[DEVICE] [TOS|unset]",
        .summary = "show or set the type of service, with the DSCP, of connections by RoCE",
        .options = {no_persist, at_boot_option},
        .most_operands = 2,
        .changes = true,
        .run = run_roce_tos,
    };
}

} // namespace causeway
