// SPDX-License-Identifier: GPL-2.0-or-later
// roce mode: the version of RoCE that connections of a device use, now and at every boot.
//
// The kernel loses the setting with the device. A rule of udev therefore starts a unit that sets
// the version again when the device appears.
#include "base/systemd_name.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "doctor/gather.h"
#include "host/roce_default.h"
#include "port/at_boot_option.h"
#include "port/roce_device.h"
#include "port/roce_kept.h"
#include "port/roce_mode_change.h"
#include "port/roce_verbs.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *version_1 = "IB/RoCE v1";
constexpr const char *version_2 = "RoCE v2";

Result<std::string> parse_version(const std::string &typed) {
    if (typed == "v1" || typed == "1") {
        return std::string(version_1);
    }
    if (typed == "v2" || typed == "2") {
        return std::string(version_2);
    }
    return Error{ExitCode::usage, fmt::format("'{}' is no version of RoCE", typed),
                 "give v1 or v2"};
}

// The kernel would refuse a version of which the port has no GID with EINVAL.
Result<void> check_version(const RdmaDevice &device, const RdmaPort &port,
                           const std::string &version) {
    const bool knows = std::any_of(port.gids.begin(), port.gids.end(),
                                   [](const RdmaGid &gid) { return !gid.type.empty(); });
    const bool has = std::any_of(port.gids.begin(), port.gids.end(),
                                 [&](const RdmaGid &gid) { return gid.type == version; });
    if (version == version_1 && (device.soft == "rxe" || (knows && !has))) {
        return Error{
            ExitCode::unavailable,
            device.soft == "rxe"
                ? fmt::format("{} is Soft-RoCE, which speaks version 2 alone", device.name)
                : fmt::format("port {} of {} has no GID of RoCE version 1", port.number,
                              device.name),
            fmt::format("leave it at v2, and set the peers to it: causeway roce mode {} v2",
                        device.name)};
    }
    return {};
}

struct ModeUnit {
    std::filesystem::path file;
    std::filesystem::path rule;
    std::string name;
};

ModeUnit mode_unit_of(const World &world, const std::string &device) {
    const std::string name = fmt::format("causeway-roce@{}.service", escaped_path(device));
    return {world.places.units() / name,
            world.places.udev_rules() / fmt::format("65-causeway-roce-{}.rules", device), name};
}

// The rule runs after rdma-core has renamed the device. It matches the node GUID, which a new name
// does not change.
Result<void> plan_unit(World &world, ChangeSet &set, const RdmaDevice &device,
                       const std::string &typed) {
    const ModeUnit unit = mode_unit_of(world, device.name);
    const std::string text =
        our_header("roce mode") +
        fmt::format("[Unit]\n"
                    "Description=Version of RoCE of {0}\n"
                    "Before=causeway.service\n"
                    "ConditionFileIsExecutable=/usr/sbin/causeway\n"
                    "\n"
                    "[Service]\n"
                    "Type=oneshot\n"
                    "RemainAfterExit=yes\n"
                    "ExecStart=/usr/sbin/causeway roce mode {0} {1} --at-boot\n",
                    device.name, typed);
    TRY(set.write(unit.file, text));
    const std::string rule =
        our_header("roce mode") +
        fmt::format("ACTION!=\"remove\", SUBSYSTEM==\"infiniband\", ATTR{{node_guid}}==\"{}\", "
                    "TAG+=\"systemd\", ENV{{SYSTEMD_WANTS}}+=\"{}\"\n",
                    device.node_guid, unit.name);
    return set.write(unit.rule, rule);
}

// Parses the text of a unit: the device and its version.
std::optional<std::pair<std::string, std::string>> parse_mode_unit(const std::string &text) {
    for (const std::string &line : is_ours(text) ? lines_of(text) : std::vector<std::string>()) {
        const auto words = words_of_line(line);
        if (words.size() == 6 && line.rfind("ExecStart=", 0) == 0 && words[1] == "roce" &&
            words[2] == "mode") {
            return std::pair(words[3], words[4]);
        }
    }
    return std::nullopt;
}

// Returns the version that the kernel chooses when the device appears: cma_add_one() of
// drivers/infiniband/core/cma.c takes version 2 where the port has it.
std::string chosen_by_kernel(const RdmaPort &port) {
    const bool only_v1 = std::any_of(port.gids.begin(), port.gids.end(),
                                     [](const RdmaGid &gid) { return gid.type == version_1; }) &&
                         std::none_of(port.gids.begin(), port.gids.end(),
                                      [](const RdmaGid &gid) { return gid.type == version_2; });
    return only_v1 ? version_1 : version_2;
}

Result<Answer> run_roce_mode(World &world, const Arguments &arguments) {
    const auto &operands = arguments.operands();
    if (operands.size() < 2) {
        return run_roce_list(world, arguments);
    }
    auto device = TRY(find_roce_device(world.files, operands.front()));
    auto version = TRY(parse_version(operands[1]));
    const std::string typed = version == version_1 ? "v1" : "v2";
    const bool at_boot = arguments.has("at-boot");
    const bool persists = !at_boot && !arguments.has("no-persist") && systemd_runs(world);
    ChangeSet set(fmt::format("roce mode {} {}", device.name, typed));
    if (persists) {
        TRY(plan_unit(world, set, device, typed));
        set.reload_systemd(world);
    }
    set.load(world, "rdma_cm");
    for (const RdmaPort &port : device.ports) {
        if (!is_roce(device, port)) {
            continue;
        }
        TRY(check_version(device, port, version));
        // The kernel's default is version 2: cma_add_one() of drivers/infiniband/core/cma.c.
        const std::string shown = roce_mode_now(world.files, device.name, port.number);
        const std::string now = shown.empty() ? version_2 : shown;
        if (now != version) {
            set.add(change_roce_mode({device.name, port.number, now, version}));
        }
    }
    auto answer = carry_out(world, {arguments.dry_run(), !at_boot}, set,
                            fmt::format("{} has RoCE {} already", device.name, typed));
    if (answer && !persists && !at_boot && !arguments.has("no-persist")) {
        answer->warnings.emplace_back(
            "systemd does not run here: nothing sets this again after a reboot");
    }
    return answer;
}

} // namespace

KeptOfRoce kept_modes(const World &world) {
    KeptOfRoce modes;
    for (const std::filesystem::path &file : files_in(world.places.units(), ".service")) {
        const auto mode = file.filename().string().rfind("causeway-roce@", 0) == 0
                              ? parse_mode_unit(text_of(file).value_or(""))
                              : std::nullopt;
        if (mode) {
            modes.insert(*mode);
        }
    }
    return modes;
}

Result<void> plan_mode_unset(World &world, ChangeSet &set, const std::string &name) {
    const ModeUnit unit = mode_unit_of(world, name);
    TRY(set.remove(unit.file));
    TRY(set.remove(unit.rule));
    const auto device = find_rdma_device(world.files, name);
    for (const RdmaPort &port : device ? device->ports : std::vector<RdmaPort>()) {
        const std::string now = roce_mode_now(world.files, name, port.number);
        const std::string chosen = chosen_by_kernel(port);
        if (is_roce(*device, port) && !now.empty() && now != chosen) {
            set.add(change_roce_mode({name, port.number, now, chosen}));
        }
    }
    return {};
}

namespace {

const VerbRows roce_mode_rows(Section::host, 11, [] {
    return std::vector<Verb>{
        {
            .words = "roce mode",
            .operands = "[DEVICE] [v1|v2]",
            .summary =
                "set the version of RoCE that connections take; without a version, as roce list",
            .options = {no_persist, at_boot_option},
            .most_operands = 2,
            .changes = true,
            .run = run_roce_mode,
        },
        roce_unset_verb(),
        roce_list_verb(),
    };
});

} // namespace

} // namespace causeway
