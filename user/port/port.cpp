// SPDX-License-Identifier: GPL-2.0-or-later
// port enable, port disable: the state of a port of InfiniBand, now and at every boot.
#include "change/unconfirmed.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "netconf/session_guard.h"
#include "port/at_boot_option.h"
#include "port/port_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

std::vector<std::string> portstate(const PortName &port, const std::string &operation) {
    const std::string number = fmt::format("{}", port.port.number);
    return {"ibportstate", "-C", port.device.name, "-P", number, "-D", "0", number, operation};
}

// @operation is "enable" or "disable".
Result<void> plan_state_at_boot(World &world, ChangeSet &set, const PortName &port,
                                const std::string &operation) {
    const PortFiles places = port_files(world, port.device.name, port.port.number);
    const std::string text =
        our_header("port " + operation) +
        fmt::format("[Unit]\n"
                    "Description=Port {0} of InfiniBand {1}\n"
                    "ConditionFileIsExecutable=/usr/sbin/causeway\n"
                    "\n"
                    "[Service]\n"
                    "Type=oneshot\n"
                    "RemainAfterExit=yes\n"
                    "ExecStart=/usr/sbin/causeway port {2} {0} --at-boot\n",
                    port.text(), operation == "enable" ? "woken" : "disabled", operation);
    TRY(set.write(places.unit, text));
    // When the umad device of the port appears, the port can send MADs.
    const std::string rule =
        our_header("port " + operation) +
        fmt::format("ACTION!=\"remove\", SUBSYSTEM==\"infiniband_mad\", KERNEL==\"umad*\", "
                    "ATTR{{ibdev}}==\"{}\", ATTR{{port}}==\"{}\", TAG+=\"systemd\", "
                    "ENV{{SYSTEMD_WANTS}}+=\"{}\"\n",
                    port.device.name, port.port.number, places.unit.filename().string());
    return set.write(places.state_rule, rule);
}

Result<PortName> find_port_of_infiniband(World &world, const std::string &typed,
                                         const char *state) {
    auto port = TRY(find_port(world, typed));
    if (port.port.link_layer != "InfiniBand") {
        return Error{ExitCode::unavailable,
                     fmt::format("{} is no port of InfiniBand: its link is {}", port.text(),
                                 port.port.link_layer),
                     fmt::format("for a port of Ethernet: ip link set dev NETDEV {}", state)};
    }
    if (!world.processes.there("ibportstate")) {
        return Error{ExitCode::unavailable, "the program ibportstate is not installed",
                     "apt install infiniband-diags, or: dnf install infiniband-diags"};
    }
    return port;
}

// Returns an error if a disk or an NFS mount of Causeway's is connected by the port.
Result<void> expect_no_connections(World &world, const PortName &port) {
    const auto by_port = [&](const auto &each) {
        return each.device == port.device.name && each.device_port == port.port.number;
    };
    auto sessions = TRY(world.kernel.sessions());
    auto mounts = TRY(world.kernel.nfs_connections());
    const auto session = std::find_if(sessions.begin(), sessions.end(), by_port);
    const auto mount = std::find_if(mounts.begin(), mounts.end(), by_port);
    if (session == sessions.end() && mount == mounts.end()) {
        return {};
    }
    const std::string user = session != sessions.end() ? fmt::format("the disk '{}'", session->name)
                                                       : std::string("NFS");
    return Error{ExitCode::try_again,
                 fmt::format("{} is connected by {}: \"port disable\" would cut the connection",
                             user, port.text()),
                 "see what is connected: causeway net; or give --force"};
}

struct PortChange {
    ChangeSet set;
    bool at_boot = false;
};

// Returns the changes that give the port its state at boot, and now if @differs.
Result<PortChange> plan_state(World &world, const Arguments &arguments, const PortName &port,
                              const std::string &operation, bool differs) {
    PortChange plan{ChangeSet(fmt::format("port {} {}", operation, port.text())),
                    arguments.has("at-boot")};
    if (!plan.at_boot && !arguments.has("no-persist") && systemd_runs(world)) {
        TRY(plan_state_at_boot(world, plan.set, port, operation));
        plan.set.reload_systemd(world);
    }
    if (differs) {
        plan.set.load(world, "ib_umad");
        const bool enables = operation == "enable";
        std::vector<std::string> undo = portstate(port, enables ? "disable" : "enable");
        std::string stays;
        if (enables && port.port.phys_state == "Sleep") {
            undo.clear();
            stays =
                fmt::format("{} stays awake, because no program puts a port to sleep", port.text());
        }
        plan.set.add(change_program(portstate(port, operation), std::move(undo), std::move(stays)));
    }
    return plan;
}

// Adds a warning if nothing gives the port its state at boot, although it was asked for.
Result<Answer> with_boot_warning(const World &world, const Arguments &arguments,
                                 Result<Answer> answer) {
    if (answer && !systemd_runs(world) && !arguments.has("at-boot") &&
        !arguments.has("no-persist")) {
        answer->warnings.emplace_back(
            "systemd does not run here: nothing sets this again after a reboot");
    }
    return answer;
}

Result<Answer> run_port_enable(World &world, const Arguments &arguments) {
    auto port = TRY(find_port_of_infiniband(world, arguments.operands().front(), "up"));
    const std::string &state = port.port.phys_state;
    auto plan =
        TRY(plan_state(world, arguments, port, "enable", state == "Disabled" || state == "Sleep"));
    return with_boot_warning(world, arguments,
                             carry_out(world, {arguments.dry_run(), !plan.at_boot}, plan.set,
                                       fmt::format("{} is awake: {}", port.text(), state)));
}

Result<Answer> run_port_disable(World &world, const Arguments &arguments) {
    auto port = TRY(find_port_of_infiniband(world, arguments.operands().front(), "down"));
    const bool differs = port.port.phys_state != "Disabled";
    const bool at_boot = arguments.has("at-boot");
    if (differs && !at_boot && !arguments.has("force")) {
        TRY(expect_no_connections(world, port));
    }
    auto plan = TRY(plan_state(world, arguments, port, "disable", differs));
    const auto guard = !differs || at_boot || arguments.has("confirmed")
                           ? std::nullopt
                           : guard_of_session(world, interfaces_of_port(world, port.device.name,
                                                                        port.port.number));
    return with_boot_warning(world, arguments,
                             carry_out_guarded(world, {arguments.dry_run(), !at_boot}, plan.set,
                                               fmt::format("{} is disabled already", port.text()),
                                               guard));
}

const VerbRows port_rows(Section::host, 12, [] {
    return std::vector<Verb>{
        {
            .words = "port enable",
            .operands = "DEVICE[/PORT]",
            .summary =
                "enable a port of InfiniBand that is disabled or asleep, now and at every boot",
            .options = {no_persist, at_boot_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_port_enable,
        },
        {
            .words = "port disable",
            .operands = "DEVICE[/PORT]",
            .summary = "disable a port of InfiniBand, now and at every boot",
            .options = {no_persist,
                        {"force", "", "also if a disk or a mount is connected by the port"},
                        {"confirmed", "",
                         "do not wait for \"causeway confirm\", although a session runs over the "
                         "port: for scripts"},
                        at_boot_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_port_disable,
        },
    };
});

} // namespace

} // namespace causeway
