// SPDX-License-Identifier: GPL-2.0-or-later
// stop: what this machine exports ends in order, and with --all what it has attached.
#include "base/disk_name.h"
#include "command/verb.h"
#include "disk/attachment_change.h"
#include "disk/export_change.h"
#include "disk/server_life.h"
#include "stock/restore.h"
#include "stock/exporting.h"
#include "stock/target.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

void fail(Answer &answer, const std::string &why, ExitCode code) {
    answer.warnings.push_back(why);
    answer.code = code;
}

// At a shutdown nothing may hold this process for ever. So a process of its own does whatever waits
// for a server or for a disk, and is killed after a while; one that the kernel does not let go is
// left. All that are of a kind run side by side, so that their number does not count.
constexpr std::chrono::seconds longest_turn(30);
constexpr std::chrono::seconds longest_detach(10);
constexpr std::chrono::seconds longest_stock_export(30);
constexpr std::chrono::seconds longest_stock_detach(60);

std::string first_words(const ProcessEnd &end) {
    // "causeway: the reason", and a line of what to do about it.
    constexpr std::string_view start = "causeway: ";
    const std::string line = end.err.substr(0, end.err.find('\n'));
    return line.substr(0, start.size()) == start ? line.substr(start.size()) : line;
}

std::string why_not(const Result<ProcessEnd> &end, std::chrono::seconds limit) {
    return !end             ? end.error().what
           : end->timed_out ? fmt::format("no end within {} s", limit.count())
                            : first_words(*end);
}

ExitCode code_of(const Result<ProcessEnd> &end) {
    return end && !end->timed_out ? static_cast<ExitCode>(end->status) : ExitCode::failed;
}

void stop_stock(World &world, const char *verb, const Result<std::vector<Task>> &tasks,
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

/* ---- attached disks ---- */

// The kernel waits for the server's FAREWELL until whoever asked is killed, for only then the
// server keeps nothing for this host. A server whose disk hangs answers probes and never says it.
// The disk is detached all the same when the process that asked is killed.
struct Detaching {
    std::string subject;
    bool lost = false; // it is open and has no server
    AttachmentInfo info;

    std::vector<std::string> words(bool force) const {
        std::vector<std::string> line = {"/proc/self/exe", "detach-running", subject};
        if (force) {
            line.emplace_back("--force");
        }
        return line;
    }
};

bool is_attached(World &world, const AttachmentInfo &wanted) {
    const auto attachments = world.kernel.attachments();
    return !attachments ||
           std::any_of(attachments->begin(), attachments->end(), [&](const AttachmentInfo &info) {
               return info.server == wanted.server && info.name == wanted.name;
           });
}

void tell_detached(const std::string &subject, const std::string &warning, Answer &answer) {
    answer.json["detached"].push_back(subject);
    answer.text += fmt::format("{} is detached\n", subject);
    if (!warning.empty()) {
        answer.warnings.push_back(fmt::format("{}: {}", subject, warning));
    }
}

// False: it is still attached.
bool take_first_end(World &world, const Detaching &disk, const Result<ProcessEnd> &end,
                    Answer &answer) {
    if (end && end->good()) {
        const std::string failed = disk.lost ? "it was open and had no server: its I/O failed" : "";
        const std::string between = failed.empty() || end->out.empty() ? "" : "; ";
        tell_detached(disk.subject, failed + between + end->out, answer);
        return true;
    }
    if (end && end->timed_out && !is_attached(world, disk.info)) {
        tell_detached(disk.subject,
                      fmt::format("the server did not confirm it within {} s and may still keep "
                                  "the disk for this host",
                                  longest_detach.count()),
                      answer);
        return true;
    }
    return false;
}

void tell_attached(const Detaching &disk, const Result<ProcessEnd> &end, Answer &answer) {
    fail(answer, fmt::format("cannot detach {}: {}", disk.subject, why_not(end, longest_detach)),
         code_of(end));
}

void detach_by_force(World &world, const std::vector<Detaching> &disks, Answer &answer) {
    std::vector<std::vector<std::string>> lines;
    for (const Detaching &disk : disks) {
        lines.push_back(disk.words(true));
    }
    const auto ends = world.processes.run_together(lines, longest_detach);
    for (std::size_t i = 0; i < ends.size(); i++) {
        if (ends[i] && ends[i]->good()) {
            tell_detached(disks[i].subject, ends[i]->out, answer);
        } else {
            tell_attached(disks[i], ends[i], answer);
        }
    }
}

// A disk that is open stays. But one that has no server ends where that is forced: who waits for
// it would wait for ever, a shutdown too.
void detach_all(World &world, bool force, Answer &answer) {
    auto attachments = world.kernel.attachments();
    if (!attachments) {
        fail(answer, attachments.error().what, attachments.error().code);
        return;
    }
    std::vector<Detaching> disks;
    std::vector<std::vector<std::string>> lines;
    for (const AttachmentInfo &info : *attachments) {
        const bool lost = force && info.openers != 0 && info.state != CW_STATE_LIVE;
        disks.push_back({info.server + "/" + info.name, lost, info});
        lines.push_back(disks.back().words(lost));
    }
    const auto ends = world.processes.run_together(lines, longest_detach);
    std::vector<Detaching> hung;
    for (std::size_t i = 0; i < ends.size(); i++) {
        if (take_first_end(world, disks[i], ends[i], answer)) {
            continue;
        }
        if (ends[i] && ends[i]->timed_out && force && !disks[i].lost) {
            hung.push_back(disks[i]);
        } else {
            tell_attached(disks[i], ends[i], answer);
        }
    }
    detach_by_force(world, hung, answer);
}

/* ---- exports ---- */

// A failure is told, and the disks are detached all the same: a machine that goes down with them
// attached hangs.
// Only who may do nothing at all is refused.
Result<void> end_exports(World &world, Answer &answer) {
    if (!world.modules.loaded(module_target)) {
        return {};
    }
    const auto lock = lock_server_within(world, longest_turn);
    if (!lock && lock.error().code == ExitCode::no_permission) {
        return lock.error();
    }
    if (!lock) {
        fail(answer, lock.error().what, lock.error().code);
    }
    auto outcome = end_life(world);
    if (!outcome) {
        fail(answer, outcome.error().what, outcome.error().code);
        return {};
    }
    answer.json["exports"] = outcome->exports;
    answer.json["clean"] = outcome->report.clean;
    answer.text = fmt::format("{} exports ended in order\n", outcome->exports);
    for (const auto &unflushed : outcome->report.unflushed) {
        answer.json["unflushed"].push_back(
            {{"name", unflushed.name}, {"reason", unflushed.reason}});
        answer.warnings.push_back(
            fmt::format("the export '{}': {}", unflushed.name, unflushed.reason));
    }
    if (!outcome->report.clean) {
        answer.text.clear();
        fail(answer,
             "the exports ended, but not everything could be flushed: clients will "
             "be told that writes may be lost",
             ExitCode::failed);
    }
    return {};
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

// Whose clients these are the port of an NVMe target does not say, so it counts for each export
// there.
Result<bool> has_clients(World &world, const StockExportSight &sight) {
    if (!connected_initiators(world.files, sight.made).empty()) {
        return true;
    }
    auto clients = clients_of_port(world, sight.made);
    return clients ? Result<bool>(!clients->empty()) : clients.error();
}

// Ok where no client is connected to an export.
Result<void> check_unused(World &world) {
    auto exports = TRY(world.kernel.exports());
    std::vector<std::string> warnings;
    auto stock = TRY(stock_exports(world, warnings));
    std::vector<std::string> used;
    for (const StockExportSight &sight : stock) {
        auto clients = TRY(sight.running ? has_clients(world, sight) : Result<bool>(false));
        if (clients) {
            used.push_back(sight.settings.name);
        }
    }
    for (const ExportInfo &info : exports) {
        if (!info.ending && info.sessions != 0) {
            used.push_back(fmt::format("{} ({} sessions)", info.settings.name, info.sessions));
        }
    }
    if (used.empty()) {
        return {};
    }
    return Error{ExitCode::try_again,
                 fmt::format("clients are connected to exports: {}", fmt::join(used, ", ")),
                 "detach there first; with --force their I/O waits until the exports are "
                 "back, or fails after its time-out"};
}

// The kernel ends all exports as one, so that it can say whether the server stopped in order: a dry
// run shows them one by one.
Result<Answer> show_stop(World &world, bool all) {
    Answer answer = dry_run_answer();
    ChangeSet own("stop", Scope::disks);
    for (const ExportInfo &info : TRY(world.kernel.exports())) {
        ExportWay way;
        way.sessions = info.sessions;
        own.add(change_export(state_of(info, std::nullopt), false, std::move(way)));
    }
    for (const AttachmentInfo &info : TRY(world.kernel.attachments())) {
        const auto disk = parse_disk(info.server + "/" + info.name);
        if (all && disk) {
            own.add(change_attachment(state_of(*disk, info, std::nullopt), false));
        }
    }
    const auto show_own = [&](World & /*world*/) -> Result<ChangeSet> { return std::move(own); };
    show_tasks(world, std::vector<Task>{{"", "", show_own}}, answer);
    show_tasks(world, stock_exports_to_stop(world), answer);
    if (all) {
        show_tasks(world, stock_attachments_to_stop(world), answer);
    }
    end_dry_run(answer);
    return answer;
}

Result<Answer> run_detach_running(World &world, const Arguments &arguments) {
    auto disk = TRY(parse_disk(arguments.operands().front()));
    auto kept = TRY(world.kernel.detach(disk.server.text(), disk.name, arguments.has("force")));
    Answer answer;
    answer.text = kept.empty() ? "" : kept + "\n";
    return answer;
}

Result<Answer> run_stop_stock_export(World &world, const Arguments &arguments) {
    return perform_one(world, TRY(stock_exports_to_stop(world)), arguments.operands().front());
}

Result<Answer> run_stop_stock_disk(World &world, const Arguments &arguments) {
    return perform_one(world, TRY(stock_attachments_to_stop(world)), arguments.operands().front());
}

Result<Answer> run_stop(World &world, const Arguments &arguments) {
    const bool all = arguments.has("all");
    if (!arguments.has("force")) {
        TRY(check_unused(world));
    }
    if (arguments.dry_run()) {
        return show_stop(world, all);
    }
    Answer answer;
    answer.json = {{"exports", 0},
                   {"clean", true},
                   {"unflushed", Json::array()},
                   {"detached", Json::array()},
                   {"stock", Json::array()}};
    TRY(end_exports(world, answer));
    // Before the disks: an export may be of an attached one.
    stop_stock(world, "stop-stock-export", stock_exports_to_stop(world), longest_stock_export,
               answer);
    if (all) {
        detach_all(world, arguments.has("force"), answer);
        stop_stock(world, "stop-stock-disk", stock_attachments_to_stop(world), longest_stock_detach,
                   answer);
    }
    return answer;
}

const VerbRows stop_rows(Section::repairing, 5, [] {
    return std::vector<Verb>{
        {
            .words = "detach-running",
            .operands = "SERVER/NAME",
            .summary =
                "for stop: detach until the next boot, and no longer than the caller lets it run",
            .options = {{"force", "", "even while it is open"}},
            .least_operands = 1,
            .most_operands = 1,
            .run = run_detach_running,
            .hidden = true,
        },
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
        {
            .words = "stop",
            .summary = "end all exports in order, so that clients lose nothing",
            .options = {{"all", "", "detach this machine's disks too"},
                        {"force", "",
                         "even while clients have them attached: their I/O waits; with --all also "
                         "a disk that is "
                         "open and has no server: its I/O fails"}},
            .changes = true,
            .run = run_stop,
        },
    };
});

} // namespace

} // namespace causeway
