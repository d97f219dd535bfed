// SPDX-License-Identifier: GPL-2.0-or-later
// ipoib list, ipoib unset, ipoib child list: the settings that the verbs of ipoib keep for the next
// boot, and the end of those of one interface.
#include "change/carry_out.h"
#include "command/verb.h"
#include "host/ipoib.h"
#include "netconf/apply.h"
#include "netconf/backend.h"
#include "netconf/records.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

Json or_null(const std::string &text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

std::vector<std::string> texts_of(const InterfaceSettings &settings) {
    std::vector<std::string> texts;
    for (const InterfaceAddress &each : settings.addresses) {
        texts.push_back(each.text());
    }
    if (settings.dhcp4) {
        texts.emplace_back("DHCP");
    }
    if (settings.auto6) {
        texts.emplace_back("router advertisements");
    }
    return texts;
}

Json record_json(const InterfaceSettings &settings) {
    std::vector<std::string> addresses;
    for (const InterfaceAddress &each : settings.addresses) {
        addresses.push_back(each.text());
    }
    return {{"name", settings.name},
            {"backend", settings.backend},
            {"parent", or_null(settings.parent)},
            {"pkey", settings.pkey ? Json(pkey_text(*settings.pkey)) : Json(nullptr)},
            {"mode", or_null(settings.mode)},
            {"mtu", settings.mtu ? Json(*settings.mtu) : Json(nullptr)},
            {"addresses", addresses},
            {"dhcp", settings.dhcp4},
            {"router_advertisements", settings.auto6}};
}

Result<Answer> run_ipoib_list(World &world, const Arguments & /*arguments*/) {
    auto records = TRY(load_records(world.places));
    Answer answer;
    answer.json["interfaces"] = Json::array();
    Table table({{"INTERFACE"},
                 {"MANAGER"},
                 {"MODE"},
                 {"MTU", Table::Align::right},
                 {"P_KEY"},
                 {"ADDRESSES"}});
    for (const InterfaceSettings &each : records) {
        answer.json["interfaces"].push_back(record_json(each));
        table.row({each.name, each.backend, each.mode, each.mtu ? fmt::format("{}", *each.mtu) : "",
                   each.pkey ? pkey_text(*each.pkey) : "",
                   fmt::format("{}", fmt::join(texts_of(each), " "))});
    }
    answer.text = records.empty() ? "causeway keeps no settings of an interface for the next boot\n"
                                  : table.text(world.terminal);
    return answer;
}

struct ListedChild {
    std::string name;
    std::string parent;
    std::string pkey;
    bool there = false;
    bool at_boot = false;
};

Result<Answer> run_ipoib_child_list(World &world, const Arguments & /*arguments*/) {
    auto records = TRY(load_records(world.places));
    std::vector<ListedChild> children;
    for (const IpoibInterface &each : ipoib_interfaces(world.files, world.processes)) {
        if (!each.parent.empty()) {
            children.push_back({each.name, each.parent, each.pkey, true, false});
        }
    }
    for (const InterfaceSettings &each : records) {
        if (!each.pkey) {
            continue;
        }
        const auto child =
            std::find_if(children.begin(), children.end(),
                         [&](const ListedChild &known) { return known.name == each.name; });
        if (child == children.end()) {
            children.push_back({each.name, each.parent, pkey_text(*each.pkey), false, true});
        } else {
            child->at_boot = true;
        }
    }
    Answer answer;
    answer.json["children"] = Json::array();
    Table table({{"INTERFACE"}, {"PARENT"}, {"P_KEY"}, {"NOW"}, {"AT BOOT"}});
    for (const ListedChild &each : children) {
        answer.json["children"].push_back({{"name", each.name},
                                           {"parent", each.parent},
                                           {"pkey", or_null(each.pkey)},
                                           {"there", each.there},
                                           {"at_boot", each.at_boot}});
        table.row({each.name, each.parent, each.pkey, each.there ? "there" : "not there",
                   each.at_boot ? "yes" : "no"});
    }
    answer.text = children.empty() ? "there is no interface in another partition\n"
                                   : table.text(world.terminal);
    return answer;
}

// Returns when the manager reads its files again, for people.
std::string next_reading(const std::string &backend) {
    if (backend == network_manager().name()) {
        return "until the next boot, or until NetworkManager reads its files (nmcli connection "
               "reload)";
    }
    if (backend == networkd().name()) {
        return "until the next boot, or until networkd reads its files (networkctl reload)";
    }
    return "until the next boot, or until ifdown and ifup";
}

Result<Answer> run_ipoib_unset(World &world, const Arguments &arguments) {
    const std::string &name = arguments.operands().front();
    auto records = TRY(load_records(world.places));
    const InterfaceSettings *record = find_record(records, name);
    ChangeSet set("ipoib unset " + name);
    if (record == nullptr) {
        return carry_out(world, {arguments.dry_run()}, set,
                         fmt::format("causeway keeps no settings of {}", name));
    }
    for (const InterfaceSettings &each : records) {
        if (each.parent == name && each.backend == networkd().name() &&
            record->backend == networkd().name()) {
            // The child is made by a line of the parent's profile, which stays.
            return Error{ExitCode::unavailable,
                         fmt::format("{} is a child of {}, whose profile of networkd makes it",
                                     each.name, name),
                         fmt::format("causeway ipoib unset {}, or ipoib child remove {}; then this "
                                     "again",
                                     each.name, each.name)};
        }
    }
    const std::string backend = record->backend;
    TRY(plan_forget(world, set, name, records));
    auto answer = TRY(carry_out(world, {arguments.dry_run()}, set, "nothing is kept"));
    answer.json["backend"] = backend;
    if (!arguments.dry_run() && find_ipoib(world.files, world.processes, name)) {
        answer.text +=
            fmt::format("{} keeps its addresses, mode and MTU {}\n", name, next_reading(backend));
    }
    return answer;
}

const VerbRows kept_rows(Section::host, 4, [] {
    return std::vector<Verb>{
        {
            .words = "ipoib unset",
            .operands = "INTERFACE",
            .summary = "keep no settings of an interface for the next boot; it has its present "
                       "settings until then",
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_ipoib_unset,
        },
        {
            .words = "ipoib list",
            .summary = "show the settings that the verbs of ipoib keep for the next boot",
            .run = run_ipoib_list,
        },
        {
            .words = "ipoib child list",
            .summary = "show the interfaces in other partitions, now and at boot",
            .run = run_ipoib_child_list,
        },
    };
});

} // namespace

} // namespace causeway
