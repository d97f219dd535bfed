// SPDX-License-Identifier: GPL-2.0-or-later
// restore: what is configured under /etc/causeway comes back, exports first.
#include "base/durable_file.h"
#include "command/plan.h"
#include "command/readiness.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "disk/attaching.h"
#include "disk/exporting.h"
#include "disk/server_life.h"
#include "disk/stock_restore.h"
#include "nfs/transport.h"
#include "stock/disk_users.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// Network mounts of the machine wait for causeway.service no longer than this, whatever keeps
// "restore": a name server that does not answer, a device that hangs.
constexpr std::chrono::seconds longest_start(8);

// Gathers what each of many deeds came to: one that fails does not keep the others from being done.
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
    // What may work later wins: to try again does no harm to what is fixed or cannot be. Else one
    // kind of failure is told as such, several as a failure.
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

// What an administrator wrote stays as it is; what was left out and has to last is added at the
// end.
class Completed {
  public:
    // @started: with the identity and the ledger that the export is about to get.
    static Result<Completed> complete(const Stored<ExportSettings> &stored,
                                      const ExportSettings &started) {
        Completed completed;
        const std::string more = left_out(stored.settings, started);
        if (more.empty()) {
            return completed;
        }
        auto content = TRY(read_small_file(stored.place));
        completed.before_ = content.value_or("");
        completed.mode_ = stored.settings.key_file.empty() ? 0644 : 0600;
        std::string text = completed.before_;
        text += text.empty() || text.back() == '\n' ? "" : "\n";
        auto written = write_durably(stored.place, text + more, completed.mode_);
        if (!written) {
            Error error = written.error();
            error.fix = fmt::format("write into {}: {}", stored.place.string(), one_line(more));
            return error;
        }
        completed.place_ = stored.place;
        return completed;
    }

    // The export did not begin, and what was made for it is gone.
    void take_back() {
        if (!place_.empty()) {
            static_cast<void>(write_durably(place_, before_, mode_));
        }
    }

  private:
    static std::string left_out(const ExportSettings &settings, const ExportSettings &started) {
        std::string more;
        if (!settings.identity && settings.backend != Backend::ram) {
            more += fmt::format("uuid = {}\n", started.identity->text());
        }
        if (!settings.ledger && started.keeps_ledger()) {
            more += fmt::format("ledger = {}\n", started.ledger->text());
        }
        return more;
    }

    static std::string one_line(std::string lines) {
        lines.pop_back();
        const std::size_t end = lines.find('\n');
        return end == std::string::npos ? lines : lines.replace(end, 1, ", and: ");
    }

    std::filesystem::path place_;
    std::string before_;
    unsigned int mode_ = 0600;
};

void restore_export(World &world, const Stored<ExportSettings> &stored, Tally &tally) {
    const ExportSettings &settings = stored.settings;
    auto running = running_export(world, settings.name);
    if (!running) {
        tally.failed(settings.name, running.error());
        return;
    }
    if (*running) {
        auto same = same_export(**running, settings, settings);
        if (same) {
            tally.unchanged(settings.name);
        } else {
            tally.failed(settings.name, same.error());
        }
        return;
    }
    if (auto backend = check_backend(settings); !backend) {
        tally.failed(settings.name, backend.error());
        return;
    }
    if (auto free = check_unclaimed(world, settings); !free) {
        tally.failed(settings.name, free.error());
        return;
    }
    auto start = ExportStart::prepare(world, settings);
    if (!start) {
        tally.failed(settings.name, start.error());
        return;
    }
    // Before the export begins: without its UUID in the file, it would be another disk at the next
    // start.
    auto completed = Completed::complete(stored, start->settings());
    if (!completed) {
        tally.failed(settings.name, completed.error());
        return;
    }
    if (auto up = start->go(world); !up) {
        if (!start->kept()) {
            completed->take_back();
        }
        tally.failed(settings.name, up.error());
        return;
    }
    tally.done(settings.name, fmt::format("'{}' is exported", settings.name));
}

// @before: what was configured before the lock was held.
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
    // "export remove" and "export add" held it meanwhile.
    auto now = load_exports(world.places);
    if (!now) {
        tally.failed("exports", now.error());
        return;
    }
    for (const auto &stored : now->good) {
        restore_export(world, stored, tally);
    }
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
    for (const auto &stored : folder.good) {
        const std::string subject = stored.settings.disk.text();
        auto running = running_attachment(world, stored.settings.disk);
        if (!running) {
            tally.failed(subject, running.error());
            continue;
        }
        if (*running) {
            tally.unchanged(subject);
            continue;
        }
        auto up = bring_up(world, stored.settings, true);
        if (up) {
            tally.done(subject, fmt::format("{} is being attached", subject));
            tally.warn(up->warnings);
        } else {
            tally.failed(subject, up.error());
        }
    }
}

void restore_stock(const char *subject, const Result<std::vector<StockDeed>> &deeds,
                   const std::vector<Error> &broken, Tally &tally) {
    for (const Error &error : broken) {
        tally.failed(subject, error);
    }
    if (!deeds) {
        tally.failed(subject, deeds.error());
        return;
    }
    for (const StockDeed &deed : *deeds) {
        if (deed.there) {
            tally.unchanged(deed.subject);
        } else if (auto done = deed.perform(); done) {
            tally.done(deed.subject, deed.sentence);
        } else {
            tally.failed(deed.subject, done.error());
        }
    }
}

void restore_stock_exports(World &world, Tally &tally) {
    std::vector<Error> broken;
    auto deeds = stock_exports_to_restore(world, broken);
    restore_stock("stock exports", deeds, broken, tally);
}

void restore_stock_attachments(World &world, Tally &tally) {
    std::vector<Error> broken;
    auto deeds = stock_attachments_to_restore(world, broken);
    restore_stock("stock attachments", deeds, broken, tally);
}

// One that a former version wrote would keep in-tree rpcrdma from taking over.
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

// Loads Causeway's transport: it holds the rules. Where the kernel's own is in use it fails, and
// the mounts go on without.
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

Answer plan_restore(World &world, const Folder<ExportSettings> &exports,
                    const Folder<AttachmentSettings> &attachments, const Folder<NfsRule> &rules) {
    Plan plan;
    const auto in_force = world.kernel.nfs_rules();
    for (const auto &stored : rules.good) {
        if (in_force &&
            std::find(in_force->begin(), in_force->end(), stored.settings) == in_force->end()) {
            plan.act(fmt::format("set the rule for {} from {}", stored.settings.network.text(),
                                 stored.place.string()));
        }
    }
    for (const auto &stored : exports.good) {
        const auto running = running_export(world, stored.settings.name);
        if (running && !*running) {
            plan.act(
                fmt::format("export '{}' from {}", stored.settings.name, stored.place.string()));
        }
    }
    for (const auto &stored : attachments.good) {
        const auto running = running_attachment(world, stored.settings.disk);
        if (running && !*running) {
            plan.act(fmt::format("attach {} from {}", stored.settings.disk.text(),
                                 stored.place.string()));
        }
    }
    std::vector<Error> unreadable;
    plan_stock(stock_exports_to_restore(world, unreadable), plan);
    plan_stock(stock_attachments_to_restore(world, unreadable), plan);
    Answer answer = plan.answer();
    for (const Error &broken : exports.broken) {
        answer.warnings.push_back(broken.what);
    }
    for (const Error &broken : attachments.broken) {
        answer.warnings.push_back(broken.what);
    }
    for (const Error &broken : rules.broken) {
        answer.warnings.push_back(broken.what);
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
        return plan_restore(world, exports, attachments, rules);
    }
    Readiness readiness(longest_start);
    Tally tally;
    if (!arguments.has("stock")) {
        // Mounts come after causeway.service, and with them the rules count.
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
