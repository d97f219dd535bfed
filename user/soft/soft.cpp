// SPDX-License-Identifier: GPL-2.0-or-later
// soft add, soft remove, soft renew: RDMA by software on any network device, now and at every boot.
//
// The kernel keeps no software device across a reboot, so a unit of systemd adds it again as soon
// as its network device appears. The unit cannot use rdma-hw.target, which waits for an RDMA
// device.
#include "base/nearest.h"
#include "base/systemd_name.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "doctor/gather.h"
#include "host/rdma_devices.h"
#include "host/soft_rdma.h"
#include "soft/device_change.h"
#include "soft/facts.h"
#include "soft/soft_device.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::size_t longest_name = 63; // IB_DEVICE_NAME_MAX without the terminating zero
constexpr const char *wanted_by = "multi-user.target.wants";

std::string module_of(const std::string &type) {
    return type == "rxe" ? "rdma_rxe" : "siw";
}

Result<void> parse_device_name(const std::string &name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    });
    if (!name.empty() && name.size() <= longest_name && plain && name.front() != '-' &&
        name.front() != '.') {
        return {};
    }
    return Error{ExitCode::usage, fmt::format("'{}' is no name for an RDMA device", name),
                 fmt::format("give letters, digits, '_', '-' and '.', at most {}", longest_name)};
}

Result<void> parse_netdev(World &world, const std::string &netdev) {
    const auto names = world.files.list("/sys/class/net");
    if (std::find(names.begin(), names.end(), netdev) == names.end()) {
        return Error{ExitCode::unavailable, fmt::format("there is no network device {}", netdev),
                     nearest_or_all(netdev, names)};
    }
    // 1 is ARPHRD_ETHER. The loopback (772) also supports rxe, for tests.
    const std::string type = sysfs_text(world.files, fmt::format("/sys/class/net/{}/type", netdev));
    if (!type.empty() && type != "1" && type != "772") {
        return Error{ExitCode::usage,
                     fmt::format("{} is no Ethernet device: software RDMA cannot use it", netdev),
                     "give the network device of an Ethernet port"};
    }
    return {};
}

std::string free_name(const std::vector<RdmaDevice> &devices, const std::string &type) {
    for (unsigned int number = 0;; number++) {
        std::string name = fmt::format("{}{}", type, number);
        if (std::none_of(devices.begin(), devices.end(),
                         [&](const RdmaDevice &device) { return device.name == name; })) {
            return name;
        }
    }
}

struct DeviceUnit {
    std::filesystem::path file;
    std::filesystem::path want;
};

DeviceUnit device_unit_of(const World &world, const std::string &netdev) {
    const std::string name = fmt::format("causeway-soft@{}.service", escaped_path(netdev));
    return {world.places.units() / name, world.places.units() / wanted_by / name};
}

std::string unit_text(const SoftDevice &device) {
    const std::string wait =
        fmt::format("sys-subsystem-net-devices-{}.device", escaped_path(device.netdev));
    return our_header("soft add") +
           fmt::format("[Unit]\n"
                       "Description=Software RDMA device {0} ({1}) on {2}\n"
                       "BindsTo={3}\n"
                       "After={3}\n"
                       "Before=causeway-stock.service\n"
                       "ConditionFileIsExecutable=/usr/sbin/causeway\n"
                       "\n"
                       "[Service]\n"
                       "Type=oneshot\n"
                       "RemainAfterExit=yes\n"
                       "ExecStart=/usr/sbin/causeway soft add {1} {2} --name {0} --at-boot\n"
                       "\n"
                       "[Install]\n"
                       "WantedBy=multi-user.target\n",
                       device.name, device.type, device.netdev, wait);
}

// Returns the name of the device of this type that the network device already has, else the typed
// name, that of @unit, or a free one. @unit adds a device on the network device at boot. Returns an
// error if the typed name does not fit an existing device.
Result<std::string> choose_name(const std::vector<RdmaDevice> &devices, const std::string &type,
                                const std::string &netdev, const std::optional<std::string> &typed,
                                const std::optional<SoftUnit> &unit) {
    for (const RdmaDevice &device : devices) {
        const bool same = device.soft == type && device.netdev == netdev;
        if (same && (!typed || *typed == device.name)) {
            return device.name;
        }
        if (same) {
            return Error{
                ExitCode::usage,
                fmt::format("{} has a {} device already: {}", netdev, type, device.name),
                fmt::format("causeway soft remove {}, then add it as {}", device.name, *typed)};
        }
        if (typed && *typed == device.name) {
            return Error{ExitCode::usage,
                         fmt::format("there is another RDMA device {} already", device.name),
                         "give --name another"};
        }
    }
    const bool takes_unit =
        unit && unit->type == type &&
        std::none_of(devices.begin(), devices.end(),
                     [&](const RdmaDevice &each) { return each.name == unit->name; });
    return typed.value_or(takes_unit ? unit->name : free_name(devices, type));
}

Error no_module(const std::string &type, const Error &error) {
    Error told = error;
    if (type == "siw" && error.what.find("not found") != std::string::npos) {
        told.fix = "Debian's kernels have no siw: use rxe";
    }
    return told;
}

// Finds a device by its own name, or a software device by its network device. Returns the end of
// the list if there is none.
std::vector<RdmaDevice>::const_iterator find_typed(const std::vector<RdmaDevice> &devices,
                                                   const std::string &typed) {
    return std::find_if(devices.begin(), devices.end(), [&](const RdmaDevice &device) {
        return device.name == typed || (!device.soft.empty() && device.netdev == typed);
    });
}

Result<void> expect_software(const RdmaDevice &device, const char *action) {
    if (!device.soft.empty()) {
        return {};
    }
    return Error{ExitCode::usage,
                 fmt::format("{} is no software device: it cannot be {}", device.name, action),
                 "see which are: causeway show"};
}

// Returns the address at which a Soft-RoCE device on this network interface must respond.
std::optional<SocketAddress> own_address(World &world, const std::string &netdev) {
    const auto interfaces =
        parse_ip_address(said_by(world, {"ip", "-json", "address"}).value_or(""));
    const auto text = address_to_answer_at(interfaces, netdev);
    return text ? SocketAddress::from_text(*text) : std::nullopt;
}

// Returns why a device that may have stopped responding must be left as it is, or "" if it must be
// made again.
std::string why_left_alone(World &world, const RdmaDevice &device) {
    if (!std::filesystem::exists(device_unit_of(world, device.netdev).file)) {
        return "was not made by Causeway";
    }
    const auto own = own_address(world, device.netdev);
    if (device.soft != "rxe" || !own) {
        return "has no address at which it could answer";
    }
    return takes_connections(world, device.name, *own) ? "takes connections" : "";
}

constexpr OptionSpec force_option{
    "force", "",
    "also if kernel modules use the device, which may lose disks, or if its users are "
    "unknown; not if a program uses it"};

// Returns the device that the unit of a network device adds at boot, or none.
std::optional<SoftUnit> unit_on(const World &world, const std::string &netdev) {
    return parse_soft_unit(text_of(device_unit_of(world, netdev).file).value_or(""));
}

// Returns an error if the unit of the network device adds a device of another type or name: the
// unit would be overwritten.
Result<void> expect_own_unit(const World &world, const SoftDevice &device) {
    const auto unit = unit_on(world, device.netdev);
    if (!unit || (unit->type == device.type && unit->name == device.name)) {
        return {};
    }
    return Error{ExitCode::failed,
                 fmt::format("a unit adds the {} device {} on {} at boot, and a network device has "
                             "one such unit",
                             unit->type, unit->name, device.netdev),
                 fmt::format("causeway soft remove {}; or give --no-persist", unit->name)};
}

// Returns the network device of the unit that adds a device of this name at boot. Else the word may
// be a network device itself.
std::string netdev_of_unit(const World &world, const std::string &typed) {
    for (const std::filesystem::path &file : files_in(world.places.units(), ".service")) {
        const std::string text = text_of(file).value_or("");
        const auto unit = file.filename().string().rfind("causeway-soft@", 0) == 0 && is_ours(text)
                              ? parse_soft_unit(text)
                              : std::nullopt;
        if (unit && unit->name == typed) {
            return unit->netdev;
        }
    }
    return typed;
}

Answer left_alone(const std::string &device, const std::string &why) {
    Answer answer;
    answer.json = {{"changed", false}, {"device", device}, {"reason", why}};
    answer.text = fmt::format("{} {}: nothing to do\n", device, why);
    return answer;
}

} // namespace

Result<void> parse_soft_type(const std::string &type) {
    if (type == "rxe" || type == "siw") {
        return {};
    }
    return Error{ExitCode::usage, fmt::format("'{}' is no kind of software device", type),
                 "give rxe (Soft-RoCE) or siw (Soft-iWARP)"};
}

Result<Answer> add_soft_device(World &world, Manner manner, const SoftWish &wish) {
    TRY(parse_netdev(world, wish.netdev));
    const auto devices = rdma_devices(world.files);
    auto name =
        TRY(choose_name(devices, wish.type, wish.netdev, wish.name, unit_on(world, wish.netdev)));
    const SoftDevice device{wish.type, name, wish.netdev};
    ChangeSet set(fmt::format("soft add {} {}", wish.type, wish.netdev));
    const bool persists = wish.persists && systemd_runs(world);
    if (persists) {
        TRY(expect_own_unit(world, device));
        const DeviceUnit unit = device_unit_of(world, wish.netdev);
        TRY(set.write(unit.file, unit_text(device)));
        TRY(set.link(unit.want, unit.file.string()));
        set.reload_systemd(world);
    }
    set.load(world, module_of(wish.type));
    const bool there = std::any_of(devices.begin(), devices.end(),
                                   [&](const RdmaDevice &each) { return each.name == name; });
    if (!there) {
        set.add(change_soft_device(device, true));
    }
    auto answer =
        carry_out(world, manner, set,
                  fmt::format("{} has the {} device {} already", wish.netdev, wish.type, name));
    if (!answer) {
        return no_module(wish.type, answer.error());
    }
    answer->json["device"] = name;
    if (wish.persists && !persists) {
        answer->warnings.emplace_back(
            "systemd does not run here: nothing brings the device back after a reboot");
    }
    return answer;
}

namespace {

Result<Answer> run_soft_add(World &world, const Arguments &arguments) {
    SoftWish wish{arguments.operands()[0], arguments.operands()[1], arguments.text("name")};
    TRY(parse_soft_type(wish.type));
    if (wish.name) {
        TRY(parse_device_name(*wish.name));
    }
    const bool at_boot = arguments.has("at-boot");
    wish.persists = !at_boot && !arguments.has("no-persist");
    return add_soft_device(world, {arguments.dry_run(), !at_boot}, wish);
}

Result<Answer> run_soft_renew(World &world, const Arguments &arguments) {
    const std::string &typed = arguments.operands().front();
    const bool unattended = arguments.has("unattended");
    const auto devices = rdma_devices(world.files);
    const auto found = find_typed(devices, typed);
    if (found == devices.end() && unattended) {
        return left_alone(typed, "has no software device");
    }
    if (found == devices.end()) {
        return Error{ExitCode::unavailable, fmt::format("there is no software device {}", typed),
                     "make one: causeway soft add rxe NETDEV"};
    }
    TRY(expect_software(*found, "made anew"));
    if (unattended) {
        if (const std::string why = why_left_alone(world, *found); !why.empty()) {
            return left_alone(found->name, why);
        }
    }
    TRY(expect_no_users(world, found->name, "made anew", !unattended && arguments.has("force")));
    Answer answer;
    answer.json = {{"changed", true}, {"device", found->name}, {"netdev", found->netdev}};
    if (arguments.dry_run()) {
        answer.text = fmt::format("would make {} on {} anew\n", found->name, found->netdev);
        return answer;
    }
    TRY(world.rdma.remove(found->name));
    if (auto made = world.rdma.add(found->soft, found->name, found->netdev); !made) {
        Error error = made.error();
        error.what = fmt::format("{} was removed and cannot be added: {}", found->name, error.what);
        error.fix = fmt::format("causeway soft add {} {} --name {}", found->soft, found->netdev,
                                found->name);
        return error;
    }
    answer.text = fmt::format("{} on {} was made anew\n", found->name, found->netdev);
    return answer;
}

Result<Answer> run_soft_remove(World &world, const Arguments &arguments) {
    const std::string &typed = arguments.operands().front();
    const auto devices = rdma_devices(world.files);
    const auto found = find_typed(devices, typed);
    if (found != devices.end()) {
        TRY(expect_software(*found, "removed"));
        TRY(expect_no_users(world, found->name, "removed", arguments.has("force")));
    }
    ChangeSet set("soft remove " + typed);
    if (found != devices.end()) {
        set.add(change_soft_device({found->soft, found->name, found->netdev}, false));
    }
    // Without such a device, its unit may still exist.
    const std::string netdev =
        found == devices.end() ? netdev_of_unit(world, typed) : found->netdev;
    const auto adds = unit_on(world, netdev);
    if (found == devices.end() || !adds || adds->type == found->soft) {
        const DeviceUnit unit = device_unit_of(world, netdev);
        const std::size_t before = set.changes().size();
        TRY(set.unlink(unit.want, unit.file.string()));
        TRY(set.remove(unit.file));
        if (set.changes().size() != before) {
            set.reload_systemd(world);
        }
    }
    return carry_out(world, {arguments.dry_run()}, set,
                     fmt::format("there is no software device {}", typed));
}

const VerbRows soft_rows(Section::host, 1, [] {
    return std::vector<Verb>{
        {
            .words = "soft add",
            .operands = "rxe|siw NETDEV",
            .summary = "make an RDMA device by software on a network device",
            .options = {{"name", "NAME",
                         "name of the device; by default rxe or siw with the next free number"},
                        no_persist,
                        {"at-boot", "", "as its unit calls it: repeats what was set up once", false,
                         true}},
            .least_operands = 2,
            .most_operands = 2,
            .changes = true,
            .run = run_soft_add,
        },
        {
            .words = "soft remove",
            .operands = "DEVICE|NETDEV",
            .summary = "remove a device, now and at boot; refused while it is in use",
            .options = {force_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_soft_remove,
        },
        {
            .words = "soft renew",
            .operands = "DEVICE|NETDEV",
            .summary = "make a device anew, so that its connections reconnect; refused while the "
                       "device is in use",
            .options = {force_option,
                        {"unattended", "",
                         "for the systemd unit: only if the device takes no connections and has no "
                         "other user",
                         false, true}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_soft_renew,
        },
    };
});

} // namespace

} // namespace causeway
