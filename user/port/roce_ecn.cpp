// SPDX-License-Identifier: GPL-2.0-or-later
// roce ecn: congestion control of RoCE by ECN, for each priority of an mlx5 interface, now and at
// every boot.
//
// Only the driver of MLNX_OFED has a switch for each priority, in sysfs of the network interface.
// The driver of the Linux kernel shows parameters of congestion control in debugfs, and leaves the
// switch to the firmware.
#include "base/nearest.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "host/pci_details.h"
#include "host/rdma_devices.h"
#include "port/at_boot_option.h"
#include "port/device_unit.h"
#include "port/roce_kept.h"
#include "port/roce_verbs.h"
#include "show/table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace causeway {

namespace {

// The receiver of marked packets (np, notification point) and their sender (rp, reaction point).
constexpr std::array<const char *, 2> roles = {"roce_np", "roce_rp"};

std::string ecn_place(const std::string &netdev, const char *role, unsigned int priority) {
    return fmt::format("/sys/class/net/{}/ecn/{}/enable/{}", netdev, role, priority);
}

void look_for_ecn(KernelFiles &files, Congestion &congestion) {
    for (unsigned int priority = 0; priority < priority_count; priority++) {
        const auto is_on = [&](const char *role) {
            const std::string text =
                sysfs_text(files, ecn_place(congestion.netdev, role, priority));
            congestion.has_switch |= !text.empty();
            return text == "1";
        };
        if (std::all_of(roles.begin(), roles.end(), is_on)) {
            congestion.on.push_back(priority);
        }
    }
    const std::string folder = fmt::format("/sys/kernel/debug/mlx5/{}/cc_params", congestion.slot);
    for (const std::string &name : files.list(folder)) {
        congestion.parameters[name] = sysfs_text(files, fmt::format("{}/{}", folder, name));
    }
}

std::vector<Congestion> congestion_now(KernelFiles &files) {
    std::vector<Congestion> found;
    std::set<std::string> seen;
    for (const RdmaDevice &device : rdma_devices(files)) {
        const PciDetails pci = pci_details_of(files, device.name);
        if (pci.driver.compare(0, 4, "mlx5") != 0) {
            continue;
        }
        for (const RdmaPort &port : device.ports) {
            for (const RdmaGid &gid : port.gids) {
                if (port.link_layer == "Ethernet" && !gid.netdev.empty() &&
                    seen.insert(gid.netdev).second) {
                    found.push_back(
                        {gid.netdev, device.name, device.node_guid, pci.slot, false, {}, {}});
                    look_for_ecn(files, found.back());
                }
            }
        }
    }
    return found;
}

DeviceUnit ecn_unit_on(const std::string &netdev) {
    return device_unit("roce ecn", "ecn", netdev);
}

DeviceUnit ecn_unit_of(const Congestion &congestion) {
    DeviceUnit unit = ecn_unit_on(congestion.netdev);
    unit.interface = congestion.netdev;
    unit.node_guid = congestion.node_guid;
    unit.description = fmt::format("Congestion control of RoCE of {}", congestion.netdev);
    return unit;
}

std::string priorities_with_ecn(const Priorities &on) {
    return on.empty() ? "off" : fmt::format("{}", fmt::join(on, ", "));
}

// One systemd unit sets this at boot.
struct KeptEcn {
    std::string netdev;
    Priorities on;
};

std::vector<KeptEcn> all_kept_ecn(const World &world) {
    std::vector<KeptEcn> all;
    for (const auto &words : all_words_at_boot(world, "ecn", "roce ecn")) {
        std::vector<std::string> typed(words.begin() + 1, words.end());
        typed.erase(std::remove(typed.begin(), typed.end(), "--at-boot"), typed.end());
        if (auto on = parse_priorities(typed); on && !typed.empty()) {
            all.push_back({words.front(), *std::move(on)});
        }
    }
    return all;
}

// Adds units whose interfaces are gone to the list.
std::vector<Congestion> with_gone(std::vector<Congestion> all, const std::vector<KeptEcn> &kept) {
    for (const KeptEcn &one : kept) {
        if (std::none_of(all.begin(), all.end(),
                         [&](const Congestion &each) { return each.netdev == one.netdev; })) {
            all.push_back({one.netdev, {}, {}, {}, false, {}, {}});
        }
    }
    return all;
}

Error no_switch(const Congestion &congestion, const Priorities &wish) {
    unsigned int mask = 0;
    for (const unsigned int priority : wish) {
        mask |= 1U << priority;
    }
    return Error{ExitCode::unavailable,
                 fmt::format("ECN of {} cannot be set: the mlx5 driver of the Linux kernel has no "
                             "switch for it, only that of MLNX_OFED has",
                             congestion.netdev),
                 fmt::format("the firmware has one, which many adapters have on from the factory: "
                             "mstconfig -d {} set ROCE_CC_PRIO_MASK_P1=0x{:02x}, then reboot",
                             congestion.slot, mask)};
}

// The setting that the adapter has now stays until the adapter is reset.
Result<Answer> forget_ecn(World &world, const std::string &netdev, bool dry_run) {
    ChangeSet set(fmt::format("roce ecn {} unset", netdev));
    TRY(plan_ecn_unset(world, set, netdev));
    set.reload_systemd(world);
    return carry_out(world, {dry_run}, set, fmt::format("nothing sets ECN of {} at boot", netdev));
}

Answer show_ecn(World &world, const std::vector<Congestion> &all) {
    Answer answer;
    answer.text = table_of_ecn(world, all, true, answer);
    if (all.empty()) {
        answer.text = "there is no interface of mlx5 that carries RoCE\n";
    }
    return answer;
}

Result<Answer> run_roce_ecn(World &world, const Arguments &arguments) {
    const auto &operands = arguments.operands();
    const auto all = all_congestion(world);
    if (operands.empty()) {
        return show_ecn(world, all);
    }
    std::vector<std::string> names;
    for (const Congestion &each : all) {
        names.push_back(each.netdev);
    }
    const auto found = std::find_if(all.begin(), all.end(), [&](const Congestion &each) {
        return each.netdev == operands.front();
    });
    if (found == all.end()) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} is no interface of mlx5 that carries RoCE", operands.front()),
                     nearest_or_all(operands.front(), names)};
    }
    if (operands.size() == 1) {
        return show_ecn(world, {*found});
    }
    if (operands[1] == "unset" && operands.size() == 2) {
        return forget_ecn(world, found->netdev, arguments.dry_run());
    }
    auto wish = TRY(parse_priorities({operands.begin() + 1, operands.end()}));
    if (found->device.empty()) {
        return Error{
            ExitCode::unavailable,
            fmt::format("{} is not there: only a unit for the next boot is", found->netdev),
            fmt::format("causeway roce ecn {} unset", found->netdev)};
    }
    if (!found->has_switch) {
        return no_switch(*found, wish);
    }
    const bool at_boot = arguments.has("at-boot");
    const bool persists = !at_boot && !arguments.has("no-persist") && systemd_runs(world);
    ChangeSet set(fmt::format("roce ecn {}", fmt::join(operands, " ")));
    if (persists) {
        DeviceUnit unit = ecn_unit_of(*found);
        unit.words = operands;
        // Firmware may have ECN on from the factory, so "none" is repeated at boot too.
        TRY(plan_device_unit(world, set, unit));
        set.reload_systemd(world);
    }
    for (unsigned int priority = 0; priority < priority_count; priority++) {
        const bool wanted = std::find(wish.begin(), wish.end(), priority) != wish.end();
        for (const char *role : roles) {
            TRY(set.set(world, ecn_place(found->netdev, role, priority), wanted ? "1" : "0"));
        }
    }
    auto answer = carry_out(world, {arguments.dry_run(), !at_boot}, set,
                            fmt::format("{} has ECN on these priorities already", found->netdev));
    if (answer && !persists && !at_boot && !arguments.has("no-persist")) {
        answer->warnings.emplace_back(
            "systemd does not run here: nothing sets this again after a reboot");
    }
    return answer;
}

} // namespace

std::vector<Congestion> all_congestion(World &world) {
    return with_gone(congestion_now(world.files), all_kept_ecn(world));
}

bool keeps_ecn(const World &world, const std::string &netdev) {
    return !words_at_boot(world, ecn_unit_on(netdev)).empty();
}

std::string table_of_ecn(World &world, const std::vector<Congestion> &all, bool parameters,
                         Answer &answer) {
    answer.json["interfaces"] = Json::array();
    Table table({{"INTERFACE"}, {"DEVICE"}, {"ECN ON PRIORITIES"}, {"AT BOOT"}, {"SAYS"}});
    const auto all_kept = all_kept_ecn(world);
    for (const Congestion &each : all) {
        const auto kept = std::find_if(all_kept.begin(), all_kept.end(), [&](const KeptEcn &one) {
            return one.netdev == each.netdev;
        });
        const bool is_kept = kept != all_kept.end();
        answer.json["interfaces"].push_back(
            {{"interface", each.netdev},
             {"device", or_null(each.device)},
             {"priorities", each.has_switch ? Json(each.on) : Json(nullptr)},
             {"at_boot", is_kept ? Json(kept->on) : Json(nullptr)},
             {"parameters", each.parameters}});
        table.row({each.netdev, each.device,
                   each.has_switch ? priorities_with_ecn(each.on) : "unknown",
                   is_kept ? priorities_with_ecn(kept->on) : "",
                   each.device.empty() ? "not there"
                   : each.has_switch   ? "sysfs of MLNX_OFED"
                                       : "this kernel's driver does not show it"});
        for (const auto &[name, value] :
             parameters ? each.parameters : std::map<std::string, std::string>()) {
            table.note(fmt::format("{} {}", name, value));
        }
    }
    return table.text(world.terminal);
}

Result<void> plan_ecn_unset(World &world, ChangeSet &set, const std::string &netdev) {
    return plan_no_device_unit(world, set, ecn_unit_on(netdev));
}

Verb roce_ecn_verb() {
    return {
        .words = "roce ecn",
        .operands = "[INTERFACE] [PRIORITY...|none|unset]",
        .summary = "show or set congestion control of RoCE by ECN on interfaces of mlx5, where its "
                   "driver has a switch",
        .options = {no_persist, at_boot_option},
        .most_operands = 9,
        .changes = true,
        .run = run_roce_ecn,
    };
}

} // namespace causeway
