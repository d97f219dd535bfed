// SPDX-License-Identifier: GPL-2.0-or-later
// ipoib export: what was set up here, for other hosts.
#include "host/ipoib.h"
#include "netconf/ansible.h"
#include "netconf/apply.h"
#include "netconf/records.h"
#include "verbs/verbs.h"

#include <fmt/format.h>

namespace causeway {

Result<Answer> run_ipoib_export(World &world, const Arguments &arguments) {
    if (!arguments.has("ansible")) {
        return Error{ExitCode::usage, "the form of the export is missing", "give --ansible"};
    }
    auto records = load_records(world.places);
    if (!records) {
        return records.error();
    }
    std::vector<InterfaceSettings> interfaces = *records;
    // The others as they are now; whose child one is, is not known of those made by netlink.
    for (const IpoibInterface &each : ipoib_interfaces(world.files, world.processes)) {
        if (find_record(*records, each.name) != nullptr ||
            each.name.find('.') != std::string::npos) {
            continue;
        }
        InterfaceSettings settings;
        settings.name = each.name;
        settings.mode = each.mode;
        settings.mtu = each.mtu;
        interfaces = records_with(std::move(interfaces), settings);
    }
    Answer answer;
    answer.text = ansible_playbook(interfaces);
    answer.json["playbook"] = answer.text;
    return answer;
}

} // namespace causeway
