// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/restore.h"

#include "stock/attaching.h"
#include "stock/disk_users.h"
#include "stock/exporting.h"

#include <fmt/format.h>

namespace causeway {

namespace {

std::vector<Error> as_errors(const std::vector<std::string> &sentences) {
    std::vector<Error> errors;
    for (const std::string &sentence : sentences) {
        errors.push_back({ExitCode::bad_config, sentence});
    }
    return errors;
}

Result<ChangeSet> bring_up(World &world, const StockExportSight &sight) {
    ChangeSet set("restore " + sight.settings.name);
    if (!sight.running) {
        TRY(check_stock_backend(world.files, sight.settings));
        TRY(check_unclaimed(world, sight.settings));
        TRY(add_bring_up(world, set, sight.settings));
    }
    return set;
}

Result<ChangeSet> take_down(World &world, const StockExportSight &sight) {
    ChangeSet set("stop " + sight.settings.name);
    TRY(add_take_down(world, set, sight));
    return set;
}

Result<ChangeSet> attach(World &world, const StockAttachmentSight &sight) {
    ChangeSet set("restore " + sight.settings.disk.text());
    if (!sight.connection) {
        TRY(check_initiator_tools(world, sight.settings.via));
        add_attach(world, set, sight.settings);
    }
    return set;
}

Result<ChangeSet> detach(World &world, const StockAttachmentSight &sight) {
    TRY(check_unused(world, sight));
    ChangeSet set("stop " + sight.settings.disk.text());
    set.add(change_stock_attachment(sight.settings, false));
    return set;
}

} // namespace

Result<std::vector<Task>> stock_exports_to_restore(World &world, std::vector<Error> &broken) {
    std::vector<std::string> warnings;
    auto sights = TRY(stock_exports(world, warnings));
    broken = as_errors(warnings);
    std::vector<Task> tasks;
    for (const StockExportSight &sight : sights) {
        if (sight.persistent) {
            tasks.push_back({sight.settings.name,
                             fmt::format("'{}' is exported by {}", sight.settings.name,
                                         via_title(sight.settings.via)),
                             [sight](World &now) { return bring_up(now, sight); }});
        }
    }
    return tasks;
}

Result<std::vector<Task>> stock_attachments_to_restore(World &world, std::vector<Error> &broken) {
    std::vector<std::string> warnings;
    auto sights = TRY(stock_attachments(world, warnings));
    broken = as_errors(warnings);
    std::vector<Task> tasks;
    for (const StockAttachmentSight &sight : sights) {
        const std::string disk = sight.settings.disk.text();
        if (sight.persistent) {
            tasks.push_back(
                {disk, fmt::format("{} is attached by {}", disk, via_title(sight.settings.via)),
                 [sight](World &now) { return attach(now, sight); }});
        }
    }
    return tasks;
}

Result<std::vector<Task>> stock_exports_to_stop(World &world) {
    std::vector<std::string> warnings;
    auto sights = TRY(stock_exports(world, warnings));
    std::vector<Task> tasks;
    for (const StockExportSight &sight : sights) {
        if (sight.running) {
            tasks.push_back({sight.settings.name,
                             fmt::format("the export '{}' by {} ended", sight.settings.name,
                                         via_title(sight.settings.via)),
                             [sight](World &now) { return take_down(now, sight); }});
        }
    }
    return tasks;
}

Result<std::vector<Task>> stock_attachments_to_stop(World &world) {
    std::vector<std::string> warnings;
    auto sights = TRY(stock_attachments(world, warnings));
    std::vector<Task> tasks;
    for (const StockAttachmentSight &sight : sights) {
        const std::string disk = sight.settings.disk.text();
        if (sight.connection) {
            tasks.push_back({disk, fmt::format("{} is detached", disk),
                             [sight](World &now) { return detach(now, sight); }});
        }
    }
    return tasks;
}

} // namespace causeway
