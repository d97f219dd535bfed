// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/stock_restore.h"

#include "change/carry_out.h"
#include "stock/attaching.h"
#include "stock/disk_users.h"
#include "stock/exporting.h"

#include <fmt/format.h>

namespace causeway {

namespace {

constexpr Manner at_boot{false, false, false};

Result<void> apply(World &world, const ChangeSet &set) {
    auto done = carry_out(world, at_boot, set, "it is there");
    return done ? Result<void>() : done.error();
}

std::vector<Error> as_errors(const std::vector<std::string> &sentences) {
    std::vector<Error> errors;
    for (const std::string &sentence : sentences) {
        errors.push_back({ExitCode::bad_config, sentence});
    }
    return errors;
}

Result<void> bring_up(World &world, const StockExport &settings) {
    if (auto good = check_stock_backend(world.files, settings); !good) {
        return good;
    }
    if (auto free = check_unclaimed(world, settings); !free) {
        return free;
    }
    ChangeSet set("restore " + settings.name);
    auto added = add_bring_up(world, set, settings);
    return added ? apply(world, set) : added;
}

Result<void> take_down(World &world, const StockExportSight &sight) {
    ChangeSet set("stop " + sight.settings.name);
    auto added = add_take_down(world, set, sight);
    return added ? apply(world, set) : added;
}

Result<void> attach(World &world, const StockAttachment &settings) {
    if (auto there = check_initiator_tools(world, settings.via); !there) {
        return there;
    }
    ChangeSet set("restore " + settings.disk.text());
    add_attach(world, set, settings);
    return apply(world, set);
}

Result<void> detach(World &world, const StockAttachmentSight &sight) {
    if (auto unused = check_unused(world, sight); !unused) {
        return unused;
    }
    ChangeSet set("stop " + sight.settings.disk.text());
    set.add(change_stock_attachment(sight.settings, false));
    return apply(world, set);
}

} // namespace

Result<std::vector<StockDeed>> stock_exports_to_restore(World &world, std::vector<Error> &broken) {
    std::vector<std::string> warnings;
    auto sights = TRY(stock_exports(world, warnings));
    broken = as_errors(warnings);
    std::vector<StockDeed> deeds;
    for (const StockExportSight &sight : sights) {
        const StockExport &settings = sight.settings;
        if (sight.persistent) {
            deeds.push_back(
                {settings.name,
                 fmt::format("'{}' is exported by {}", settings.name, via_title(settings.via)),
                 sight.running, [&world, settings] { return bring_up(world, settings); }});
        }
    }
    return deeds;
}

Result<std::vector<StockDeed>> stock_attachments_to_restore(World &world,
                                                            std::vector<Error> &broken) {
    std::vector<std::string> warnings;
    auto sights = TRY(stock_attachments(world, warnings));
    broken = as_errors(warnings);
    std::vector<StockDeed> deeds;
    for (const StockAttachmentSight &sight : sights) {
        const StockAttachment &settings = sight.settings;
        if (sight.persistent) {
            deeds.push_back(
                {settings.disk.text(),
                 fmt::format("{} is attached by {}", settings.disk.text(), via_title(settings.via)),
                 sight.connection.has_value(),
                 [&world, settings] { return attach(world, settings); }});
        }
    }
    return deeds;
}

Result<std::vector<StockDeed>> stock_exports_to_stop(World &world) {
    std::vector<std::string> warnings;
    auto sights = TRY(stock_exports(world, warnings));
    std::vector<StockDeed> deeds;
    for (const StockExportSight &sight : sights) {
        if (sight.running) {
            deeds.push_back({sight.settings.name,
                             fmt::format("the export '{}' by {} ended", sight.settings.name,
                                         via_title(sight.settings.via)),
                             false, [&world, sight] { return take_down(world, sight); }});
        }
    }
    return deeds;
}

Result<std::vector<StockDeed>> stock_attachments_to_stop(World &world) {
    std::vector<std::string> warnings;
    auto sights = TRY(stock_attachments(world, warnings));
    std::vector<StockDeed> deeds;
    for (const StockAttachmentSight &sight : sights) {
        const std::string name = sight.settings.disk.text();
        if (sight.connection) {
            deeds.push_back({name, fmt::format("{} is detached", name), false,
                             [&world, sight] { return detach(world, sight); }});
        }
    }
    return deeds;
}

void plan_stock(const Result<std::vector<StockDeed>> &deeds, Plan &plan) {
    for (const StockDeed &deed : deeds ? *deeds : std::vector<StockDeed>()) {
        if (!deed.there) {
            plan.act(deed.sentence);
        }
    }
}

} // namespace causeway
