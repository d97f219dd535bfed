// SPDX-License-Identifier: GPL-2.0-or-later
// export remove.
#include "base/durable_file.h"
#include "command/plan.h"
#include "config/dropins.h"
#include "verbs/exporting.h"
#include "verbs/server_life.h"
#include "verbs/stock.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

struct Removal {
    bool there = false;
    std::string unflushed; // why
};

// Without the lock: it takes as long as the export's disk and its clients take.
Result<Removal> end_export(World &world, const std::string &name, bool force) {
    Removal removal;
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    removal.there = std::any_of(exports->begin(), exports->end(),
                                [&](const ExportInfo &info) { return info.settings.name == name; });
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

// True when its file was there. The file of an export that was added again meanwhile stays.
Result<bool> forget_export(World &world, const std::string &name, const fs::path &place) {
    auto lock = lock_server(world);
    if (!lock) {
        return lock.error();
    }
    auto running = running_export(world, name);
    if (!running) {
        return running.error();
    }
    return *running ? Result<bool>(false) : remove_durably(place);
}

} // namespace

Result<Answer> run_export_remove(World &world, const Arguments &arguments) {
    auto name = parse_export_name(arguments.operands().front());
    if (!name) {
        return name.error();
    }
    auto stock = remove_stock_export(world, *name, arguments.has("force"), arguments.dry_run());
    if (!stock) {
        return stock.error();
    }
    if (*stock) {
        return **std::move(stock);
    }
    ExportSettings named;
    named.name = *name;
    const fs::path place = dropin_place(world.places, named);
    if (arguments.dry_run()) {
        Plan plan;
        auto running = running_export(world, *name);
        if (!running) {
            return running.error();
        }
        if (*running) {
            plan.act(
                fmt::format("end the export '{}' with {} sessions", *name, (*running)->sessions));
        }
        if (auto good = plan.remove(place); !good) {
            return good.error();
        }
        return plan.answer();
    }
    auto removed = end_export(world, *name, arguments.has("force"));
    if (!removed) {
        return removed.error();
    }
    auto forgotten = forget_export(world, *name, place);
    if (!forgotten) {
        return forgotten.error();
    }
    Answer answer;
    const bool changed = removed->there || *forgotten;
    answer.json = {{"name", *name}, {"changed", changed}, {"flushed", removed->unflushed.empty()}};
    answer.text = changed ? fmt::format("'{}' is no longer exported\n", *name)
                          : fmt::format("there is no export '{}', nothing to remove\n", *name);
    if (!removed->unflushed.empty()) {
        answer.text.clear();
        answer.warnings.push_back(
            fmt::format("'{}' is no longer exported, but {}", *name, removed->unflushed));
        answer.code = ExitCode::failed;
    }
    return answer;
}

} // namespace causeway
