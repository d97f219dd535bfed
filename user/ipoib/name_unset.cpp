// SPDX-License-Identifier: GPL-2.0-or-later
// name list, name unset: the names that "name set" keeps, and the end of one.
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "host/ipoib.h"
#include "host/rdma_devices.h"
#include "ipoib/name_rules.h"
#include "netconf/apply.h"
#include "netconf/records.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// Returns the present name of the interface or device that the rule matches, or "".
std::string present_name(World &world, const NameRule &rule,
                         const std::vector<IpoibInterface> &interfaces) {
    if (rule.is_device) {
        for (const RdmaDevice &device : rdma_devices(world.files)) {
            if (device.node_guid == rule.guid) {
                return device.name;
            }
        }
        return {};
    }
    // A child has the port GUID of its parent.
    const auto found =
        std::find_if(interfaces.begin(), interfaces.end(), [&](const IpoibInterface &each) {
            return each.parent.empty() && port_guid_of(each.address) == rule.guid;
        });
    return found == interfaces.end() ? std::string() : found->name;
}

Result<Answer> run_name_list(World &world, const Arguments & /*arguments*/) {
    auto rules = TRY(load_name_rules(world.places, false));
    auto of_devices = TRY(load_name_rules(world.places, true));
    rules.insert(rules.end(), of_devices.begin(), of_devices.end());
    const auto interfaces = ipoib_interfaces(world.files, world.processes);
    Answer answer;
    answer.json["names"] = Json::array();
    Table table({{"NAME"}, {"KIND"}, {"GUID"}, {"NAME NOW"}});
    for (const NameRule &rule : rules) {
        const std::string now = present_name(world, rule, interfaces);
        answer.json["names"].push_back({{"name", rule.name},
                                        {"kind", rule.is_device ? "device" : "interface"},
                                        {"guid", rule.guid},
                                        {"now", now.empty() ? Json(nullptr) : Json(now)}});
        table.row({rule.name, rule.is_device ? "RDMA device" : "interface", rule.guid,
                   now.empty() ? "not there" : now});
    }
    answer.text = answer.json["names"].empty() ? "\"causeway name set\" keeps no name\n"
                                               : table.text(world.terminal);
    return answer;
}

Result<Answer> run_name_unset(World &world, const Arguments &arguments) {
    const std::string &name = arguments.operands().front();
    const bool of_devices = arguments.has("rdma");
    auto rules = TRY(load_name_rules(world.places, of_devices));
    const auto has = [&](const std::vector<NameRule> &list) {
        return std::any_of(list.begin(), list.end(),
                           [&](const NameRule &rule) { return rule.name == name; });
    };
    if (!has(rules)) {
        auto others = TRY(load_name_rules(world.places, !of_devices));
        if (has(others)) {
            return Error{
                ExitCode::usage,
                fmt::format("{} is the name of an {}", name,
                            of_devices ? "interface" : "RDMA device"),
                fmt::format("causeway name unset {}{}", name, of_devices ? "" : " --rdma")};
        }
        return carry_out(world, {arguments.dry_run()}, ChangeSet("name unset " + name),
                         fmt::format("\"causeway name set\" keeps no name {}", name));
    }
    const auto place = name_rules_place(world.places, of_devices);
    auto rest = TRY(name_rules_without(world.places, of_devices, name));
    ChangeSet set(fmt::format("name unset {}{}", of_devices ? "--rdma " : "", name));
    TRY(rest.empty() ? set.remove(place) : set.write(place, our_header("name set") + rest));
    auto answer = TRY(carry_out(world, {arguments.dry_run()}, set, "the name is not kept"));
    if (!arguments.dry_run()) {
        answer.text +=
            fmt::format("{} is called so until it appears anew, as after a reboot\n", name);
    }
    auto records = TRY(load_records(world.places));
    if (!of_devices && find_record(records, name) != nullptr) {
        answer.warnings.push_back(
            fmt::format("causeway keeps settings of {}, which no interface has at the next boot: "
                        "causeway ipoib unset {}, or give the name again",
                        name, name));
    }
    return answer;
}

const VerbRows name_unset_rows(Section::host, 6, [] {
    return std::vector<Verb>{
        {
            .words = "name unset",
            .operands = "NAME",
            .summary = "keep a name no longer, from the next boot on",
            .options = {{"rdma", "", "the name of an RDMA device"}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_name_unset,
        },
        {
            .words = "name list",
            .summary = "show the names that name set keeps, with their GUIDs",
            .run = run_name_list,
        },
    };
});

} // namespace

} // namespace causeway
