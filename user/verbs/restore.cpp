// SPDX-License-Identifier: GPL-2.0-or-later
// restore: brings back all that is configured under /etc/causeway. NFS rules come first, then
// exports, then attachments, then the exports and attachments of stock transports.
#include "base/durable_file.h"
#include "change/look.h"
#include "command/readiness.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "disk/attaching.h"
#include "disk/attachment_change.h"
#include "disk/export_change.h"
#include "disk/exporting.h"
#include "disk/server_life.h"
#include "stock/restore.h"
#include "nfs/transport.h"
#include "stock/disk_users.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// The longest time that network mounts of the machine wait for causeway.service, even if "restore"
// takes longer: a name server does not answer, or a device hangs.
constexpr std::chrono::seconds longest_start(8);

// Collects the results of the tasks. A task that fails does not prevent the others.
class Tally {
  public:
    Tally() {
        answer_.json["restored"] = Json::array();
        answer_.json["unchanged"] = Json::array();
        answer_.json["failed"] = Json::array();
    }

    void done(const std::string &subject, const std::string &sentence) {
        answer_.json["restored"].push_back(subject);
        answer_.text += sentence + "\n";
    }

    void unchanged(const std::string &subject) { answer_.json["unchanged"].push_back(subject); }

    void warn(const std::vector<std::string> &warnings) {
        answer_.warnings.insert(answer_.warnings.end(), warnings.begin(), warnings.end());
    }

    void failed(const std::string &subject, const Error &error) {
        answer_.json["failed"].push_back(
            {{"subject", subject}, {"what", error.what}, {"fix", error.fix}});
        answer_.warnings.push_back(
            error.fix.empty() ? error.what : fmt::format("{} ({})", error.what, error.fix));
        answer_.code = worst(answer_.code, error.code);
    }

    Answer answer() { return std::move(answer_); }

  private:
    // Returns try_again if a failure may pass: another run does no harm to tasks that succeeded or
    // cannot succeed. Otherwise failures of one kind give the code of that kind, several give
    // "failed".
    static ExitCode worst(ExitCode before, ExitCode now) {
        const auto passing = [](ExitCode code) {
            return code == ExitCode::try_again || code == ExitCode::unavailable;
        };
        if (passing(before) || passing(now)) {
            return ExitCode::try_again;
        }
        return before == ExitCode::ok || before == now ? now : ExitCode::failed;
    }

    Answer answer_;
};

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
Result<ChangeSet> exporting(World &world, const Stored<ExportSettings> &stored) {
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

std::vector<Task> exports_to_restore(const Folder<ExportSettings> &folder) {
    std::vector<Task> tasks;
    for (const auto &stored : folder.good) {
        const std::string &name = stored.settings.name;
        tasks.push_back({name, fmt::format("'{}' is exported", name),
                         [stored](World &world) { return exporting(world, stored); }});
    }
    return tasks;
}

std::vector<Task> attachments_to_restore(const Folder<AttachmentSettings> &folder) {
    std::vector<Task> tasks;
    for (const auto &stored : folder.good) {
        const AttachmentSettings &settings = stored.settings;
        tasks.push_back({settings.disk.text(),
                         fmt::format("{} is being attached", settings.disk.text()),
                         [settings](World &world) { return attaching(world, settings); }});
    }
    return tasks;
}

void perform(World &world, const std::vector<Task> &tasks, Tally &tally) {
    for (const Task &task : tasks) {
        const auto set = task.set(world);
        auto done = set ? carry_out(world, unjournalled, *set, "") : Result<Answer>(set.error());
        if (!done) {
            tally.failed(task.subject, done.error());
        } else if (set->empty()) {
            tally.unchanged(task.subject);
        } else {
            tally.done(task.subject, task.sentence);
            tally.warn(done->warnings);
        }
    }
}

// @before: the configuration as read before this command held the lock.
void restore_exports(World &world, const Folder<ExportSettings> &before, Tally &tally) {
    for (const Error &broken : before.broken) {
        tally.failed("exports", broken);
    }
    if (before.good.empty()) {
        return;
    }
    if (auto there = world.modules.need(module_target); !there) {
        tally.failed("exports", there.error());
        return;
    }
    auto lock = lock_server(world);
    if (!lock) {
        tally.failed("exports", lock.error());
        return;
    }
    // "export remove" or "export add" may have held the lock, and changed the configuration.
    auto now = load_exports(world.places);
    if (!now) {
        tally.failed("exports", now.error());
        return;
    }
    perform(world, exports_to_restore(*now), tally);
}

void restore_attachments(World &world, const Folder<AttachmentSettings> &folder, Tally &tally) {
    for (const Error &broken : folder.broken) {
        tally.failed("attachments", broken);
    }
    if (folder.good.empty()) {
        return;
    }
    if (auto there = world.modules.need(module_disk); !there) {
        tally.failed("attachments", there.error());
        return;
    }
    perform(world, attachments_to_restore(folder), tally);
}

void restore_stock(World &world, const char *subject, const Result<std::vector<Task>> &tasks,
                   const std::vector<Error> &broken, Tally &tally) {
    for (const Error &error : broken) {
        tally.failed(subject, error);
    }
    if (tasks) {
        perform(world, *tasks, tally);
    } else {
        tally.failed(subject, tasks.error());
    }
}

void restore_stock_exports(World &world, Tally &tally) {
    std::vector<Error> broken;
    const auto tasks = stock_exports_to_restore(world, broken);
    restore_stock(world, "stock exports", tasks, broken, tally);
}

void restore_stock_attachments(World &world, Tally &tally) {
    std::vector<Error> broken;
    const auto tasks = stock_attachments_to_restore(world, broken);
    restore_stock(world, "stock attachments", tasks, broken, tally);
}

// Replaces the file for modprobe if a former version wrote it: with that file, in-tree rpcrdma is
// not loaded in the place of a module that cannot be loaded.
void renew_transport_dropin(World &world, Tally &tally) {
    const auto place = world.places.modprobe();
    const auto text = read_small_file(place);
    if (!text || !*text || !is_former_dropin(**text)) {
        return;
    }
    if (auto written = write_durably(place, transport_dropin_text(), 0644); !written) {
        tally.failed(place.string(), written.error());
        return;
    }
    tally.done(place.string(), fmt::format("wrote {} anew", place.string()));
}

// Loads the module of Causeway's transport, and sets the rules in it. If the module cannot be
// loaded, for example because the kernel's own transport is in use, the rules count as failed, and
// mounts go on without rules.
void restore_rules(World &world, const Folder<NfsRule> &folder, Tally &tally) {
    for (const Error &broken : folder.broken) {
        tally.failed("rules", broken);
    }
    if (folder.good.empty()) {
        return;
    }
    if (auto there = world.modules.need(module_rpcrdma); !there) {
        tally.failed("rules", there.error());
        return;
    }
    auto running = world.kernel.nfs_rules();
    if (!running) {
        tally.failed("rules", running.error());
        return;
    }
    for (const auto &stored : folder.good) {
        const std::string subject = stored.settings.network.text();
        if (std::find(running->begin(), running->end(), stored.settings) != running->end()) {
            tally.unchanged(subject);
        } else if (auto set = world.kernel.set_nfs_rule(stored.settings); !set) {
            tally.failed(subject, set.error());
        } else {
            tally.done(subject, fmt::format("the rule for {} is in force", subject));
        }
    }
}

Answer show_restore(World &world, const Folder<ExportSettings> &exports,
                    const Folder<AttachmentSettings> &attachments, const Folder<NfsRule> &rules) {
    Answer answer = dry_run_answer();
    const auto in_force = world.kernel.nfs_rules();
    for (const auto &stored : rules.good) {
        if (in_force &&
            std::find(in_force->begin(), in_force->end(), stored.settings) == in_force->end()) {
            answer.text += fmt::format("would set the rule for {} from {}\n",
                                       stored.settings.network.text(), stored.place.string());
        }
    }
    show_tasks(world, exports_to_restore(exports), answer);
    show_tasks(world, attachments_to_restore(attachments), answer);
    std::vector<Error> unreadable;
    show_tasks(world, stock_exports_to_restore(world, unreadable), answer);
    show_tasks(world, stock_attachments_to_restore(world, unreadable), answer);
    end_dry_run(answer);
    for (const auto *broken : {&exports.broken, &attachments.broken, &rules.broken}) {
        for (const Error &error : *broken) {
            answer.warnings.push_back(error.what);
        }
    }
    return answer;
}

Result<Answer> run_restore(World &world, const Arguments &arguments) {
    if (arguments.has("own") && arguments.has("stock")) {
        return Error{ExitCode::usage, "--own and --stock exclude each other",
                     "leave both out to bring everything back"};
    }
    auto exports = TRY(load_exports(world.places));
    auto attachments = TRY(load_attachments(world.places));
    auto rules = TRY(load_nfs_rules(world.places));
    if (arguments.dry_run()) {
        return show_restore(world, exports, attachments, rules);
    }
    Readiness readiness(longest_start);
    Tally tally;
    if (!arguments.has("stock")) {
        // The rules must be set before network mounts begin, which come after causeway.service.
        renew_transport_dropin(world, tally);
        restore_rules(world, rules, tally);
        restore_exports(world, exports, tally);
        restore_attachments(world, attachments, tally);
    }
    if (!arguments.has("own")) {
        restore_stock_exports(world, tally);
        restore_stock_attachments(world, tally);
    }
    Answer answer = tally.answer();
    if (answer.code == ExitCode::ok) {
        readiness.tell();
    }
    return answer;
}

const VerbRows restore_rows(Section::repairing, 4, [] {
    return std::vector<Verb>{
        {
            .words = "restore",
            .summary = "bring back all that is configured under /etc/causeway",
            .options = {{"own", "", "without what goes by NVMe, iSER, iSCSI and SRP"},
                        {"stock", "", "only what goes by NVMe, iSER, iSCSI and SRP"}},
            .changes = true,
            .run = run_restore,
        },
    };
});

} // namespace

} // namespace causeway
