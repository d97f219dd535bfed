// SPDX-License-Identifier: GPL-2.0-or-later
// ipoib export: the records and the present state of the interfaces, as a playbook for this host.
#include "command/verb.h"
#include "host/ipoib.h"
#include "host/rdma_devices.h"
#include "netconf/ansible.h"
#include "netconf/apply.h"
#include "netconf/kept_now.h"
#include "netconf/records.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// Returns the record of the interface, plus what the interface has beyond that now.
Result<InterfaceSettings> as_it_is_now(World &world, const std::vector<InterfaceSettings> &records,
                                       const IpoibInterface &interface) {
    InterfaceSettings settings;
    if (const InterfaceSettings *record = find_record(records, interface.name)) {
        settings = *record;
    } else {
        settings.name = interface.name;
        settings.mode = interface.mode;
        settings.mtu = interface.mtu;
    }
    if (settings.parent.empty() && !interface.parent.empty()) {
        auto pkey = parse_pkey(interface.pkey);
        if (!pkey) {
            return Error{ExitCode::unavailable, "its P_Key cannot be read"};
        }
        settings.parent = interface.parent;
        settings.pkey = *pkey;
    }
    auto now = TRY(look_at_interface(world, interface.name));
    TRY(keep_what_is_now(world, settings, now));
    return settings;
}

Result<Answer> run_ipoib_export(World &world, const Arguments &arguments) {
    if (!arguments.has("ansible")) {
        return Error{ExitCode::usage, "the form of the export is missing", "give --ansible"};
    }
    auto records = TRY(load_records(world.places));
    Answer answer;
    std::vector<InterfaceSettings> interfaces = records;
    for (const IpoibInterface &each : ipoib_interfaces(world.files, world.processes)) {
        auto settings = as_it_is_now(world, records, each);
        if (settings) {
            interfaces = records_with(std::move(interfaces), *settings);
        } else {
            interfaces.erase(std::remove_if(interfaces.begin(), interfaces.end(),
                                            [&](const InterfaceSettings &other) {
                                                return other.name == each.name;
                                            }),
                             interfaces.end());
            answer.warnings.push_back(
                fmt::format("{} is left out: {}", each.name, settings.error().what));
        }
    }
    answer.text =
        ansible_playbook(sysfs_text(world.files, "/proc/sys/kernel/hostname"), interfaces);
    answer.json["playbook"] = answer.text;
    return answer;
}

const VerbRows export_rows(Section::host, 5, [] {
    return std::vector<Verb>{
        {
            .words = "ipoib export",
            .summary = "write the interfaces of this host as a playbook for it",
            .options =
                {{"ansible", "",
                  "the form, which must be given: for the network role of RHEL's system roles"}},
            .run = run_ipoib_export,
        },
    };
});

} // namespace

} // namespace causeway
