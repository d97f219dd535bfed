// SPDX-License-Identifier: GPL-2.0-or-later
// port enable, port type: enables a port that sleeps, and switches a port of mlx4 between
// InfiniBand and Ethernet; now and at every boot.
#include "base/nearest.h"
#include "base/systemd_name.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "host/rdma_devices.h"
#include "port/at_boot_option.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

struct PortName {
    RdmaDevice device;
    RdmaPort port;

    std::string text() const { return fmt::format("{}/{}", device.name, port.number); }
};

// Finds "mlx4_0/1", or "mlx4_0" if the device has only one port.
Result<PortName> find_port(World &world, const std::string &typed) {
    const std::size_t slash = typed.find('/');
    const std::string name = typed.substr(0, slash);
    const auto devices = rdma_devices(world.files);
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [&](const RdmaDevice &each) { return each.name == name; });
    if (device == devices.end()) {
        std::vector<std::string> names;
        for (const RdmaDevice &each : devices) {
            names.push_back(each.name);
        }
        const auto close = nearest(name, names);
        return Error{ExitCode::unavailable, fmt::format("there is no RDMA device {}", name),
                     close           ? fmt::format("did you mean {}?", *close)
                     : names.empty() ? "this machine has none"
                                     : fmt::format("there are {}", fmt::join(names, ", "))};
    }
    if (slash == std::string::npos && device->ports.size() == 1) {
        return PortName{*device, device->ports.front()};
    }
    for (const RdmaPort &port : device->ports) {
        if (slash != std::string::npos &&
            fmt::format("{}", port.number) == typed.substr(slash + 1)) {
            return PortName{*device, port};
        }
    }
    return Error{slash == std::string::npos ? ExitCode::usage : ExitCode::unavailable,
                 slash == std::string::npos
                     ? fmt::format("{} has {} ports", name, device->ports.size())
                     : fmt::format("{} has no port {}", name, typed.substr(slash + 1)),
                 fmt::format("name the port: {}/1", name)};
}

std::filesystem::path rule_place(const World &world, const std::string &verb,
                                 const PortName &port) {
    return world.places.udev_rules() /
           fmt::format("65-causeway-port-{}-{}-{}.rules", verb, port.device.name, port.port.number);
}

std::vector<std::string> portstate(const PortName &port, const std::string &operation) {
    const std::string number = fmt::format("{}", port.port.number);
    return {"ibportstate", "-C", port.device.name, "-P", number, "-D", "0", number, operation};
}

Result<void> plan_enable_unit(World &world, ChangeSet &set, const PortName &port) {
    const std::string name =
        fmt::format("causeway-port@{}.service",
                    escaped_path(fmt::format("{}-{}", port.device.name, port.port.number)));
    const std::string text = our_header("port enable") +
                             fmt::format("[Unit]\n"
                                         "Description=Port {0} of InfiniBand woken\n"
                                         "ConditionFileIsExecutable=/usr/sbin/causeway\n"
                                         "\n"
                                         "[Service]\n"
                                         "Type=oneshot\n"
                                         "RemainAfterExit=yes\n"
                                         "ExecStart=/usr/sbin/causeway port enable {0} --at-boot\n",
                                         port.text());
    TRY(set.write(world.places.units() / name, text));
    // When the umad device of the port appears, the port can send MADs.
    const std::string rule =
        our_header("port enable") +
        fmt::format("ACTION!=\"remove\", SUBSYSTEM==\"infiniband_mad\", KERNEL==\"umad*\", "
                    "ATTR{{ibdev}}==\"{}\", ATTR{{port}}==\"{}\", TAG+=\"systemd\", "
                    "ENV{{SYSTEMD_WANTS}}+=\"{}\"\n",
                    port.device.name, port.port.number, name);
    return set.write(rule_place(world, "enable", port), rule);
}

/* ---- port type ---- */

std::string type_file(const PortName &port) {
    return fmt::format("/sys/class/infiniband/{}/device/mlx4_port{}", port.device.name,
                       port.port.number);
}

// Returns a value of the device's uevent file, which has lines such as
// "PCI_SLOT_NAME=0000:03:00.0".
std::string uevent_value(KernelFiles &files, const std::string &device, std::string_view key) {
    const std::string text =
        sysfs_text(files, fmt::format("/sys/class/infiniband/{}/device/uevent", device));
    const std::string start = fmt::format("{}=", key);
    const std::size_t place = text.rfind("\n" + start) == std::string::npos
                                  ? (text.substr(0, start.size()) == start ? 0 : std::string::npos)
                                  : text.rfind("\n" + start) + 1;
    if (place == std::string::npos) {
        return {};
    }
    const std::size_t value = place + start.size();
    return text.substr(value, text.find('\n', value) - value);
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

Result<void> plan_type_now(World &world, ChangeSet &set, const PortName &port,
                           const std::string &type) {
    const std::string driver = uevent_value(world.files, port.device.name, "DRIVER");
    const std::string slot = uevent_value(world.files, port.device.name, "PCI_SLOT_NAME");
    const std::string now = sysfs_text(world.files, type_file(port));
    if (!now.empty()) {
        // The file may contain "auto (ib)", with the detected type in brackets.
        return set.set(world, type_file(port), type);
    }
    const std::string handle = fmt::format("pci/{}/{}", slot, port.port.number);
    const std::string shown =
        driver.substr(0, 4) == "mlx4" && !slot.empty() && world.processes.there("devlink")
            ? devlink_type(world, handle)
            : "";
    if (shown.empty()) {
        return no_type(port, driver, slot);
    }
    if (shown != type) {
        set.add(change_program({"devlink", "port", "set", handle, "type", type},
                               {"devlink", "port", "set", handle, "type", shown}));
    }
    return {};
}

Result<Answer> run_port_enable(World &world, const Arguments &arguments) {
    auto port = TRY(find_port(world, arguments.operands().front()));
    if (port.port.link_layer != "InfiniBand") {
        return Error{ExitCode::unavailable,
                     fmt::format("{} is no port of InfiniBand: its link is {}", port.text(),
                                 port.port.link_layer),
                     "a port of Ethernet is woken by \"ip link set\""};
    }
    if (!world.processes.there("ibportstate")) {
        return Error{ExitCode::unavailable, "the program ibportstate is not installed",
                     "apt install infiniband-diags, or: dnf install infiniband-diags"};
    }
    const bool at_boot = arguments.has("at-boot");
    const bool persists = !at_boot && !arguments.has("no-persist") && systemd_runs(world);
    ChangeSet set("port enable " + port.text());
    if (persists) {
        TRY(plan_enable_unit(world, set, port));
        set.reload_systemd(world);
    }
    const std::string &state = port.port.phys_state;
    const bool asleep = state == "Disabled" || state == "Sleep";
    if (asleep) {
        set.load(world, "ib_umad");
        set.add(change_program(portstate(port, "enable"), portstate(port, "disable")));
    }
    return carry_out(world, {arguments.dry_run(), !at_boot}, set,
                     fmt::format("{} is awake: {}", port.text(), state));
}

Result<Answer> run_port_type(World &world, const Arguments &arguments) {
    const std::string &type = arguments.operands()[1];
    if (type != "ib" && type != "eth" && type != "auto") {
        return Error{ExitCode::usage, fmt::format("'{}' is no type of a port", type),
                     "give ib, eth or auto"};
    }
    auto port = TRY(find_port(world, arguments.operands().front()));
    ChangeSet set(fmt::format("port type {} {}", port.text(), type));
    TRY(plan_type_now(world, set, port, type));
    if (!arguments.has("no-persist")) {
        const std::string slot = uevent_value(world.files, port.device.name, "PCI_SLOT_NAME");
        if (slot.empty()) {
            return Error{ExitCode::failed,
                         fmt::format("the kernel does not say where {} sits", port.device.name),
                         "give --no-persist"};
        }
        const std::string rule =
            our_header("port type") +
            fmt::format("ACTION==\"bind\", SUBSYSTEM==\"pci\", DRIVER==\"mlx4_core\", "
                        "KERNEL==\"{}\", ATTR{{mlx4_port{}}}=\"{}\"\n",
                        slot, port.port.number, type);
        TRY(set.write(rule_place(world, "type", port), rule));
    }
    return carry_out(world, {arguments.dry_run()}, set,
                     fmt::format("{} is of type {} already, now and at boot", port.text(), type));
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
            .words = "port type",
            .operands = "DEVICE[/PORT] ib|eth|auto",
            .summary = "set the link type of a port of mlx4, now and at every boot",
            .options = {no_persist},
            .least_operands = 2,
            .most_operands = 2,
            .changes = true,
            .run = run_port_type,
        },
    };
});

} // namespace

} // namespace causeway
