// SPDX-License-Identifier: GPL-2.0-or-later
// export remove.
#include "base/durable_file.h"
#include "command/plan.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "disk/exporting.h"
#include "disk/server_life.h"
#include "disk/stock.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

struct Removal {
    bool there = false;
    std::optional<Uuid> identity; // of a disk that lasts
    std::string unflushed;        // why
};

std::optional<Uuid> lasting_identity(const ExportSettings &settings) {
    return settings.backend == Backend::ram ? std::nullopt : settings.identity;
}

// Without the lock: it takes as long as the export's disk and its clients take.
Result<Removal> end_export(World &world, const std::string &name, bool force) {
    Removal removal;
    auto exports = TRY(world.kernel.exports());
    for (const ExportInfo &info : exports) {
        if (info.settings.name == name) {
            removal.there = true;
            removal.identity = lasting_identity(info.settings);
        }
    }
    if (!removal.there) {
        return removal;
    }
    auto removed = world.kernel.remove_export(name, force);
    if (!removed) {
        Error error = removed.error();
        error.what = fmt::format("cannot remove the export '{}': {}", name, error.what);
        return error;
    }
    removal.unflushed = *std::move(removed);
    return removal;
}

// True when its file was there. The file of an export that was added again meanwhile stays. Fills
// in the identity where only the file knew it.
Result<bool> forget_export(World &world, const std::string &name, const fs::path &place,
                           std::optional<Uuid> &identity) {
    const auto lock = TRY(lock_server(world));
    auto running = TRY(running_export(world, name));
    if (running) {
        return false;
    }
    // A file that cannot be understood is removed all the same.
    if (const auto configured = find_export(world.places, name);
        !identity && configured && *configured) {
        identity = lasting_identity((*configured)->settings);
    }
    return remove_durably(place);
}

// What brings the same disk back: with another UUID it has no owners and no evicted hosts.
std::string same_disk_again(const Uuid &identity) {
    return fmt::format("to export the same disk again, give: --uuid {}", identity.text());
}

Result<Answer> run_export_remove(World &world, const Arguments &arguments) {
    auto name = TRY(parse_export_name(arguments.operands().front()));
    auto stock = TRY(remove_stock_export(world, name, arguments.has("force"), arguments.dry_run()));
    if (stock) {
        return *std::move(stock);
    }
    ExportSettings named;
    named.name = name;
    const fs::path place = dropin_place(world.places, named);
    if (arguments.dry_run()) {
        Plan plan;
        auto running = TRY(running_export(world, name));
        if (running) {
            plan.act(fmt::format("end the export '{}' with {} sessions", name, running->sessions));
        }
        TRY(plan.remove(place));
        return plan.answer();
    }
    auto removed = end_export(world, name, arguments.has("force"));
    if (!removed) {
        return removed.error();
    }
    auto forgotten = TRY(forget_export(world, name, place, removed->identity));
    Answer answer;
    const bool changed = removed->there || forgotten;
    answer.json = {{"name", name}, {"changed", changed}, {"flushed", removed->unflushed.empty()}};
    answer.json["uuid"] = removed->identity ? Json(removed->identity->text()) : Json(nullptr);
    const std::string again = removed->identity ? "; " + same_disk_again(*removed->identity) : "";
    answer.text = changed ? fmt::format("'{}' is no longer exported{}\n", name, again)
                          : fmt::format("there is no export '{}', nothing to remove\n", name);
    if (!removed->unflushed.empty()) {
        answer.text.clear();
        answer.warnings.push_back(
            fmt::format("'{}' is no longer exported, but {}{}", name, removed->unflushed, again));
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
