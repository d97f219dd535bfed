// SPDX-License-Identifier: GPL-2.0-or-later
// Causeway's own transport in "restore".
#include "base/durable_file.h"
#include "change/look.h"
#include "config/dropins.h"
#include "disk/attaching.h"
#include "disk/attachment_change.h"
#include "disk/causeway.h"
#include "disk/export_change.h"
#include "disk/exporting.h"
#include "disk/server_life.h"
#include "stock/disk_users.h"

#include <fmt/format.h>
#include <memory>

namespace causeway {

namespace {

std::string left_out(const ExportSettings &settings, const ExportSettings &started) {
    std::string more;
    if (!settings.identity && settings.backend != Backend::ram) {
        more += fmt::format("uuid = {}\n", started.identity->text());
    }
    if (!settings.ledger && started.keeps_ledger()) {
        more += fmt::format("ledger = {}\n", started.ledger->text());
    }
    return more;
}

std::string one_line(std::string lines) {
    lines.pop_back();
    const std::size_t end = lines.find('\n');
    return end == std::string::npos ? lines : lines.replace(end, 1, ", and: ");
}

// Adds settings that have to last, and that the administrator left out, at the end of the export's
// file; the lines that are there stay. The file is written before the export begins: without its
// UUID in the file, the export would be another disk at the next start.
Result<void> complete_file(ChangeSet &set, const Stored<ExportSettings> &stored,
                           const ExportSettings &started) {
    const std::string more = left_out(stored.settings, started);
    if (more.empty()) {
        return {};
    }
    const FileState before = TRY(look_at_dropin(stored.place));
    std::string text = before.content.value_or("");
    text += text.empty() || text.back() == '\n' ? "" : "\n";
    DropinWay way;
    way.fix = fmt::format("write into {}: {}", stored.place.string(), one_line(more));
    set.add(change_dropin(stored.place, before, {text + more, export_file_mode(stored.settings)},
                          std::move(way)));
    return {};
}

// Returns an empty set if the export runs already.
Result<ChangeSet> exporting(World &world, const Stored<ExportSettings> &stored,
                            const std::shared_ptr<CommonAddresses> &common_addresses) {
    ExportSettings settings = stored.settings;
    ChangeSet set("restore " + settings.name, Scope::disks);
    auto running = TRY(running_export(world, settings.name));
    if (running) {
        TRY(same_export(*running, settings, settings));
        return set;
    }
    TRY(check_backend(settings));
    TRY(check_unclaimed(world, settings));
    ExportWay way;
    way.locked = true;
    way.ledger = TRY(complete(world, settings));
    way.common_addresses = common_addresses;
    TRY(complete_file(set, stored, settings));
    set.add(change_export({settings}, true, std::move(way)));
    return set;
}

// Returns an empty set if the disk is attached already.
Result<ChangeSet> attaching(World &world, const AttachmentSettings &settings) {
    ChangeSet set("restore " + settings.disk.text(), Scope::disks);
    auto running = TRY(running_attachment(world, settings.disk));
    if (!running) {
        AttachmentWay way;
        way.background = true;
        set.add(change_attachment({settings}, true, way));
    }
    return set;
}

} // namespace

Result<Restoration> CausewayFamily::restore_exports(World &world, bool dry_run,
                                                    std::vector<Error> &broken) const {
    auto folder = TRY(load_exports(world.places));
    broken = folder.broken;
    Restoration restoration;
    if (!dry_run && !folder.good.empty()) {
        TRY(world.modules.need(module_target));
        restoration.lock = TRY(lock_server(world));
        // "export remove" or "export add" may have held the lock, and changed the configuration.
        folder = TRY(load_exports(world.places));
    }
    const auto common_addresses = std::make_shared<CommonAddresses>();
    for (const auto &stored : folder.good) {
        const std::string &name = stored.settings.name;
        restoration.tasks.push_back(
            {name, fmt::format("'{}' is exported", name), [stored, common_addresses](World &now) {
                 return exporting(now, stored, common_addresses);
             }});
    }
    return restoration;
}

Result<Restoration> CausewayFamily::restore_attachments(World &world, bool dry_run,
                                                        std::vector<Error> &broken) const {
    const auto folder = TRY(load_attachments(world.places));
    broken = folder.broken;
    if (!dry_run && !folder.good.empty()) {
        TRY(world.modules.need(module_disk));
    }
    Restoration restoration;
    for (const auto &stored : folder.good) {
        const AttachmentSettings &settings = stored.settings;
        restoration.tasks.push_back({settings.disk.text(),
                                     fmt::format("{} is being attached", settings.disk.text()),
                                     [settings](World &now) { return attaching(now, settings); }});
    }
    return restoration;
}

} // namespace causeway
