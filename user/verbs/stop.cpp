// SPDX-License-Identifier: GPL-2.0-or-later
// stop: what this machine exports ends in order, and with --all what it has attached.
#include "command/verb.h"
#include "show/progress.h"
#include "transport/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// Ok where no client is connected to an export.
Result<void> check_unused(World &world) {
    std::vector<std::string> used;
    for (const TransportFamily *family : TransportFamily::all()) {
        const auto more = TRY(family->exports_in_use(world));
        used.insert(used.end(), more.begin(), more.end());
    }
    if (used.empty()) {
        return {};
    }
    return Error{ExitCode::try_again,
                 fmt::format("clients are connected to exports: {}", fmt::join(used, ", ")),
                 "detach there first; with --force their I/O waits until the exports are "
                 "back, or fails after its time-out"};
}

Result<Answer> run_stop(World &world, const Arguments &arguments) {
    const bool all = arguments.has("all");
    const auto families = TransportFamily::all();
    if (!arguments.has("force")) {
        TRY(check_unused(world));
    }
    if (arguments.dry_run()) {
        Answer answer = dry_run_answer();
        for (const TransportFamily *family : families) {
            TRY(family->show_stop(world, all, answer));
        }
        end_dry_run(answer);
        return answer;
    }
    Answer answer;
    answer.json = {{"exports", 0},
                   {"clean", true},
                   {"unflushed", Json::array()},
                   {"detached", Json::array()},
                   {"stock", Json::array()}};
    Progress progress(world, "waiting for the exports to end");
    // All exports end before the disks: an export may be of an attached one.
    for (const TransportFamily *family : families) {
        TRY(family->stop_exports(world, answer));
    }
    progress.now("waiting for the disks to be detached");
    for (const TransportFamily *family : families) {
        if (all) {
            family->stop_attachments(world, arguments.has("force"), answer);
        }
    }
    return answer;
}

const VerbRows stop_rows(Section::repairing, 5, [] {
    return std::vector<Verb>{
        {
            .words = "stop",
            .summary =
                "end all exports in order until the next restore, so that clients lose nothing",
            .options = {{"all", "", "detach this machine's disks too, except those that are open"},
                        {"force", "",
                         "even while clients have them attached: their I/O waits, or fails after "
                         "its time-out; with --all also a disk whose detach hangs, or that is open "
                         "and has no server: its I/O fails"}},
            .changes = true,
            .run = run_stop,
        },
    };
});

} // namespace

} // namespace causeway
