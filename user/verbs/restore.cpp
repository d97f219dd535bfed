// SPDX-License-Identifier: GPL-2.0-or-later
// restore: brings back all that is configured under /etc/causeway. NFS rules come first, then
// exports, then attachments, then the exports and attachments of stock transports. reload: does the
// same, and gives what runs already the settings of its configuration file.
#include "base/durable_file.h"
#include "command/readiness.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "nfs/transport.h"
#include "show/progress.h"
#include "transport/family.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// The longest time that network mounts of the machine wait for causeway.service, even if "restore"
// takes longer: a name server does not answer, or a device hangs.
constexpr std::chrono::seconds longest_start(8);

// The extent of a restore: only missing objects, or also the settings of existing objects.
enum class Extent { missing, settings_too };

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

    // Several exports may give the same warning about their server.
    void warn(const std::vector<std::string> &warnings) {
        auto &all = answer_.warnings;
        for (const std::string &warning : warnings) {
            if (std::find(all.begin(), all.end(), warning) == all.end()) {
                all.push_back(warning);
            }
        }
    }

    void failed(const std::string &subject, const Error &error) {
        answer_.json["failed"].push_back(
            {{"subject", subject}, {"what", error.what}, {"fix", error.fix}});
        answer_.warnings.push_back(phrase_of(error));
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

void perform(World &world, const std::vector<Task> &tasks, Tally &tally) {
    Progress progress(world, "restore");
    std::size_t number = 0;
    for (const Task &task : tasks) {
        progress.now(fmt::format("restore {} of {}: {}", ++number, tasks.size(), task.subject));
        const auto lock = task.locked(world);
        const auto set = lock ? task.set(world) : Result<ChangeSet>(lock.error());
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

// Returns the text of the file for modprobe if a former version wrote the file.
std::optional<std::string> former_dropin(const World &world) {
    auto text = read_small_file(world.places.modprobe());
    return text && *text && is_former_dropin(**text) ? *std::move(text) : std::nullopt;
}

// Replaces the file for modprobe if a former version wrote it: with that file, in-tree rpcrdma is
// not loaded in the place of a module that cannot be loaded.
void renew_transport_dropin(World &world, Tally &tally) {
    const auto place = world.places.modprobe();
    if (!former_dropin(world)) {
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

// The families that the options of the verb choose.
std::vector<const TransportFamily *> chosen(const Arguments &arguments) {
    auto families = TransportFamily::all();
    const auto left_out = [&](const TransportFamily *family) {
        return arguments.has(family->label().empty() ? "stock" : "own");
    };
    families.erase(std::remove_if(families.begin(), families.end(), left_out), families.end());
    return families;
}

// Calls @act with each part of a family: the subject of its errors, its tasks, and the errors of
// its configuration files. The tasks of one part are done before those of the next are made.
template <typename Act>
void each_part(World &world, const TransportFamily &family, Extent extent, bool dry_run, Act act) {
    const bool settings = extent == Extent::settings_too;
    std::vector<Error> broken;
    auto exports = settings ? family.reload_exports(world, dry_run, broken)
                            : family.restore_exports(world, dry_run, broken);
    act(fmt::format("{}exports", family.label()), exports, broken);
    exports = Restoration(); // releases the lock
    broken.clear();
    const auto attachments = settings ? family.reload_attachments(world, dry_run, broken)
                                      : family.restore_attachments(world, dry_run, broken);
    act(fmt::format("{}attachments", family.label()), attachments, broken);
}

// Shows what renew_transport_dropin() and restore_rules() would change.
void show_rules(World &world, const Folder<NfsRule> &folder, Answer &answer) {
    ChangeSet set("restore");
    if (auto former = former_dropin(world)) {
        set.add(
            change_file(world.places.modprobe(), {std::move(former)}, {transport_dropin_text()}));
    }
    const bool loaded = world.modules.loaded(module_rpcrdma);
    if (!loaded && !folder.good.empty()) {
        set.add(change_module(module_rpcrdma));
    }
    show_changes(set, answer);
    // A module that is not loaded has no rules, and the kernel cannot be asked for them.
    std::vector<NfsRule> running;
    if (loaded) {
        auto found = world.kernel.nfs_rules();
        if (!found) {
            answer.warnings.push_back(found.error().what);
            return;
        }
        running = *std::move(found);
    }
    for (const auto &stored : folder.good) {
        if (std::find(running.begin(), running.end(), stored.settings) == running.end()) {
            answer.text += fmt::format("would set the rule for {} from {}\n",
                                       stored.settings.network.text(), stored.place.string());
        }
    }
}

Answer show_restore(World &world, const Arguments &arguments, Extent extent,
                    const Folder<NfsRule> &rules) {
    Answer answer = dry_run_answer();
    if (!arguments.has("stock")) {
        show_rules(world, rules, answer);
    }
    std::vector<Error> unreadable;
    for (const TransportFamily *family : chosen(arguments)) {
        each_part(world, *family, extent, true,
                  [&](const std::string & /*subject*/, const Result<Restoration> &found,
                      const std::vector<Error> &broken) {
                      if (found) {
                          show_tasks(world, found->tasks, answer);
                          answer.warnings.insert(answer.warnings.end(), found->warnings.begin(),
                                                 found->warnings.end());
                      } else {
                          answer.warnings.push_back(found.error().what);
                          answer.code = found.error().code;
                      }
                      unreadable.insert(unreadable.end(), broken.begin(), broken.end());
                  });
    }
    end_dry_run(answer);
    unreadable.insert(unreadable.end(), rules.broken.begin(), rules.broken.end());
    for (const Error &error : unreadable) {
        answer.warnings.push_back(error.what);
    }
    return answer;
}

// @started: called when all is done without a failure.
template <typename Started>
Result<Answer> bring_back(World &world, const Arguments &arguments, Extent extent,
                          Started started) {
    if (arguments.has("own") && arguments.has("stock")) {
        return Error{ExitCode::usage, "--own and --stock exclude each other",
                     "leave both out to bring everything back"};
    }
    auto rules = TRY(load_nfs_rules(world.places));
    if (arguments.dry_run()) {
        return show_restore(world, arguments, extent, rules);
    }
    Tally tally;
    if (!arguments.has("stock")) {
        // The rules must be set before network mounts begin, which come after causeway.service.
        renew_transport_dropin(world, tally);
        restore_rules(world, rules, tally);
    }
    for (const TransportFamily *family : chosen(arguments)) {
        each_part(world, *family, extent, false,
                  [&](const std::string &subject, const Result<Restoration> &found,
                      const std::vector<Error> &broken) {
                      for (const Error &error : broken) {
                          tally.failed(subject, error);
                      }
                      if (found) {
                          tally.warn(found->warnings);
                          perform(world, found->tasks, tally);
                      } else {
                          tally.failed(subject, found.error());
                      }
                  });
    }
    Answer answer = tally.answer();
    if (answer.code == ExitCode::ok) {
        started();
    }
    return answer;
}

Result<Answer> run_restore(World &world, const Arguments &arguments) {
    if (arguments.dry_run()) {
        return bring_back(world, arguments, Extent::missing, [] {});
    }
    Readiness readiness(longest_start);
    return bring_back(world, arguments, Extent::missing, [&] { readiness.tell(); });
}

Result<Answer> run_reload(World &world, const Arguments &arguments) {
    return bring_back(world, arguments, Extent::settings_too, [] {});
}

const std::vector<OptionSpec> &family_options() {
    static const std::vector<OptionSpec> options = {
        {"own", "", "leave out exports and attachments by NVMe, iSER, iSCSI and SRP"},
        {"stock", "", "only exports and attachments by NVMe, iSER, iSCSI and SRP"}};
    return options;
}

const VerbRows restore_rows(Section::repairing, 4, [] {
    return std::vector<Verb>{
        {
            .words = "restore",
            .summary = "start the exports, attachments and NFS rules that are configured under "
                       "/etc/causeway",
            .options = family_options(),
            .changes = true,
            .run = run_restore,
        },
        {
            .words = "reload",
            .summary = "do what restore does, and give running exports and attached disks the "
                       "settings of their edited files; clients stay attached",
            .options = family_options(),
            .changes = true,
            .run = run_reload,
        },
    };
});

} // namespace

} // namespace causeway
