// SPDX-License-Identifier: GPL-2.0-or-later
// Causeway's own transport in "stop".
#include "base/disk_name.h"
#include "command/verb.h"
#include "disk/attachment_change.h"
#include "disk/causeway.h"
#include "disk/export_change.h"
#include "disk/server_life.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::chrono::seconds longest_turn(30);
constexpr std::chrono::seconds longest_detach(10);

// A detach in the kernel waits for the server's FAREWELL, because only then does the server keep
// nothing for this host. A server whose disk hangs answers probes but never sends FAREWELL. So each
// detach runs in a process that is killed after longest_detach: this ends the wait, and the disk is
// detached all the same.
struct Detaching {
    std::string subject;
    bool lost = false; // forced, and the disk is open and has no server
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

void report_detached(const std::string &subject, const std::string &warning, Answer &answer) {
    answer.json["detached"].push_back(subject);
    answer.text += fmt::format("{} is detached\n", subject);
    if (!warning.empty()) {
        answer.warnings.push_back(fmt::format("{}: {}", subject, warning));
    }
}

// Returns false if the disk is still attached.
bool take_first_end(World &world, const Detaching &disk, const Result<ProcessEnd> &end,
                    Answer &answer) {
    if (end && end->good()) {
        const std::string failed = disk.lost ? "it was open and had no server: its I/O failed" : "";
        const std::string between = failed.empty() || end->out.empty() ? "" : "; ";
        report_detached(disk.subject, failed + between + end->out, answer);
        return true;
    }
    if (end && end->timed_out && !is_attached(world, disk.info)) {
        report_detached(disk.subject,
                        fmt::format("the server did not confirm it within {} s and may still keep "
                                    "the disk for this host",
                                    longest_detach.count()),
                        answer);
        return true;
    }
    return false;
}

void report_attached(const Detaching &disk, const Result<ProcessEnd> &end, Answer &answer) {
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
            report_detached(disks[i].subject, ends[i]->out, answer);
        } else {
            report_attached(disks[i], ends[i], answer);
        }
    }
}

Result<Answer> run_detach_running(World &world, const Arguments &arguments) {
    auto disk = TRY(parse_disk(arguments.operands().front()));
    const auto kept = world.kernel.detach(disk.server.text(), disk.name, arguments.has("force"));
    if (!kept) {
        return with_user(world, disk, kept.error());
    }
    Answer answer;
    answer.text = kept->empty() ? "" : *kept + "\n";
    return answer;
}

const VerbRows detach_running_rows(Section::repairing, 8, [] {
    return std::vector<Verb>{
        {
            .words = "detach-running",
            .operands = "SERVER/NAME",
            .summary =
                "for stop: detach until the next boot, and no longer than the caller lets it run",
            .options = {{"force", "", "detach a disk even while the disk is open"}},
            .least_operands = 1,
            .most_operands = 1,
            .run = run_detach_running,
            .hidden = true,
        },
    };
});

} // namespace

// An open disk stays attached. With @force, an open disk without a server is detached, because its
// I/O would wait for ever, and so would a shutdown. So is a disk whose detach hangs.
void CausewayFamily::stop_attachments(World &world, bool force, Answer &answer) const {
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
            report_attached(disks[i], ends[i], answer);
        }
    }
    detach_by_force(world, hung, answer);
}

Result<std::vector<std::string>> CausewayFamily::exports_in_use(World &world) const {
    std::vector<std::string> used;
    for (const ExportInfo &info : TRY(world.kernel.exports())) {
        if (!info.ending && info.sessions != 0) {
            used.push_back(fmt::format("{} ({} sessions)", info.settings.name, info.sessions));
        }
    }
    return used;
}

// Reports a failure in the answer, so that the caller goes on and detaches disks: a machine that
// shuts down with attached disks hangs. Returns an error only if the caller lacks permission.
Result<void> CausewayFamily::stop_exports(World &world, Answer &answer) const {
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
             "be notified that writes may be lost",
             ExitCode::failed);
    }
    return {};
}

// "stop" ends all exports by one request to the kernel, which then reports whether the stop was
// clean. A dry run shows a change for each export.
Result<void> CausewayFamily::show_stop(World &world, bool all, Answer &answer) const {
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
    show_changes(own, answer);
    return {};
}

} // namespace causeway
