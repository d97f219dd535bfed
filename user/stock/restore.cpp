// SPDX-License-Identifier: GPL-2.0-or-later
// The stock transports in "restore", "reload" and "stop".
#include "base/append_once.h"
#include "change/journal.h"
#include "command/verb.h"
#include "stock/access.h"
#include "stock/attaching.h"
#include "stock/dhchap.h"
#include "stock/disk_users.h"
#include "stock/exporting.h"
#include "stock/family.h"
#include "stock/shared_target.h"
#include "stock/transport.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace causeway {

namespace {

constexpr std::chrono::seconds longest_export(30);
constexpr std::chrono::seconds longest_detach(60);

std::vector<Error> as_errors(const std::vector<std::string> &sentences) {
    std::vector<Error> errors;
    for (const std::string &sentence : sentences) {
        errors.push_back({ExitCode::bad_config, sentence});
    }
    return errors;
}

Result<ChangeSet> bring_up(World &world, const StockExportState &state) {
    ChangeSet set("restore " + state.settings.name);
    if (!state.running) {
        TRY(check_stock_backend(world.files, state.settings));
        StockExport settings = state.settings;
        TRY(check_chap(settings.chap));
        TRY(stock_transport(settings.via).check_kernel(world.files, settings.chap, true));
        TRY(check_one_secret(world, settings));
        TRY(check_unclaimed(world, settings));
        TRY(join_target(world, settings, true));
        TRY(add_bring_up(world, set, settings));
    }
    return set;
}

Result<ChangeSet> take_down(World &world, const StockExportState &state) {
    ChangeSet set("stop " + state.settings.name);
    TRY(add_take_down(world, set, state));
    return set;
}

Result<ChangeSet> connecting(World &world, const StockAttachmentState &state) {
    ChangeSet set("restore " + state.settings.disk.text());
    if (!state.attached()) {
        TRY(check_initiator_tools(world, state.settings.via));
        TRY(stock_transport(state.settings.via)
                .check_kernel(world.files, state.settings.chap, false));
        add_attach(world, set, state.settings);
    }
    return set;
}

// Returns the initiators of the file, each once, or those of the running export if they are the
// same ones in another order.
std::vector<std::string> initiators_of(const StockExport &stored, const StockExport &running) {
    std::vector<std::string> names;
    for (const std::string &name : stored.initiators) {
        append_once(names, name);
    }
    const bool same = std::is_permutation(names.begin(), names.end(), running.initiators.begin(),
                                          running.initiators.end());
    return same ? running.initiators : names;
}

bool admits_every_host(const StockExport &settings) {
    return settings.initiators.empty() && !settings.chap.is_set();
}

// Returns the settings of a running export with the initiators and the secrets of its file. Returns
// an error if the file has another value of a setting that cannot change, or would open the export
// because a line is missing.
Result<StockExport> reloaded(const StockExport &running, const Stored<StockExport> &stored) {
    const auto fixed = fixed_differences(running, stored.settings);
    if (!fixed.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("the export '{}' runs with settings that cannot change while it "
                                 "runs: {}",
                                 running.name, fmt::join(fixed, ", ")),
                     fmt::format("detach the disk on its clients, causeway export remove {}, then "
                                 "add it with the new settings",
                                 running.name)};
    }
    StockExport wanted = running;
    wanted.initiators = initiators_of(stored.settings, running);
    wanted.allow_any = stored.settings.allow_any;
    wanted.chap = stored.settings.chap;
    if (const auto checked = stock_transport(wanted.via).check(wanted); !checked) {
        return Error{ExitCode::bad_config,
                     fmt::format("{}: {}", stored.place.string(), checked.error().what),
                     checked.error().fix};
    }
    if (admits_every_host(wanted) && !wanted.allow_any && !admits_every_host(running)) {
        return Error{ExitCode::failed,
                     fmt::format("reload would open '{}' to every host: its file names neither an "
                                 "initiator nor a secret",
                                 running.name),
                     fmt::format("write \"allow = any\" into {} if every host may attach the disk",
                                 stored.place.string())};
    }
    TRY(check_chap(wanted.chap));
    return wanted;
}

// Returns the changes that give a running export the initiators of its file, and the secrets that
// are in the files of keys now. Reads the file again: the caller holds the lock of the journal
// since, under which "export set" changes the file.
Result<ChangeSet> reloading(World &world, const std::string &name) {
    const auto configured = TRY(load_stock_exports(world.places));
    const auto found =
        std::find_if(configured.good.begin(), configured.good.end(),
                     [&](const Stored<StockExport> &each) { return each.settings.name == name; });
    if (found == configured.good.end()) {
        return ChangeSet("reload " + name);
    }
    const Stored<StockExport> &stored = *found;
    const auto state = TRY(find_stock_export(world, name));
    if (!state || !state->running) {
        return bring_up(world, {stored.settings, false, true, {}});
    }
    const StockExport wanted = TRY(reloaded(state->settings, stored));
    ChangeSet set("reload " + wanted.name);
    TRY(check_access(world, state->settings, wanted));
    AccessWay way;
    way.renews = true;
    way.by_force = fmt::format("then: causeway reload; to end the session: causeway export set {} "
                               "--initiator {} --force",
                               wanted.name, fmt::join(wanted.initiators, " "));
    TRY(add_access(world, set, *state, wanted, way));
    return set;
}

// An attached disk keeps its settings. Returns an error if its file has others.
Result<ChangeSet> reloading(World &world, const StockAttachment &settings) {
    const std::string disk = settings.disk.text();
    const auto state = TRY(find_stock_attachment(world, settings.disk));
    if (!state || !state->attached()) {
        return connecting(world, state.value_or(StockAttachmentState{settings, true}));
    }
    const auto fixed = differences(state->settings, settings);
    if (!fixed.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("{} is attached with settings that cannot change while it is: {}",
                                 disk, fmt::join(fixed, ", ")),
                     fmt::format("causeway detach {}, then attach it with the new settings", disk)};
    }
    return ChangeSet("reload " + disk);
}

Result<ChangeSet> disconnecting(World &world, const StockAttachmentState &state) {
    TRY(check_unused(world, state));
    ChangeSet set("stop " + state.settings.disk.text());
    set.add(change_stock_attachment(state.settings, false));
    return set;
}

Result<std::vector<Task>> stock_exports_to_stop(World &world) {
    std::vector<std::string> warnings;
    auto states = TRY(stock_exports(world, warnings));
    std::vector<Task> tasks;
    for (const StockExportState &state : states) {
        if (state.running) {
            tasks.push_back({state.settings.name,
                             fmt::format("the export '{}' by {} ended", state.settings.name,
                                         via_title(state.settings.via)),
                             [state](World &now) { return take_down(now, state); }});
        }
    }
    return tasks;
}

Result<std::vector<Task>> stock_attachments_to_stop(World &world) {
    std::vector<std::string> warnings;
    auto states = TRY(stock_attachments(world, warnings));
    std::vector<Task> tasks;
    for (const StockAttachmentState &state : states) {
        const std::string disk = state.settings.disk.text();
        if (state.connection || state.unfinished) {
            tasks.push_back({disk, fmt::format("{} is detached", disk),
                             [state](World &now) { return disconnecting(now, state); }});
        }
    }
    return tasks;
}

void end_each(World &world, const char *verb, const Result<std::vector<Task>> &tasks,
              std::chrono::seconds limit, Answer &answer) {
    if (!tasks) {
        fail(answer, tasks.error().what, tasks.error().code);
        return;
    }
    std::vector<std::vector<std::string>> lines;
    for (const Task &task : *tasks) {
        lines.push_back({"/proc/self/exe", verb, task.subject});
    }
    const auto ends = world.processes.run_together(lines, limit);
    for (std::size_t i = 0; i < ends.size(); i++) {
        const Task &task = tasks->at(i);
        if (ends[i] && ends[i]->good()) {
            answer.json["stock"].push_back(task.subject);
            answer.text += task.sentence + "\n";
        } else if (ends[i] && !ends[i]->timed_out) {
            fail(answer, first_words(*ends[i]), code_of(ends[i]));
        } else {
            fail(answer, fmt::format("cannot end {}: {}", task.subject, why_not(ends[i], limit)),
                 ExitCode::failed);
        }
    }
}

// The tasks of exports of one target are in different rounds, which follow one another: the last
// export to end removes what all of them share.
std::vector<std::vector<Task>> in_rounds(std::vector<Task> tasks,
                                         const std::vector<StockExportState> &states) {
    std::vector<std::vector<Task>> rounds;
    std::map<std::string, std::size_t> counts; // by target
    for (Task &task : tasks) {
        const auto state =
            std::find_if(states.begin(), states.end(), [&](const StockExportState &each) {
                return each.settings.name == task.subject;
            });
        const std::size_t round = state == states.end() ? 0 : counts[state->settings.target]++;
        rounds.resize(std::max(rounds.size(), round + 1));
        rounds[round].push_back(std::move(task));
    }
    return rounds;
}

Result<Answer> perform_one(World &world, const std::vector<Task> &tasks,
                           const std::string &subject) {
    for (const Task &task : tasks) {
        if (task.subject == subject) {
            const auto set = TRY(task.set(world));
            TRY(carry_out(world, unjournalled, set, ""));
        }
    }
    return Answer();
}

// Linux does not report which export a client of an NVMe port uses, so a client counts for each
// export on the port.
Result<bool> has_clients(World &world, const StockExportState &state) {
    if (!connected_initiators(world.files, state.made).empty()) {
        return true;
    }
    auto clients = clients_of_port(world, state.made);
    return clients ? Result<bool>(!clients->empty()) : clients.error();
}

Result<Answer> run_stop_stock_export(World &world, const Arguments &arguments) {
    return perform_one(world, TRY(stock_exports_to_stop(world)), arguments.operands().front());
}

Result<Answer> run_stop_stock_disk(World &world, const Arguments &arguments) {
    return perform_one(world, TRY(stock_attachments_to_stop(world)), arguments.operands().front());
}

const VerbRows stop_stock_rows(Section::repairing, 9, [] {
    return std::vector<Verb>{
        {
            .words = "stop-stock-export",
            .operands = "NAME",
            .summary =
                "for stop: end the export by NVMe, iSER, iSCSI or SRP until the next restore",
            .least_operands = 1,
            .most_operands = 1,
            .run = run_stop_stock_export,
            .hidden = true,
        },
        {
            .words = "stop-stock-disk",
            .operands = "SERVER/NAME",
            .summary =
                "for stop: detach the disk by NVMe, iSER, iSCSI or SRP until the next restore",
            .least_operands = 1,
            .most_operands = 1,
            .run = run_stop_stock_disk,
            .hidden = true,
        },
    };
});

} // namespace

Result<Restoration> StockFamily::restore_exports(World &world, bool /*dry_run*/,
                                                 std::vector<Error> &broken) const {
    std::vector<std::string> warnings;
    auto states = TRY(stock_exports(world, warnings));
    broken = as_errors(warnings);
    Restoration restoration;
    for (const StockExportState &state : states) {
        if (state.persistent) {
            restoration.tasks.push_back({state.settings.name,
                                         fmt::format("'{}' is exported by {}", state.settings.name,
                                                     via_title(state.settings.via)),
                                         [state](World &now) { return bring_up(now, state); }});
        }
    }
    return restoration;
}

Result<Restoration> StockFamily::restore_attachments(World &world, bool /*dry_run*/,
                                                     std::vector<Error> &broken) const {
    std::vector<std::string> warnings;
    auto states = TRY(stock_attachments(world, warnings));
    broken = as_errors(warnings);
    Restoration restoration;
    for (const StockAttachmentState &state : states) {
        const std::string disk = state.settings.disk.text();
        if (state.persistent) {
            restoration.tasks.push_back(
                {disk, fmt::format("{} is attached by {}", disk, via_title(state.settings.via)),
                 [state](World &now) { return connecting(now, state); }});
        }
    }
    return restoration;
}

Result<Restoration> StockFamily::reload_exports(World &world, bool /*dry_run*/,
                                                std::vector<Error> &broken) const {
    const auto configured = TRY(load_stock_exports(world.places));
    std::vector<std::string> warnings;
    TRY(stock_exports(world, configured, warnings));
    broken = configured.broken;
    const auto of_records = as_errors(warnings);
    broken.insert(broken.end(), of_records.begin(), of_records.end());
    Restoration restoration;
    for (const auto &stored : configured.good) {
        const std::string &name = stored.settings.name;
        restoration.tasks.push_back(
            {name, fmt::format("'{}' has the settings of its file", name),
             [name](World &now) { return reloading(now, name); },
             [](const World &now) { return Journal(now.places.journal()).lock(); }});
    }
    return restoration;
}

Result<Restoration> StockFamily::reload_attachments(World &world, bool /*dry_run*/,
                                                    std::vector<Error> &broken) const {
    const auto configured = TRY(load_stock_attachments(world.places));
    broken = configured.broken;
    Restoration restoration;
    for (const auto &stored : configured.good) {
        const std::string disk = stored.settings.disk.text();
        restoration.tasks.push_back(
            {disk, fmt::format("{} is attached by {}", disk, via_title(stored.settings.via)),
             [settings = stored.settings](World &now) { return reloading(now, settings); }});
    }
    return restoration;
}

Result<std::vector<std::string>> StockFamily::exports_in_use(World &world) const {
    std::vector<std::string> warnings;
    std::vector<std::string> used;
    for (const StockExportState &state : TRY(stock_exports(world, warnings))) {
        const bool clients = TRY(state.running ? has_clients(world, state) : Result<bool>(false));
        if (clients) {
            used.push_back(state.settings.name);
        }
    }
    return used;
}

Result<void> StockFamily::stop_exports(World &world, Answer &answer) const {
    std::vector<std::string> warnings;
    const auto states = stock_exports(world, warnings);
    auto tasks = stock_exports_to_stop(world);
    if (!tasks || !states) {
        end_each(world, "stop-stock-export", tasks ? states.error() : tasks.error(), longest_export,
                 answer);
        return {};
    }
    for (std::vector<Task> &round : in_rounds(*std::move(tasks), *states)) {
        end_each(world, "stop-stock-export", std::move(round), longest_export, answer);
    }
    return {};
}

void StockFamily::stop_attachments(World &world, bool /*force*/, Answer &answer) const {
    end_each(world, "stop-stock-disk", stock_attachments_to_stop(world), longest_detach, answer);
}

Result<void> StockFamily::show_stop(World &world, bool all, Answer &answer) const {
    show_tasks(world, stock_exports_to_stop(world), answer);
    if (all) {
        show_tasks(world, stock_attachments_to_stop(world), answer);
    }
    return {};
}

} // namespace causeway
