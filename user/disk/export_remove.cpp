// SPDX-License-Identifier: GPL-2.0-or-later
// export remove.
#include "command/verb.h"
#include "transport/family.h"

#include <algorithm>

namespace causeway {

namespace {

Result<Answer> run_export_remove(World &world, const Arguments &arguments) {
    const auto name = TRY(parse_export_name(arguments.operands().front()));
    // The first family has an action for every name.
    auto families = TransportFamily::all();
    std::reverse(families.begin(), families.end());
    ActionPointer action;
    for (std::size_t i = 0; !action; i++) {
        action = TRY(families.at(i)->export_remove(world, name, arguments));
    }
    return perform(world, *action, arguments.dry_run());
}

const VerbRows export_remove_rows(Section::disks, 2, [] {
    return std::vector<Verb>{
        {
            .words = "export remove",
            .operands = "NAME",
            .summary = "stop exporting a disk, now and at boot",
            .options = {{"force", "",
                         "stop even while clients have the disk attached: their I/O waits until "
                         "the export is back, or fails after their --io-timeout"}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_export_remove,
        },
    };
});

} // namespace

} // namespace causeway
