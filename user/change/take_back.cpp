// SPDX-License-Identifier: GPL-2.0-or-later
#include "change/take_back.h"

#include "base/narration.h"
#include "change/carry_out.h"
#include "show/progress.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

Result<bool> stands(World &world, const Change &change) {
    auto standing = TRY(change.standing(world));
    return standing == Standing::after || standing == Standing::unknown;
}

namespace {

Result<void> take_back_one(World &world, const Change &change, bool force, TakenBack &taken) {
    auto left = TRY(stands(world, change));
    if (!left) {
        return {};
    }
    narrate("take back: " + change.subject());
    auto done = force ? change.back_by_force(world) : change.back(world);
    collect_warnings(change, taken.warnings);
    if (const ExitCode code = change.take_code(); code != ExitCode::ok) {
        taken.code = code;
    }
    if (done) {
        if (change.shows(Direction::back)) {
            taken.reports.push_back(change.report(Direction::back));
        }
        return {};
    }
    if (change.may_fail()) {
        taken.warnings.push_back(done.error().what);
        return {};
    }
    if (change.may_stay()) {
        taken.warnings.push_back(fmt::format("{} stays: {}", change.subject(), done.error().what));
        return {};
    }
    return change.may_wait() ? Result<void>() : done;
}

} // namespace

Json changes_json(const Changes &changes) {
    Json json = Json::array();
    for (const ChangePointer &change : changes) {
        json.push_back(change->json());
    }
    return json;
}

std::string report_lines(const std::vector<std::string> &reports) {
    std::string text;
    for (const std::string &report : reports) {
        text += report + "\n";
    }
    return text;
}

void collect_warnings(const Change &change, std::vector<std::string> &warnings) {
    for (std::string &warning : change.take_warnings()) {
        warnings.push_back(std::move(warning));
    }
}

void refresh(World &world, const Changes &changes, std::vector<std::string> &warnings) {
    for (const ChangePointer &change : changes) {
        if (!change->refreshes()) {
            continue;
        }
        if (auto done = change->forward(world); !done) {
            warnings.push_back(done.error().what);
        }
    }
}

Result<TakenBack> take_back(World &world, const Changes &changes, std::size_t count, bool force) {
    TakenBack taken;
    for (const bool descriptions : {false, true}) {
        for (std::size_t i = count; i-- > 0;) {
            const Change &change = *changes[i];
            if (!change.refreshes() && change.describes() == descriptions) {
                TRY(take_back_one(world, change, force, taken));
            }
        }
    }
    for (std::size_t i = 0; i < count; i++) {
        if (!changes[i]->may_wait()) {
            continue;
        }
        auto standing = TRY(changes[i]->standing(world));
        if (standing == Standing::before) {
            continue;
        }
        TRY(force ? changes[i]->back_by_force(world) : changes[i]->back(world));
    }
    refresh(world, changes, taken.warnings);
    return taken;
}

/* ---- entries of commands that were killed ---- */

namespace {

// A program that an entry of Scope::host started may have gone on after the command was killed, so
// such an entry always counts.
bool leaves_something(World &world, const JournalEntry &entry) {
    return entry.scope == Scope::host ||
           std::any_of(entry.changes.begin(), entry.changes.end(), [&](const ChangePointer &each) {
               const auto standing = each->standing(world);
               return standing && *standing == Standing::unknown
                          ? each->shows(Direction::back) // empty: nothing to take back
                          : !standing || *standing != Standing::before;
           });
}

bool fences(World &world, const JournalEntry &entry) {
    return std::any_of(entry.changes.begin(), entry.changes.end(),
                       [&](const ChangePointer &each) { return is_fenced(world, *each); });
}

} // namespace

bool is_fenced(World &world, const Change &change) {
    if (!change.fences()) {
        return false;
    }
    const auto standing = change.standing(world);
    return standing && *standing == Standing::after;
}

bool is_cut_off(World &world, const Journal &journal, const JournalEntry &entry) {
    return entry.state == "begun" && !journal.busy(entry.number) &&
           leaves_something(world, entry) && !fences(world, entry);
}

void forget_interrupted(World &world, const Journal &journal) {
    const auto claimed = journal.claimed();
    for (const unsigned int number : claimed ? *claimed : std::vector<unsigned int>()) {
        const auto claim = journal.claim(number);
        if (!claim || !*claim) {
            continue;
        }
        const auto entry = journal.entry(number);
        if (!entry || !*entry || (*entry)->state != "begun") {
            continue;
        }
        if (!leaves_something(world, **entry)) {
            static_cast<void>(journal.drop(number));
        } else if (fences(world, **entry)) {
            static_cast<void>(journal.mark_done(**entry));
        }
    }
}

Result<std::optional<FileLock>> take_turn(World &world, const Journal &journal, bool needed) {
    if (!needed) {
        return std::optional<FileLock>();
    }
    auto now = journal.lock_now();
    if (!now || *now) {
        return now;
    }
    {
        const Progress::Pause no_line;
        world.err << "causeway: another command changes this host now; waiting for its end\n"
                  << std::flush;
    }
    return journal.lock_unless(false);
}

void report_guard(Answer &answer, const Guard &guard, Manner manner) {
    answer.json["confirm"] = {
        {"interface", guard.interface}, {"peer", guard.peer}, {"seconds", confirm_limit.count()}};
    answer.text +=
        manner.dry_run
            ? fmt::format("would wait for \"causeway confirm\": a session of {} may run over {}\n",
                          guard.peer, guard.interface)
            : fmt::format(
                  "a session of {} may run over {}: say \"causeway confirm\" within {} s of "
                  "the start of this change, else it is taken back\n",
                  guard.peer, guard.interface, confirm_limit.count());
}

} // namespace causeway
