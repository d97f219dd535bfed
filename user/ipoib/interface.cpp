// SPDX-License-Identifier: GPL-2.0-or-later
// ipoib show, ipoib set: mode and MTU of IP over InfiniBand, now and at every boot.
#include "command/verb.h"
#include "host/interface_now.h"
#include "host/ipoib.h"
#include "host/rdma_devices.h"
#include "ipoib/keeping.h"
#include "ipoib/options.h"
#include "show/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

Result<void> check_mode(const IpoibInterface &interface, const std::string &mode) {
    TRY(ipoib_can(interface, mode));
    if (interface.mode.empty()) {
        return Error{ExitCode::unavailable,
                     fmt::format("neither sysfs nor ip -details link reports the mode of {}",
                                 interface.name),
                     "see: ip -details link show dev " + interface.name};
    }
    return {};
}

// Returns the record with the new mode and MTU.
InterfaceSettings merged(const std::vector<InterfaceSettings> &records,
                         const IpoibInterface &interface, const std::optional<std::string> &mode,
                         const std::optional<std::uint64_t> &mtu) {
    const InterfaceSettings *record = find_record(records, interface.name);
    InterfaceSettings settings = record == nullptr ? InterfaceSettings() : *record;
    settings.name = interface.name;
    add_partition(settings, interface);
    // An MTU belongs to a mode: the kernel changes it with the mode.
    if (mode && *mode != (settings.mode.empty() ? interface.mode : settings.mode)) {
        settings.mtu.reset();
    }
    if (mode || settings.mode.empty()) {
        settings.mode = mode.value_or(interface.mode);
    }
    if (mtu) {
        settings.mtu = static_cast<unsigned int>(*mtu);
    }
    return settings;
}

std::vector<std::string> mode_program(const std::string &name, const std::string &mode) {
    return {"ip", "link", "set", "dev", name, "type", "ipoib", "mode", mode};
}

// Returns the changes that set mode and MTU now.
Result<std::vector<ChangePointer>> live_changes(World &world, const IpoibInterface &interface,
                                                const std::optional<std::string> &mode,
                                                const std::optional<std::uint64_t> &mtu) {
    std::vector<ChangePointer> changes;
    const std::string folder = net_folder(interface.name);
    const bool other_mode = mode && *mode != interface.mode;
    if (other_mode) {
        changes.push_back(interface.mode_by_netlink
                              ? change_program(mode_program(interface.name, *mode),
                                               mode_program(interface.name, interface.mode))
                              : change_value(folder + "/mode", interface.mode, *mode));
    }
    const std::string place = folder + "/mtu";
    const std::string now = sysfs_text(world.files, place);
    if (now.empty()) {
        return Error{ExitCode::unavailable, fmt::format("there is no {}", place)};
    }
    // A change of the mode changes the MTU. So a given MTU is written even if it equals the present
    // one. If none is given, the present MTU is recorded for undo.
    const std::string wanted = mtu ? fmt::format("{}", *mtu) : "";
    if (mtu && (other_mode || wanted != now)) {
        changes.push_back(change_value(place, now, wanted));
    } else if (!mtu && other_mode) {
        changes.push_back(change_value(place, now, std::nullopt));
    }
    return changes;
}

Result<Answer> run_ipoib_show(World &world, const Arguments &arguments) {
    std::vector<IpoibInterface> interfaces;
    if (arguments.operands().empty()) {
        interfaces = ipoib_interfaces(world.files, world.processes);
    } else {
        auto one = TRY(find_ipoib(world.files, world.processes, arguments.operands().front()));
        interfaces.push_back(one);
    }
    Answer answer;
    answer.json["interfaces"] = Json::array();
    Table table({{"INTERFACE"},
                 {"STATE"},
                 {"MODE"},
                 {"MTU", Table::Align::right},
                 {"P_KEY"},
                 {"PORT GUID"},
                 {"CONNECTED MODE"},
                 {"ADDRESSES"}});
    for (const IpoibInterface &each : interfaces) {
        std::vector<std::string> addresses;
        if (auto now = interface_now(world.processes, each.name)) {
            for (const AddressNow &address : now->addresses) {
                addresses.push_back(address.text());
            }
        }
        answer.json["interfaces"].push_back(
            {{"name", each.name},
             {"up", each.up},
             {"mode", each.mode.empty() ? Json(nullptr) : Json(each.mode)},
             {"mtu", each.mtu},
             {"pkey", each.pkey.empty() ? Json(nullptr) : Json(each.pkey)},
             {"parent", each.parent.empty() ? Json(nullptr) : Json(each.parent)},
             {"address", each.address},
             {"port_guid", port_guid_of(each.address)},
             {"can_connect", each.can_connect},
             {"addresses", addresses}});
        table.row({each.name, each.up ? "up" : "down", each.mode, fmt::format("{}", each.mtu),
                   each.pkey, port_guid_of(each.address), each.can_connect ? "can" : "cannot",
                   fmt::format("{}", fmt::join(addresses, " "))});
    }
    answer.text = table.text(world.terminal);
    if (answer.text.empty()) {
        answer.text = "there is no IP over InfiniBand interface\n";
    }
    return answer;
}

Result<Answer> run_ipoib_set(World &world, const Arguments &arguments) {
    const std::string &name = arguments.operands().front();
    auto mtu = TRY(arguments.number("mtu", least_ipoib_mtu, most_connected_mtu));
    const auto mode = arguments.text("mode");
    if (!mode && !mtu) {
        return Error{ExitCode::usage, "there is nothing to set", "give --mode, --mtu or both"};
    }
    auto interface = TRY(find_ipoib(world.files, world.processes, name));
    if (mode) {
        TRY(check_mode(interface, *mode));
    }
    if (mtu) {
        TRY(check_ipoib_mtu(mode.value_or(interface.mode), *mtu));
    }
    auto live = TRY(live_changes(world, interface, mode, mtu));
    ChangeSet set(fmt::format("ipoib set {}", name));
    auto kept = TRY(keep_interface(world, set, arguments, name, std::move(live),
                                   [&](const std::vector<InterfaceSettings> &records) {
                                       return merged(records, interface, mode, mtu);
                                   }));
    const bool changes = !set.empty();
    auto answer = carry_out_guarded(world, {arguments.dry_run()}, set,
                                    fmt::format("{} has this mode and MTU already", name),
                                    guard_unless_confirmed(world, arguments, {name}, set));
    if (answer) {
        report_keeping(*answer, name, kept, changes);
    }
    return answer;
}

const VerbRows interface_rows(Section::host, 2, [] {
    return std::vector<Verb>{
        {
            .words = "ipoib show",
            .operands = "[INTERFACE]",
            .summary = "show IP over InfiniBand: mode, MTU, P_Key, port GUID, addresses",
            .most_operands = 1,
            .run = run_ipoib_show,
        },
        {
            .words = "ipoib set",
            .operands = "INTERFACE",
            .summary = "change the mode or MTU of an interface, now and at every boot",
            .options = {mode_option, mtu_option, without_option, backend_option, no_persist,
                        confirmed_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_ipoib_set,
        },
    };
});

} // namespace

} // namespace causeway
