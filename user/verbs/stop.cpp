// SPDX-License-Identifier: GPL-2.0-or-later
// stop: what this machine exports ends in order, and with --all what it has attached.
#include "command/plan.h"
#include "host/names.h"
#include "stock/exporting.h"
#include "stock/target.h"
#include "verbs/server_life.h"
#include "verbs/stock_restore.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

void stop_stock(const Result<std::vector<StockDeed>> &deeds, Answer &answer) {
    if (!deeds) {
        answer.warnings.push_back(deeds.error().what);
        answer.code = deeds.error().code;
        return;
    }
    for (const StockDeed &deed : *deeds) {
        if (auto done = deed.perform(); done) {
            answer.json["stock"].push_back(deed.subject);
            answer.text += deed.sentence + "\n";
        } else {
            answer.warnings.push_back(done.error().what);
            answer.code = done.error().code;
        }
    }
}

// The kernel waits for the server's FAREWELL until whoever asked is killed, for only then the
// server keeps nothing for this host. A server whose disk hangs answers probes and never says it.
// So a process of its own asks for each detach, and is killed after a while: the disk is detached
// all the same.
constexpr std::chrono::seconds longest_detach(10);
// All of them together.
constexpr std::chrono::seconds longest_end(60);

Result<ProcessEnd> detach_within(World &world, const std::string &subject, bool force,
                                 std::chrono::seconds limit) {
    std::vector<std::string> words = {"/proc/self/exe", "detach-running", subject};
    if (force) {
        words.emplace_back("--force");
    }
    return world.processes.run(words, limit);
}

// What "causeway: the reason" and the line of what to do about it told.
std::string first_words(const ProcessEnd &end) {
    constexpr std::string_view start = "causeway: ";
    const std::string line = end.err.substr(0, end.err.find('\n'));
    return line.substr(0, start.size()) == start ? line.substr(start.size()) : line;
}

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

// A disk that is open stays. But one that has no server ends where that is forced: who waits for
// it would wait for ever, a shutdown too.
void detach_one(World &world, const AttachmentInfo &info, bool force, std::chrono::seconds limit,
                Answer &answer) {
    const std::string subject = info.server + "/" + info.name;
    const bool lost = force && info.openers != 0 && info.state != CW_STATE_LIVE;
    auto end = detach_within(world, subject, lost, limit);
    if (end && end->good()) {
        const std::string failed = lost ? "it was open and had no server: its I/O failed" : "";
        const std::string between = failed.empty() || end->out.empty() ? "" : "; ";
        tell_detached(subject, failed + between + end->out, answer);
        return;
    }
    if (end && end->timed_out && !is_attached(world, info)) {
        tell_detached(subject,
                      fmt::format("the server did not confirm it within {} s and may still keep "
                                  "the disk for this host",
                                  limit.count()),
                      answer);
        return;
    }
    if (end && end->timed_out && force && !lost) {
        end = detach_within(world, subject, true, limit);
        if (end && end->good()) {
            tell_detached(subject, end->out, answer);
            return;
        }
    }
    answer.warnings.push_back(fmt::format("cannot detach {}: {}", subject,
                                          !end ? end.error().what
                                          : end->timed_out
                                              ? fmt::format("no end within {} s", limit.count())
                                              : first_words(*end)));
    answer.code = end && !end->timed_out ? static_cast<ExitCode>(end->status) : ExitCode::failed;
}

void detach_all(World &world, bool force, Answer &answer) {
    auto attachments = world.kernel.attachments();
    if (!attachments) {
        answer.warnings.push_back(attachments.error().what);
        answer.code = attachments.error().code;
        return;
    }
    const auto deadline = std::chrono::steady_clock::now() + longest_end;
    for (const AttachmentInfo &info : *attachments) {
        const auto left = std::chrono::duration_cast<std::chrono::seconds>(
            deadline - std::chrono::steady_clock::now());
        detach_one(world, info, force, std::clamp(left, std::chrono::seconds(1), longest_detach),
                   answer);
    }
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
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    std::vector<std::string> warnings;
    auto stock = stock_exports(world, warnings);
    if (!stock) {
        return stock.error();
    }
    std::vector<std::string> used;
    for (const StockExportSight &sight : *stock) {
        auto clients = sight.running ? has_clients(world, sight) : Result<bool>(false);
        if (!clients) {
            return clients.error();
        }
        if (*clients) {
            used.push_back(sight.settings.name);
        }
    }
    for (const ExportInfo &info : *exports) {
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

Result<Answer> plan_stop_verb(World &world, bool all) {
    Plan plan;
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    for (const ExportInfo &info : *exports) {
        plan.act(
            fmt::format("end the export '{}' with {} sessions", info.settings.name, info.sessions));
    }
    auto attachments = world.kernel.attachments();
    if (!attachments) {
        return attachments.error();
    }
    for (const AttachmentInfo &info : *attachments) {
        if (all) {
            plan.act(fmt::format("detach {}/{}", info.server, info.name));
        }
    }
    plan_stock(stock_exports_to_stop(world), plan);
    if (all) {
        plan_stock(stock_attachments_to_stop(world), plan);
    }
    return plan.answer();
}

} // namespace

Result<Answer> run_detach_running(World &world, const Arguments &arguments) {
    auto disk = parse_disk(arguments.operands().front());
    if (!disk) {
        return disk.error();
    }
    auto kept = world.kernel.detach(disk->server.text(), disk->name, arguments.has("force"));
    if (!kept) {
        return kept.error();
    }
    Answer answer;
    answer.text = kept->empty() ? "" : *kept + "\n";
    return answer;
}

Result<Answer> run_stop(World &world, const Arguments &arguments) {
    const bool all = arguments.has("all");
    if (!arguments.has("force")) {
        if (auto unused = check_unused(world); !unused) {
            return unused.error();
        }
    }
    if (arguments.dry_run()) {
        return plan_stop_verb(world, all);
    }
    Answer answer;
    answer.json = {{"exports", 0},
                   {"clean", true},
                   {"unflushed", Json::array()},
                   {"detached", Json::array()},
                   {"stock", Json::array()}};
    if (world.modules.loaded(module_target)) {
        auto lock = lock_server(world);
        if (!lock) {
            return lock.error();
        }
        auto outcome = end_life(world);
        if (!outcome) {
            return outcome.error();
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
            answer.warnings.emplace_back(
                "the exports ended, but not everything could be flushed: clients will "
                "be told that writes may be lost");
            answer.code = ExitCode::failed;
        }
    }
    stop_stock(stock_exports_to_stop(world), answer);
    if (all) {
        detach_all(world, arguments.has("force"), answer);
        stop_stock(stock_attachments_to_stop(world), answer);
    }
    return answer;
}

} // namespace causeway
