// SPDX-License-Identifier: GPL-2.0-or-later
// fix tso: the first generation of ConnectX (revision a0) damages data when it segments TCP itself.
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "doctor/gather.h"
#include "host/ipoib.h"
#include "host/pci_details.h"
#include "host/rdma_devices.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// A child has no PCI function in sysfs, so its parent decides.
bool is_affected(KernelFiles &files, const IpoibInterface &interface) {
    const std::string &name = interface.parent.empty() ? interface.name : interface.parent;
    return is_first_connectx(pci_details_at(files, net_folder(name) + "/device"));
}

Result<bool> segments(World &world, const std::string &interface) {
    auto end = TRY(world.processes.run({"ethtool", "-k", interface}));
    if (!end.good()) {
        return Error{ExitCode::failed,
                     fmt::format("\"ethtool -k {}\" failed: {}", interface, end.last_words())};
    }
    return end.out.find("tcp-segmentation-offload: on") != std::string::npos;
}

std::filesystem::path tso_rule(const World &world) {
    return world.places.udev_rules() / "75-causeway-tso.rules";
}

Error no_ethtool() {
    return {ExitCode::unavailable, "the program ethtool is not installed",
            "apt install ethtool, or: dnf install ethtool"};
}

// Returns the interface of the operand, or without an operand all, if they are affected.
Result<std::vector<std::string>> affected_interfaces(World &world, const Arguments &arguments) {
    std::vector<std::string> affected;
    if (arguments.operands().empty()) {
        for (const IpoibInterface &each : ipoib_interfaces(world.files, world.processes)) {
            if (is_affected(world.files, each)) {
                affected.push_back(each.name);
            }
        }
        return affected;
    }
    auto interface = TRY(find_ipoib(world.files, world.processes, arguments.operands().front()));
    if (is_affected(world.files, interface)) {
        affected.push_back(interface.name);
    }
    return affected;
}

constexpr const char *nothing_affected =
    "there is no ConnectX of revision a0 here, which alone needs it";

Result<Answer> list_tso(World &world, const std::vector<std::string> &affected) {
    Answer answer;
    const bool at_boot = is_ours(text_of(tso_rule(world)).value_or(""));
    answer.json = {{"at_boot", at_boot}, {"interfaces", Json::array()}};
    Table table({{"INTERFACE"}, {"TSO"}, {"AT BOOT"}});
    if (!affected.empty() && !world.processes.there("ethtool")) {
        return no_ethtool();
    }
    for (const std::string &interface : affected) {
        auto on = TRY(segments(world, interface));
        answer.json["interfaces"].push_back({{"name", interface}, {"tso", on}});
        table.row({interface, on ? "on: it damages data" : "off", at_boot ? "off" : "on"});
    }
    answer.text =
        affected.empty() ? fmt::format("{}\n", nothing_affected) : table.text(world.terminal);
    return answer;
}

Result<void> plan_offload(World &world, ChangeSet &set, const std::vector<std::string> &affected,
                          bool on) {
    if (!affected.empty() && !world.processes.there("ethtool")) {
        return no_ethtool();
    }
    for (const std::string &interface : affected) {
        auto is_on = TRY(segments(world, interface));
        if (is_on != on) {
            set.add(change_program({"ethtool", "-K", interface, "tso", on ? "on" : "off"},
                                   {"ethtool", "-K", interface, "tso", on ? "off" : "on"}));
        }
    }
    return {};
}

Result<Answer> unset_tso(World &world, const Arguments &arguments,
                         const std::vector<std::string> &affected) {
    if (!arguments.operands().empty()) {
        return Error{ExitCode::usage, "the rule of udev is for all interfaces",
                     "give --unset without an interface"};
    }
    ChangeSet set("fix tso --unset");
    const bool is_kept = is_ours(text_of(tso_rule(world)).value_or(""));
    TRY(set.remove(tso_rule(world)));
    if (is_kept) {
        TRY(plan_offload(world, set, affected, true));
    }
    auto answer = TRY(carry_out(world, {arguments.dry_run()}, set,
                                "\"causeway fix tso\" keeps nothing for the next boot"));
    answer.json["affected"] = affected;
    if (!set.empty() && !affected.empty()) {
        answer.warnings.push_back(
            fmt::format("{} damages data while TSO is on", fmt::join(affected, ", ")));
    }
    return answer;
}

Result<Answer> run_fix_tso(World &world, const Arguments &arguments) {
    if (arguments.has("list") && arguments.has("unset")) {
        return Error{ExitCode::usage, "--list and --unset exclude each other", "give one of them"};
    }
    auto affected = TRY(affected_interfaces(world, arguments));
    if (arguments.has("list")) {
        return list_tso(world, affected);
    }
    if (arguments.has("unset")) {
        return unset_tso(world, arguments, affected);
    }
    ChangeSet set("fix tso");
    if (!affected.empty()) {
        const std::string rule =
            our_header("fix tso") +
            fmt::format("ACTION==\"add\", SUBSYSTEM==\"net\", ATTR{{type}}==\"32\", "
                        "ATTRS{{vendor}}==\"0x15b3\", ATTRS{{device}}==\"{}\", "
                        "ATTRS{{revision}}==\"0xa0\", "
                        "RUN+=\"/usr/sbin/ethtool -K $name tso off\"\n"
                        // A child appears without an attribute that names its adapter.
                        "ACTION==\"add\", SUBSYSTEM==\"net\", ATTR{{type}}==\"32\", "
                        "TEST!=\"device\", RUN+=\"/usr/sbin/ethtool -K $name tso off\"\n",
                        first_connectx_ids());
        TRY(set.write(tso_rule(world), rule));
    }
    TRY(plan_offload(world, set, affected, false));
    auto answer = carry_out(world, {arguments.dry_run()}, set,
                            affected.empty() ? nothing_affected
                                             : fmt::format("TSO is off on {}, now and at boot",
                                                           fmt::join(affected, ", ")));
    if (answer) {
        answer->json["affected"] = affected;
    }
    return answer;
}

const VerbRows fix_tso_rows(Section::repairing, 2, [] {
    return std::vector<Verb>{
        {
            .words = "fix tso",
            .operands = "[INTERFACE]",
            .summary = "turn off TCP segmentation on the first ConnectX, which damages data, now "
                       "and at boot",
            .options = {{"list", "", "show the interfaces that need it, and the state of TSO"},
                        {"unset", "", "turn TSO on again, and keep nothing for the next boot"}},
            .most_operands = 1,
            .changes = true,
            .run = run_fix_tso,
        },
    };
});

} // namespace

} // namespace causeway
