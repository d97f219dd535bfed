// SPDX-License-Identifier: GPL-2.0-or-later
// fix tso: the first ConnectX (MT25418, revision a0) damages data when it segments TCP itself.
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "host/ipoib.h"
#include "host/rdma_devices.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr unsigned long mellanox = 0x15b3;
constexpr unsigned long mt25418 = 0x634a;
constexpr unsigned long revision_a0 = 0xa0;

bool is_affected(KernelFiles &files, const std::string &interface) {
    const auto number = [&](const char *file) {
        return std::strtoul(
            sysfs_text(files, fmt::format("{}/device/{}", net_folder(interface), file)).c_str(),
            nullptr, 16);
    };
    return number("vendor") == mellanox && number("device") == mt25418 &&
           number("revision") == revision_a0;
}

Result<bool> segments(World &world, const std::string &interface) {
    auto end = TRY(world.processes.run({"ethtool", "-k", interface}));
    if (!end.good()) {
        return Error{ExitCode::failed,
                     fmt::format("\"ethtool -k {}\" failed: {}", interface, end.last_words())};
    }
    return end.out.find("tcp-segmentation-offload: on") != std::string::npos;
}

Result<Answer> run_fix_tso(World &world, const Arguments &arguments) {
    std::vector<std::string> affected;
    if (arguments.operands().empty()) {
        for (const IpoibInterface &each : ipoib_interfaces(world.files, world.processes)) {
            if (is_affected(world.files, each.name)) {
                affected.push_back(each.name);
            }
        }
    } else {
        auto interface =
            TRY(find_ipoib(world.files, world.processes, arguments.operands().front()));
        if (is_affected(world.files, interface.name)) {
            affected.push_back(interface.name);
        }
    }
    ChangeSet set("fix tso");
    if (!affected.empty()) {
        if (!world.processes.there("ethtool")) {
            return Error{ExitCode::unavailable, "the program ethtool is not installed",
                         "apt install ethtool, or: dnf install ethtool"};
        }
        const std::string rule =
            our_header("fix tso") +
            fmt::format("ACTION==\"add\", SUBSYSTEM==\"net\", ATTR{{type}}==\"32\", "
                        "ATTRS{{vendor}}==\"0x{:04x}\", ATTRS{{device}}==\"0x{:04x}\", "
                        "ATTRS{{revision}}==\"0x{:02x}\", "
                        "RUN+=\"/usr/sbin/ethtool -K $name tso off\"\n",
                        mellanox, mt25418, revision_a0);
        TRY(set.write(world.places.udev_rules() / "75-causeway-tso.rules", rule));
    }
    for (const std::string &interface : affected) {
        auto on = TRY(segments(world, interface));
        if (on) {
            set.add(change_program({"ethtool", "-K", interface, "tso", "off"},
                                   {"ethtool", "-K", interface, "tso", "on"}));
        }
    }
    auto answer =
        carry_out(world, {arguments.dry_run()}, set,
                  affected.empty() ? "there is no MT25418 of revision a0 here, which alone needs it"
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
            .most_operands = 1,
            .changes = true,
            .run = run_fix_tso,
        },
    };
});

} // namespace

} // namespace causeway
