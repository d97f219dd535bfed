// SPDX-License-Identifier: GPL-2.0-or-later
// port type, port unset, port list: the link type of a port of mlx4, and what is kept of a port for
// the next boot.
#include "change/unconfirmed.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "host/pci_details.h"
#include "netconf/session_guard.h"
#include "port/adapter_use.h"
#include "port/port_name.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace causeway {

namespace {

std::string type_file(const PortName &port) {
    return fmt::format("/sys/class/infiniband/{}/device/mlx4_port{}", port.device.name,
                       port.port.number);
}

Error no_type(const PortName &port, const std::string &driver, const std::string &slot) {
    Error error{ExitCode::unavailable,
                fmt::format("the type of {} cannot be changed: only mlx4 (ConnectX-3 and before) "
                            "does that while it runs",
                            port.text())};
    if (driver.substr(0, 4) == "mlx5") {
        error.fix = fmt::format("mlx5 keeps it in its firmware: mstconfig -d {} set "
                                "LINK_TYPE_P{}=1 (InfiniBand) or 2 (Ethernet), then reboot",
                                slot, port.port.number);
    }
    return error;
}

// Returns the value of "type eth" in the output of devlink.
std::string devlink_type(World &world, const std::string &handle) {
    auto end = world.processes.run({"devlink", "port", "show", handle});
    if (!end || !end->good()) {
        return {};
    }
    const std::size_t place = end->out.find(" type ");
    if (place == std::string::npos) {
        return {};
    }
    const std::size_t start = place + 6;
    return end->out.substr(start, end->out.find_first_of(" \n", start) - start);
}

// The type that a port has, and how it is set: by a file of sysfs, or by devlink.
struct TypeNow {
    std::string text;   // "ib", or "auto (ib)" with the detected type; empty: the port has none
    std::string handle; // of devlink; empty: sysfs

    // Returns the type without the detected one.
    std::string word() const { return text.substr(0, text.find(' ')); }
};

TypeNow type_now(World &world, const PortName &port) {
    const std::string by_sysfs = sysfs_text(world.files, type_file(port));
    if (!by_sysfs.empty()) {
        return {by_sysfs, {}};
    }
    const std::string driver = uevent_value(world.files, port.device.name, "DRIVER");
    const std::string slot = uevent_value(world.files, port.device.name, "PCI_SLOT_NAME");
    if (driver.substr(0, 4) != "mlx4" || slot.empty() || !world.processes.there("devlink")) {
        return {};
    }
    const std::string handle = fmt::format("pci/{}/{}", slot, port.port.number);
    return {devlink_type(world, handle), handle};
}

Result<void> plan_type_now(World &world, ChangeSet &set, const PortName &port, const TypeNow &now,
                           const std::string &type) {
    if (now.text.empty()) {
        return no_type(port, uevent_value(world.files, port.device.name, "DRIVER"),
                       uevent_value(world.files, port.device.name, "PCI_SLOT_NAME"));
    }
    if (now.handle.empty()) {
        return set.set(world, type_file(port), type);
    }
    if (now.text != type) {
        set.add(change_program({"devlink", "port", "set", now.handle, "type", type},
                               {"devlink", "port", "set", now.handle, "type", now.text}));
    }
    return {};
}

constexpr OptionSpec force_option{"force", "",
                                  "also if a disk or a mount is connected by the adapter"};
constexpr OptionSpec confirmed_option{
    "confirmed", "",
    "do not wait for \"causeway confirm\", although a session runs over the adapter: for scripts"};

// Returns the guard of a set that changes the type of a port now. Returns an error if the adapter
// is in use, unless --force is given.
Result<std::optional<Guard>> guard_of_type(World &world, const Arguments &arguments,
                                           const PortName &port, const std::string &verb) {
    if (!arguments.has("force")) {
        TRY(expect_adapter_unused(world, port.device.name, verb));
    }
    return arguments.has("confirmed")
               ? std::optional<Guard>()
               : guard_of_session(world, interfaces_of_adapter(world.files, port.device.name));
}

bool is_type(const std::string &text) {
    return text == "ib" || text == "eth" || text == "auto";
}

Result<Answer> run_port_type(World &world, const Arguments &arguments) {
    const std::string &type = arguments.operands()[1];
    if (!is_type(type)) {
        return Error{ExitCode::usage, fmt::format("'{}' is no type of a port", type),
                     type == "unset" ? "to take the type back: causeway port unset " +
                                           arguments.operands().front()
                                     : "give ib, eth or auto"};
    }
    auto port = TRY(find_port(world, arguments.operands().front()));
    const TypeNow now = type_now(world, port);
    ChangeSet set(fmt::format("port type {} {}", port.text(), type));
    TRY(plan_type_now(world, set, port, now, type));
    std::optional<Guard> guard;
    if (!set.empty()) {
        guard = TRY(guard_of_type(world, arguments, port, "port type"));
    }
    if (!arguments.has("no-persist")) {
        const std::string slot = uevent_value(world.files, port.device.name, "PCI_SLOT_NAME");
        if (slot.empty()) {
            return Error{ExitCode::failed,
                         fmt::format("the kernel does not say where {} sits", port.device.name),
                         "give --no-persist"};
        }
        // A second "port type" keeps the type that the port had before the first one. A rule of an
        // earlier version does not have that type.
        const KeptPort kept = kept_port(world, port.device.name, port.port.number);
        const std::string before = is_type(kept.before) ? kept.before
                                   : kept.type.empty()  ? now.word()
                                                        : "auto";
        const std::string rule =
            our_header("port type") + type_before_line(before) +
            fmt::format("ACTION==\"bind\", SUBSYSTEM==\"pci\", DRIVER==\"mlx4_core\", "
                        "KERNEL==\"{}\", ATTR{{mlx4_port{}}}=\"{}\"\n",
                        slot, port.port.number, type);
        TRY(set.write(port_files(world, port.device.name, port.port.number).type_rule, rule));
    }
    return carry_out_guarded(
        world, {arguments.dry_run()}, set,
        fmt::format("{} is of type {} already, now and at boot", port.text(), type), guard);
}

/* ---- port unset ---- */

// Returns the kept settings that the operand names, of a port that may be gone.
Result<KeptPort> find_kept_port(World &world, const std::string &typed) {
    auto port = find_port(world, typed);
    if (port) {
        return kept_port(world, port->device.name, port->port.number);
    }
    for (const KeptPort &each : kept_ports_at_boot(world)) {
        if (each.text() == typed || (each.device == typed && each.port == 1)) {
            return each;
        }
    }
    return port.error();
}

// Adds the changes that keep no type of the port and give it the type before "port type". Returns
// the guard if its type changes now.
Result<std::optional<Guard>> plan_type_before(World &world, const Arguments &arguments,
                                              const KeptPort &kept, ChangeSet &set) {
    TRY(set.remove(port_files(world, kept.device, kept.port).type_rule));
    // A rule of an earlier version does not have the type before it.
    const std::string before = is_type(kept.before) ? kept.before : "auto";
    const auto port = find_port(world, kept.text());
    const TypeNow now = port ? type_now(world, *port) : TypeNow();
    if (now.text.empty() || now.word() == before) {
        return std::optional<Guard>();
    }
    TRY(plan_type_now(world, set, *port, now, before));
    return guard_of_type(world, arguments, *port, "port unset");
}

Result<Answer> run_port_unset(World &world, const Arguments &arguments) {
    const std::string &typed = arguments.operands().front();
    auto kept = TRY(find_kept_port(world, typed));
    ChangeSet set(fmt::format("port unset {}", kept.text()));
    std::string note;
    std::optional<Guard> guard;
    const PortFiles places = port_files(world, kept.device, kept.port);
    if (!kept.state.empty()) {
        TRY(set.remove(places.unit));
        TRY(set.remove(places.state_rule));
        set.reload_systemd(world);
        note = fmt::format("{} keeps its present state until the next boot\n", kept.text());
    }
    if (!kept.type.empty()) {
        guard = TRY(plan_type_before(world, arguments, kept, set));
    }
    auto answer = TRY(carry_out_guarded(
        world, {arguments.dry_run()}, set,
        fmt::format("nothing of {} is kept for the next boot", kept.text()), guard));
    if (!arguments.dry_run()) {
        answer.text += note;
    }
    return answer;
}

/* ---- port list ---- */

Result<Answer> run_port_list(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    answer.json["ports"] = Json::array();
    Table table({{"PORT"}, {"LINK"}, {"STATE"}, {"TYPE"}, {"AT BOOT"}});
    const auto tell = [&](const KeptPort &kept, const PortName *port) {
        const auto or_null = [](const std::string &text) {
            return text.empty() ? Json(nullptr) : Json(text);
        };
        const std::string type = port == nullptr ? "" : type_now(world, *port).text;
        std::string at_boot = kept.state.empty() ? "" : kept.state + "d";
        at_boot += kept.type.empty()
                       ? ""
                       : fmt::format("{}type {}", at_boot.empty() ? "" : ", ", kept.type);
        answer.json["ports"].push_back(
            {{"device", kept.device},
             {"port", kept.port},
             {"there", port != nullptr},
             {"link_layer", or_null(port == nullptr ? "" : port->port.link_layer)},
             {"phys_state", or_null(port == nullptr ? "" : port->port.phys_state)},
             {"type", or_null(type)},
             {"state_at_boot", or_null(kept.state.empty() ? "" : kept.state + "d")},
             {"type_at_boot", or_null(kept.type)}});
        table.row({kept.text(), port == nullptr ? "not there" : port->port.link_layer,
                   port == nullptr ? "" : port->port.phys_state, type, at_boot});
    };
    auto gone = kept_ports_at_boot(world);
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        for (const RdmaPort &each : device.ports) {
            if (!device.soft.empty()) {
                continue;
            }
            const PortName port{device, each};
            tell(kept_port(world, device.name, each.number), &port);
            gone.erase(
                std::remove_if(gone.begin(), gone.end(),
                               [&](const KeptPort &kept) { return kept.text() == port.text(); }),
                gone.end());
        }
    }
    for (const KeptPort &each : gone) {
        tell(each, nullptr);
    }
    answer.text = answer.json["ports"].empty() ? "there is no port of an RDMA adapter\n"
                                               : table.text(world.terminal);
    return answer;
}

const VerbRows port_type_rows(Section::host, 12, [] {
    return std::vector<Verb>{
        {
            .words = "port type",
            .operands = "DEVICE[/PORT] ib|eth|auto",
            .summary = "set the link type of a port of mlx4, now and at every boot",
            .options = {no_persist, force_option, confirmed_option},
            .least_operands = 2,
            .most_operands = 2,
            .changes = true,
            .run = run_port_type,
        },
        {
            .words = "port unset",
            .operands = "DEVICE[/PORT]",
            .summary = "keep no state and no type of a port for the next boot; the type becomes "
                       "what it was before port type",
            .options = {force_option, confirmed_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_port_unset,
        },
        {
            .words = "port list",
            .summary = "show the ports of adapters, their state and type, now and at boot",
            .run = run_port_list,
        },
    };
});

} // namespace

} // namespace causeway
