// SPDX-License-Identifier: GPL-2.0-or-later
// pfc show, pfc set: priority flow control (IEEE 802.1Qbb), without which RoCE loses packets on a
// busy network.
#include "base/units.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "host/rdma_devices.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <sstream>

namespace causeway {

namespace {

constexpr unsigned int priorities = 8;
constexpr const char *sent = "/sys/module/mlx4_en/parameters/pfctx";
constexpr const char *received = "/sys/module/mlx4_en/parameters/pfcrx";

struct FlowControl {
    std::string netdev;
    std::string device;
    std::string source; // "dcb", "mlx4_en"; empty: unknown
    std::vector<unsigned int> on;
    std::string why_not;
};

std::vector<unsigned int> bits_of(unsigned long mask) {
    std::vector<unsigned int> on;
    for (unsigned int priority = 0; priority < priorities; priority++) {
        if ((mask >> priority & 1U) != 0) {
            on.push_back(priority);
        }
    }
    return on;
}

// Parses the output of dcb-pfc(8), "prio-pfc 0:off 1:off 2:off 3:on ...".
std::vector<unsigned int> parse_dcb(const std::string &text) {
    std::vector<unsigned int> on;
    std::istringstream words(text);
    bool inside = false;
    for (std::string word; words >> word;) {
        inside = inside ? word.find(':') == 1 : word == "prio-pfc";
        if (inside && word.size() == 4 && word.substr(1) == ":on" && word[0] >= '0' &&
            word[0] < '0' + static_cast<char>(priorities)) {
            on.push_back(static_cast<unsigned int>(word[0] - '0'));
        }
        inside = inside || word == "prio-pfc";
    }
    return on;
}

bool is_mlx4(KernelFiles &files, const std::string &netdev) {
    const std::string text =
        sysfs_text(files, fmt::format("/sys/class/net/{}/device/uevent", netdev));
    return text.find("DRIVER=mlx4") != std::string::npos;
}

FlowControl look(World &world, const std::string &netdev, const std::string &device) {
    FlowControl control{netdev, device, "", {}, ""};
    const std::string mask = sysfs_text(world.files, sent);
    if (is_mlx4(world.files, netdev) && !mask.empty()) {
        control.source = "mlx4_en";
        control.on = bits_of(std::strtoul(mask.c_str(), nullptr, 0));
        return control;
    }
    if (!world.processes.there("dcb")) {
        control.why_not =
            "the program dcb is not installed: apt install iproute2, or: dnf install iproute";
        return control;
    }
    auto end = world.processes.run({"dcb", "pfc", "show", "dev", netdev});
    if (!end || !end->good()) {
        control.why_not = end ? end->last_words() : end.error().what;
        control.why_not =
            control.why_not.empty() ? "its driver does not report flow control" : control.why_not;
        return control;
    }
    control.source = "dcb";
    control.on = parse_dcb(end->out);
    return control;
}

std::string priorities_text(const FlowControl &control) {
    if (control.source.empty()) {
        return "unknown";
    }
    return control.on.empty() ? "off" : fmt::format("{}", fmt::join(control.on, ", "));
}

Result<unsigned int> parse_mask(const std::vector<std::string> &typed) {
    unsigned int mask = 0;
    for (const std::string &word : typed) {
        if (word == "none" && typed.size() == 1) {
            return 0U;
        }
        auto number = parse_number("a priority", word, 0, priorities - 1);
        if (!number) {
            Error error = number.error();
            error.fix = "give priorities from 0 to 7, or none";
            return error;
        }
        mask |= 1U << *number;
    }
    return mask;
}

// The initramfs must contain the options of mlx4_en too, because the module may be loaded from
// there.
std::vector<std::string> initramfs_program(World &world) {
    if (world.processes.there("update-initramfs")) {
        return {"update-initramfs", "-u"};
    }
    if (world.processes.there("dracut")) {
        return {"dracut", "--force"};
    }
    return {};
}

Result<Answer> run_pfc_show(World &world, const Arguments &arguments) {
    std::vector<FlowControl> found;
    std::set<std::string> seen;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        for (const RdmaPort &port : device.ports) {
            std::set<std::string> names;
            for (const RdmaGid &gid : port.gids) {
                names.insert(gid.netdev);
            }
            names.erase("");
            for (const std::string &name : names) {
                const bool asked = arguments.operands().empty() ||
                                   arguments.operands().front() == name ||
                                   arguments.operands().front() == device.name;
                if (port.link_layer == "Ethernet" && asked && seen.insert(name).second) {
                    found.push_back(look(world, name, device.name));
                }
            }
        }
    }
    if (found.empty() && !arguments.operands().empty()) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} carries no RoCE", arguments.operands().front()),
                     "see which do: causeway pfc show"};
    }
    Answer answer;
    answer.json["interfaces"] = Json::array();
    Table table({{"INTERFACE"}, {"DEVICE"}, {"PFC ON PRIORITIES"}, {"SAYS"}});
    for (const FlowControl &each : found) {
        const bool known = !each.source.empty();
        answer.json["interfaces"].push_back({{"interface", each.netdev},
                                             {"device", each.device},
                                             {"priorities", known ? Json(each.on) : Json(nullptr)},
                                             {"source", known ? Json(each.source) : Json(nullptr)},
                                             {"why_not", each.why_not}});
        table.row(
            {each.netdev, each.device, priorities_text(each), known ? each.source : each.why_not});
    }
    answer.text =
        found.empty() ? "there is no interface that carries RoCE\n" : table.text(world.terminal);
    return answer;
}

Result<Answer> run_pfc_set(World &world, const Arguments &arguments) {
    auto mask = TRY(parse_mask(arguments.operands()));
    const std::string now = sysfs_text(world.files, sent);
    if (now.empty()) {
        return Error{ExitCode::unavailable,
                     "mlx4_en is not loaded: this verb is for ConnectX-3 and before, whose driver "
                     "takes it as an option",
                     "for others: dcb pfc set dev INTERFACE prio-pfc 3:on"};
    }
    ChangeSet set("pfc set");
    const std::string text = our_header("pfc set") +
                             fmt::format("options mlx4_en pfctx=0x{0:02x} pfcrx=0x{0:02x}\n", mask);
    TRY(mask == 0 ? set.remove(world.places.mlx4_options())
                  : set.write(world.places.mlx4_options(), text));
    const auto program = initramfs_program(world);
    if (!set.empty() && !program.empty() && !arguments.has("no-initramfs")) {
        set.add(refresh_program(program));
    }
    const bool changes = !set.empty();
    auto answer = carry_out(world, {arguments.dry_run()}, set,
                            "mlx4_en gets these priorities at boot already");
    const unsigned long running =
        std::strtoul(now.c_str(), nullptr, 0) &
        std::strtoul(sysfs_text(world.files, received).c_str(), nullptr, 0);
    if (answer && changes && running != mask) {
        answer->warnings.emplace_back("mlx4_en takes this when it is loaded: reboot");
    }
    return answer;
}

const VerbRows pfc_rows(Section::host, 13, [] {
    return std::vector<Verb>{
        {
            .words = "pfc show",
            .operands = "[INTERFACE|DEVICE]",
            .summary = "show priority flow control of interfaces that carry RoCE",
            .most_operands = 1,
            .run = run_pfc_show,
        },
        {
            .words = "pfc set",
            .operands = "PRIORITY...|none",
            .summary = "set priority flow control of mlx4 Ethernet ports, from the next boot on",
            .options = {{"no-initramfs", "", "do not make the initramfs anew"}},
            .least_operands = 1,
            .most_operands = 8,
            .changes = true,
            .run = run_pfc_set,
        },
    };
});

} // namespace

} // namespace causeway
