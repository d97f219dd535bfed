// SPDX-License-Identifier: GPL-2.0-or-later
// The stock transports in "restore" and "stop".
#include "command/verb.h"
#include "stock/attaching.h"
#include "stock/dhchap.h"
#include "stock/disk_users.h"
#include "stock/exporting.h"
#include "stock/family.h"
#include "stock/shared_target.h"
#include "stock/transport.h"

#include <algorithm>
#include <fmt/format.h>
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
