// SPDX-License-Identifier: GPL-2.0-or-later
// Causeway's own transport in "restore" and "reload".
#include "base/disk_name.h"
#include "base/durable_file.h"
#include "change/look.h"
#include "config/dropins.h"
#include "disk/attaching.h"
#include "disk/attachment_change.h"
#include "disk/attachment_settings_change.h"
#include "disk/causeway.h"
#include "disk/export_change.h"
#include "disk/export_settings_change.h"
#include "disk/exporting.h"
#include "disk/served_addresses.h"
#include "disk/server_life.h"
#include "disk/server_limit_change.h"
#include "stock/disk_users.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
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
        // Others may differ for now: --no-persist, or a file that was edited and not reloaded.
        if (!fixed_differences(running->chosen(), settings).empty()) {
            TRY(same_export(*running, settings, settings));
        }
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

void attach_in_background(ChangeSet &set, const AttachmentSettings &settings) {
    AttachmentWay way;
    way.background = true;
    set.add(change_attachment({settings}, true, way));
}

// Returns an empty set if the disk is attached already. Reads the file again, because another
// command may have changed the file before this one got the lock.
Result<ChangeSet> attaching(World &world, const DiskName &disk) {
    ChangeSet set("restore " + disk.text(), Scope::disks);
    const auto stored = TRY(find_attachment(world.places, disk));
    if (stored && !TRY(running_attachment(world, disk))) {
        attach_in_background(set, stored->settings);
    }
    return set;
}

// Returns the changes that give a running export the settings of its file. The kernel does not
// report the key, so the key of the file is always set.
Result<ChangeSet> reloading(World &world, const Stored<ExportSettings> &stored,
                            const std::shared_ptr<CommonAddresses> &common_addresses) {
    const ExportSettings &settings = stored.settings;
    const auto running = TRY(running_export(world, settings.name));
    if (!running) {
        return exporting(world, stored, common_addresses);
    }
    std::vector<std::string> fixed;
    auto found = new_settings(*running, settings, settings, fixed);
    if (!fixed.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("the export '{}' runs with settings that cannot change while it "
                                 "runs: {}",
                                 settings.name, fmt::join(fixed, ", ")),
                     remove_then_add(settings)};
    }
    if (is_restricted(*running) && admits_by_nothing(settings)) {
        return Error{ExitCode::failed,
                     fmt::format("reload would open '{}' to every host: its file names neither a "
                                 "key nor a network",
                                 settings.name),
                     fmt::format("write \"allow = any\" into {} if every host may attach the disk",
                                 stored.place.string())};
    }
    const auto served = TRY(served_addresses(world, settings, *common_addresses));
    if (served != running->settings.addresses) {
        found.what |= CW_CHANGE_ADDRESSES;
        found.before.addresses = running->settings.addresses;
    }
    ChangeSet set("reload " + settings.name, Scope::disks);
    if (found.what != 0) {
        set.add(change_export_settings(std::move(found)));
    }
    return set;
}

// Does the same for an attached disk. Reads the file again, as attaching() does. A path to a name
// counts as it is, so that no name server has to answer.
Result<ChangeSet> reloading(World &world, const DiskName &disk) {
    const auto stored = TRY(find_attachment(world.places, disk));
    const auto running = TRY(running_attachment(world, disk));
    if (!stored || !running) {
        return attaching(world, disk);
    }
    ChangeSet set("reload " + disk.text(), Scope::disks);
    const AttachmentSettings &settings = stored->settings;
    AttachmentSettings others = settings;
    others.io_timeout.reset();
    others.fast_fail.reset();
    others.policy.reset();
    const AttachmentSettings there = as_settings(*running, others);
    others.key_file = there.key_file;
    const auto fixed = differences(there, others);
    if (!fixed.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("{} is attached with settings that cannot change while it is: {}",
                                 settings.disk.text(), fmt::join(fixed, ", ")),
                     fmt::format("for paths: causeway path add, causeway path remove; else: "
                                 "causeway detach {}, then attach it with the new settings",
                                 settings.disk.text())};
    }
    auto found = new_settings(*running, settings, settings);
    if (found.what != 0) {
        set.add(change_attachment_settings(std::move(found)));
    }
    return set;
}

using ExportTask = Result<ChangeSet> (*)(World &world, const Stored<ExportSettings> &stored,
                                         const std::shared_ptr<CommonAddresses> &common_addresses);
using AttachmentTask = Result<ChangeSet> (*)(World &world, const DiskName &disk);

// Returns the changes that give the module the limits of server.conf. A limit that is not in the
// file gets its default.
ChangeSet reloading_limits(World &world, const ServerSettings &settings) {
    ChangeSet set("reload server", Scope::disks);
    for (const ServerLimit &limit : server_limits) {
        const auto now = limit_now(world, limit);
        const auto wanted = (settings.*limit.value).value_or(limit.by_default);
        if (now && *now != wanted) {
            set.add(change_server_limit(limit, *now, wanted));
        }
    }
    return set;
}

// Adds to the restoration what server.conf changes.
Result<void> reload_server(World &world, bool dry_run, const ServerSettings &settings,
                           Restoration &restoration) {
    if (!dry_run && !restoration.lock) {
        restoration.lock = TRY(lock_server(world));
    }
    if (!reloading_limits(world, settings).empty()) {
        restoration.tasks.insert(
            restoration.tasks.begin(),
            {"server", "the server has the limits of its file", [settings](World &now) {
                 return Result<ChangeSet>(reloading_limits(now, settings));
             }});
    }
    const auto server = TRY(world.kernel.server());
    const auto exports = TRY(world.kernel.exports());
    std::string stale;
    if (!dry_run) {
        stale = TRY(set_server_port(world, settings));
    } else if (server && !exports.empty() && server->port != settings.port.value_or(default_port)) {
        stale = port_stays(server->port, settings);
    }
    if (!stale.empty()) {
        restoration.warnings.push_back(std::move(stale));
    }
    return {};
}

Result<Restoration> export_tasks(World &world, bool dry_run, std::vector<Error> &broken,
                                 ExportTask task, std::string_view sentence) {
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
        restoration.tasks.push_back({name, fmt::format("'{}' {}", name, sentence),
                                     [stored, common_addresses, task](World &now) {
                                         return task(now, stored, common_addresses);
                                     }});
    }
    return restoration;
}

Result<Restoration> attachment_tasks(World &world, bool dry_run, std::vector<Error> &broken,
                                     AttachmentTask task, std::string_view sentence) {
    const auto folder = TRY(load_attachments(world.places));
    broken = folder.broken;
    if (!dry_run && !folder.good.empty()) {
        TRY(world.modules.need(module_disk));
    }
    Restoration restoration;
    for (const auto &stored : folder.good) {
        const DiskName &disk = stored.settings.disk;
        restoration.tasks.push_back({disk.text(), fmt::format("{} {}", disk.text(), sentence),
                                     [disk, task](World &now) { return task(now, disk); },
                                     [disk](const World &now) {
                                         return FileLock::take(attachment_lock(now.places, disk));
                                     }});
    }
    return restoration;
}

} // namespace

Result<Restoration> CausewayFamily::restore_exports(World &world, bool dry_run,
                                                    std::vector<Error> &broken) const {
    auto restoration = export_tasks(world, dry_run, broken, exporting, "is exported");
    if (const auto server = load_server_settings(world.places); !server) {
        broken.push_back(server.error());
    }
    return restoration;
}

Result<Restoration> CausewayFamily::reload_exports(World &world, bool dry_run,
                                                   std::vector<Error> &broken) const {
    auto restoration =
        export_tasks(world, dry_run, broken, reloading, "has the settings of its file");
    const auto server = load_server_settings(world.places);
    if (!server) {
        broken.push_back(server.error());
    } else if (restoration && world.modules.loaded(module_target)) {
        TRY(reload_server(world, dry_run, *server, *restoration));
    }
    return restoration;
}

Result<Restoration> CausewayFamily::restore_attachments(World &world, bool dry_run,
                                                        std::vector<Error> &broken) const {
    return attachment_tasks(world, dry_run, broken, attaching, "is being attached");
}

Result<Restoration> CausewayFamily::reload_attachments(World &world, bool dry_run,
                                                       std::vector<Error> &broken) const {
    return attachment_tasks(world, dry_run, broken, reloading, "has the settings of its file");
}

} // namespace causeway
