// SPDX-License-Identifier: GPL-2.0-or-later
// attach --via, and what detach and list do with such disks.
#include "base/units.h"
#include "change/carry_out.h"
#include "config/dropins.h"
#include "disk/attaching.h"
#include "disk/stock.h"
#include "host/rdma_devices.h"
#include "machine/kernel_files.h"
#include "show/table.h"
#include "stock/attaching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::chrono::seconds disk_limit{30};

Result<void> refuse_foreign_options(const Arguments &arguments) {
    for (const char *option : {"queues", "poll-queues", "depth", "io-timeout", "fast-fail",
                               "key-file", "background", "host-uuid"}) {
        if (arguments.has(option)) {
            return Error{ExitCode::usage,
                         fmt::format("--{} is of Causeway's own transport", option),
                         fmt::format("leave out --{} or --via", option)};
        }
    }
    return {};
}

Result<StockAttachment> stock_attachment_of(const Arguments &arguments) {
    StockAttachment settings;
    auto via = TRY(parse_via(arguments.text("via").value_or("")));
    settings.via = via;
    auto disk = TRY(parse_disk(arguments.operands().front()));
    settings.disk = std::move(disk);
    TRY(refuse_foreign_options(arguments));
    if (const auto typed = arguments.text("target")) {
        auto target = TRY(parse_target(settings.via, *typed));
        settings.target = std::move(target);
    } else if (settings.via == Via::srp) {
        return Error{ExitCode::usage, "SRP has no discovery by rdma_cm",
                     fmt::format("give --target with the GUID that \"causeway export list\" shows "
                                 "on {}",
                                 settings.disk.server.text())};
    }
    return settings;
}

Result<void> no_own_attachment(World &world, const DiskName &disk) {
    auto running = running_attachment(world, disk);
    auto configured = find_attachment(world.places, disk);
    if (!running || !configured) {
        return running ? configured.error() : running.error();
    }
    if (!*running && !*configured) {
        return {};
    }
    return Error{ExitCode::failed,
                 fmt::format("{} is there by Causeway's own transport", disk.text()),
                 fmt::format("causeway detach {}", disk.text())};
}

Result<std::optional<StockAttachmentSight>> compare(World &world, const StockAttachment &wanted) {
    TRY(no_own_attachment(world, wanted.disk));
    auto now = find_stock_attachment(world, wanted.disk);
    if (!now || !*now) {
        return now;
    }
    const auto different = differences((*now)->settings, wanted);
    if (!different.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("{} is there with other settings: {}", wanted.disk.text(),
                                 fmt::join(different, ", ")),
                     fmt::format("causeway detach {}, then attach it again", wanted.disk.text())};
    }
    return now;
}

std::vector<std::string> devices_of(const StockConnection &connection) {
    std::vector<std::string> devices;
    for (const std::string &disk : connection.disks) {
        devices.push_back("/dev/" + disk);
    }
    return devices;
}

std::uint64_t size_of(World &world, const std::string &disk) {
    const std::string sectors =
        sysfs_text(world.files, fmt::format("/sys/class/block/{}/size", disk));
    return sectors.empty() ? 0 : std::stoull(sectors) * sysfs_sector;
}

Json attachment_json(World &world, const StockAttachmentSight &sight) {
    const StockAttachment &settings = sight.settings;
    const bool attached = sight.connection.has_value();
    Json disks = Json::array();
    for (const std::string &disk :
         attached ? sight.connection->disks : std::vector<std::string>()) {
        disks.push_back(
            {{"disk", disk}, {"device", "/dev/" + disk}, {"size", size_of(world, disk)}});
    }
    return {{"server", settings.disk.server.text()},
            {"name", settings.disk.name},
            {"via", via_text(settings.via)},
            {"target", settings.target.empty() ? Json(nullptr) : Json(settings.target)},
            {"attached", attached},
            {"handle", attached ? Json(sight.connection->handle) : Json(nullptr)},
            {"state", attached ? Json(sight.connection->state) : Json(nullptr)},
            {"disks", disks},
            {"persistent", sight.persistent}};
}

// All that detaching needs; an error where the disk is in use.
Result<ChangeSet> detaching(World &world, const StockAttachmentSight &sight, bool force) {
    const StockAttachment &settings = sight.settings;
    ChangeSet set("detach " + settings.disk.text());
    if (sight.connection) {
        if (!force) {
            TRY(check_unused(world, sight));
        }
        set.add(change_stock_attachment(settings, false));
    }
    if (sight.persistent) {
        TRY(set.remove(stock_place(world.places, settings)));
    }
    return set;
}

Result<Answer> perform_detach(World &world, const StockAttachmentSight &sight, bool force,
                              bool dry_run) {
    auto set = TRY(detaching(world, sight, force));
    auto answer = carry_out(world, {dry_run}, set,
                            fmt::format("{} is not attached", sight.settings.disk.text()));
    if (answer && !dry_run) {
        answer->json["detached"] = Json::array();
        answer->json["detached"].push_back(
            {{"server", sight.settings.disk.server.text()}, {"name", sight.settings.disk.name}});
    }
    return answer;
}

} // namespace

Result<void> no_stock_attachment(World &world, const DiskName &disk) {
    auto there = TRY(find_stock_attachment(world, disk));
    if (!there) {
        return {};
    }
    return Error{ExitCode::failed,
                 fmt::format("{} is there by {}", disk.text(), via_title(there->settings.via)),
                 fmt::format("causeway detach {}", disk.text())};
}

Result<Answer> attach_stock(World &world, const Arguments &arguments) {
    auto wanted = TRY(stock_attachment_of(arguments));
    TRY(check_initiator_tools(world, wanted.via));
    auto now = TRY(compare(world, wanted));
    ChangeSet set(fmt::format("attach {} --via {}", wanted.disk.text(), via_text(wanted.via)));
    if (!now || !now->connection) {
        add_attach(world, set, wanted);
    }
    if (!arguments.has("no-persist") && !(now && now->persistent)) {
        TRY(set.write(stock_place(world.places, wanted), stock_text(wanted)));
    }
    auto answer = carry_out(
        world, {arguments.dry_run()}, set,
        fmt::format("{} is attached by {} already", wanted.disk.text(), via_title(wanted.via)));
    if (!answer || arguments.dry_run()) {
        return answer;
    }
    answer->json["server"] = wanted.disk.server.text();
    answer->json["name"] = wanted.disk.name;
    answer->json["devices"] = Json::array();
    auto connection = wait_for_disks(world, wanted, disk_limit);
    if (!connection) {
        answer->warnings.push_back(connection.error().what);
        answer->code = connection.error().code;
        return answer;
    }
    for (const std::string &device : devices_of(*connection)) {
        answer->json["devices"].push_back(device);
        answer->text += device + "\n";
    }
    return answer;
}

Result<std::optional<Answer>> detach_stock(World &world, const DiskName &disk, bool force,
                                           bool dry_run) {
    auto sight = TRY(find_stock_attachment(world, disk));
    if (!sight) {
        return std::optional<Answer>();
    }
    auto answer = perform_detach(world, *sight, force, dry_run);
    return answer ? Result<std::optional<Answer>>(std::optional(*std::move(answer)))
                  : answer.error();
}

Result<void> detach_all_stock(World &world, bool force, bool dry_run, Answer &answer) {
    auto sights = TRY(stock_attachments(world, answer.warnings));
    for (const StockAttachmentSight &sight : sights) {
        auto done = perform_detach(world, sight, force, dry_run);
        if (!done) {
            answer.warnings.push_back(done.error().what);
            answer.code = done.error().code;
            continue;
        }
        answer.text += done->text;
        for (const Json &change : done->json["changes"]) {
            answer.json["changes"].push_back(change);
        }
        if (!dry_run) {
            Json detached = done->json["detached"].front();
            detached["journal"] = done->json["journal"];
            answer.json["detached"].push_back(std::move(detached));
            answer.json["changed"] = true;
        }
    }
    return {};
}

Result<void> list_stock_attachments(World &world, Answer &answer) {
    auto sights = TRY(stock_attachments(world, answer.warnings));
    answer.json["stock"] = Json::array();
    Table table({{"DISK"}, {"BY"}, {"SIZE", Table::Align::right}, {"STATE"}, {"DEVICE"}});
    for (const StockAttachmentSight &sight : sights) {
        answer.json["stock"].push_back(attachment_json(world, sight));
        const std::string disk = sight.settings.disk.text();
        const std::string title = via_title(sight.settings.via);
        if (!sight.connection) {
            table.row({disk, title, "", "not attached", ""});
            continue;
        }
        const auto &disks = sight.connection->disks;
        const std::uint64_t size = disks.empty() ? 0 : size_of(world, disks.front());
        table.row({disk, title, size == 0 ? "" : size_text(size), sight.connection->state,
                   fmt::format("{}", fmt::join(devices_of(*sight.connection), " "))});
    }
    const std::string text = table.text(world.terminal);
    answer.text += (answer.text.empty() || text.empty() ? "" : "\n") + text;
    return {};
}

} // namespace causeway
