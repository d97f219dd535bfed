// SPDX-License-Identifier: GPL-2.0-or-later
// export remove.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "disk/export_change.h"
#include "disk/exporting.h"
#include "disk/server_life.h"
#include "disk/stock.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

Result<std::optional<ExportInfo>> find_export_of(World &world, const std::string &name) {
    auto exports = TRY(world.kernel.exports());
    const auto found = std::find_if(exports.begin(), exports.end(), [&](const ExportInfo &info) {
        return info.settings.name == name;
    });
    return found == exports.end() ? std::optional<ExportInfo>() : std::optional(*found);
}

struct Removal {
    ChangeSet set;
    std::optional<ExportSettings> removed{}; // none: there is no such export
};

// @unflushed: set to the reason where the disk was not flushed.
Result<Removal> removing(World &world, const std::string &name, bool force,
                         std::string &unflushed) {
    auto there = TRY(find_export_of(world, name));
    // A file that cannot be understood is removed all the same.
    const auto stored = find_export(world.places, name);
    const auto configured =
        stored && *stored ? std::optional((*stored)->settings) : std::optional<ExportSettings>();
    Removal removal{ChangeSet("export remove " + name, Scope::disks), configured};
    if (there) {
        ExportWay way;
        way.force = force;
        way.ending = there->ending;
        way.sessions = there->sessions;
        way.unflushed = &unflushed;
        ExportState state = state_of(*there, configured);
        removal.removed = state.settings;
        removal.set.add(change_export(std::move(state), false, std::move(way)));
    }
    ExportSettings named;
    named.name = name;
    DropinWay way;
    way.permit = permit_dropin(name, false);
    way.kind = there ? kind_export_dropin : way.kind;
    TRY(removal.set.describe(dropin_place(world.places, named), {}, std::move(way)));
    return removal;
}

Result<Answer> run_export_remove(World &world, const Arguments &arguments) {
    auto name = TRY(parse_export_name(arguments.operands().front()));
    auto stock = TRY(remove_stock_export(world, name, arguments.has("force"), arguments.dry_run()));
    if (stock) {
        return *std::move(stock);
    }
    std::string unflushed;
    auto removal = TRY(removing(world, name, arguments.has("force"), unflushed));
    auto answer = TRY(carry_out(world, {arguments.dry_run()}, removal.set, ""));
    if (arguments.dry_run()) {
        return answer;
    }
    if (removal.set.empty()) {
        // An empty set needs no privilege. Taking the lock does, so other users are refused.
        const auto lock = TRY(lock_server(world));
    }
    answer.json["name"] = name;
    answer.json["flushed"] = unflushed.empty();
    const ExportSettings removed = removal.removed.value_or(ExportSettings());
    const std::string again = same_disk_again(removed);
    answer.json["uuid"] = again.empty() ? Json(nullptr) : Json(removed.identity->text());
    answer.text =
        removal.set.empty()
            ? fmt::format("there is no export '{}', nothing to remove\n", name)
            : fmt::format("'{}' is no longer exported{}\n{}", name, again, line_of_undo(answer));
    if (!unflushed.empty()) {
        answer.text = line_of_undo(answer);
        answer.warnings.push_back(
            fmt::format("'{}' is no longer exported, but {}{}", name, unflushed, again));
        answer.code = ExitCode::failed;
    }
    return answer;
}

const VerbRows export_remove_rows(Section::disks, 2, [] {
    return std::vector<Verb>{
        {
            .words = "export remove",
            .operands = "NAME",
            .summary = "stop offering it, now and at boot",
            .options = {{"force", "",
                         "even while clients have it attached: they wait until it is back"}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_export_remove,
        },
    };
});

} // namespace

} // namespace causeway
