// SPDX-License-Identifier: GPL-2.0-or-later
// The journal's entry is written before the first change. Undo compares each change of the entry
// with the machine, so a power failure midway needs no further records: undo takes back the changes
// that were made, and skips those that were not.
#include "change/carry_out.h"

#include "base/narration.h"
#include "change/take_back.h"
#include "show/progress.h"

#include <fmt/format.h>

namespace causeway {

namespace {

Answer show(Manner manner, const ChangeSet &set, const std::optional<Guard> &guard) {
    Answer answer;
    answer.json = {{"dry_run", true},
                   {"changed", false},
                   {"changes", changes_json(set.changes())},
                   {"journal", nullptr}};
    for (const ChangePointer &change : set.changes()) {
        answer.text += change->show(Direction::forward);
    }
    if (answer.text.empty()) {
        answer.text = "would change nothing\n";
    }
    if (guard && !set.empty()) {
        report_guard(answer, *guard, manner);
    }
    return answer;
}

// Another program may have changed the same things after the verb read the state for its set.
Result<void> still_as_seen(World &world, const Changes &changes) {
    for (const ChangePointer &change : changes) {
        auto standing = change->describes() ? Standing::before : TRY(change->standing(world));
        if (standing == Standing::neither ||
            (standing == Standing::after && !change->leave_to_others())) {
            return Error{ExitCode::try_again,
                         fmt::format("{} was changed meanwhile", change->subject()),
                         "run this again"};
        }
    }
    return {};
}

// Takes back the part of a failed set that was done, and adds to the error if that fails too. Uses
// force, because only a program that looks at new devices can use what was made a moment ago.
Error failed_midway(World &world, const ChangeSet &set, std::size_t done,
                    std::optional<unsigned int> number, const Journal &journal, Error error) {
    const auto taken = take_back(world, set.changes(), done, true);
    if (taken) {
        if (number && !journal.drop(*number)) {
            error.what +=
                fmt::format("; nothing is changed, though the journal's {} says so", *number);
        }
        return error;
    }
    error.what +=
        fmt::format("; the changes made before it could not be undone: {}", taken.error().what);
    if (number) {
        error.fix = fmt::format("fix that, then: causeway undo {}", *number);
    }
    return error;
}

// Only the drop-in failed. The changes before it are made as requested, so they stay, and the
// journal's entry contains them.
Error not_described(const ChangeSet &set, std::optional<unsigned int> number,
                    const Journal &journal, Error error) {
    error.what += "; what was done before it stays";
    if (number && journal.finish(*number, set)) {
        error.fix = fmt::format("fix that and run this again, or: causeway undo {}", *number);
    }
    return error;
}

// Returns true if the failed change may have been made all the same. The kernel makes nothing of a
// request that it refuses, which the number of the error shows.
bool may_be_made(World &world, const Change &change, const Error &error) {
    if (!change.answer_may_be_lost()) {
        return false;
    }
    const auto standing = change.standing(world);
    if (standing && *standing == Standing::unknown) {
        return error.system_error == 0;
    }
    return !standing || *standing != Standing::before;
}

Result<std::vector<std::string>> apply(World &world, const ChangeSet &set,
                                       std::optional<unsigned int> number, const Journal &journal,
                                       std::vector<std::string> &warnings, Progress &progress) {
    const Changes &changes = set.changes();
    for (const ChangePointer &change : changes) {
        if (auto ready = change->prepare(); !ready) {
            return failed_midway(world, set, 0, number, journal, ready.error());
        }
    }
    std::vector<std::string> reports;
    for (std::size_t i = 0; i < changes.size(); i++) {
        if (changes[i]->refreshes()) {
            continue;
        }
        if (changes.size() > 1) {
            progress.now(fmt::format("{}, change {} of {}", set.title(), i + 1, changes.size()));
        }
        narrate(fmt::format("change {} of {}: {}", i + 1, changes.size(), changes[i]->subject()));
        auto done = changes[i]->forward(world);
        collect_warnings(*changes[i], warnings);
        if (!done && is_fenced(world, *changes[i])) {
            if (number) {
                static_cast<void>(journal.finish(*number, set));
            }
            return done.error();
        }
        if (!done && may_be_made(world, *changes[i], done.error())) {
            return done.error();
        }
        if (!done && changes[i]->describes() && i > 0) {
            return not_described(set, number, journal, done.error());
        }
        if (!done && !changes[i]->may_fail()) {
            // A file may be in its place although the folder could not be synced.
            const std::size_t made = i + (changes[i]->describes() ? 1 : 0);
            return failed_midway(world, set, made, number, journal, done.error());
        }
        if (!done) {
            warnings.push_back(done.error().what);
        } else if (changes[i]->shows(Direction::forward)) {
            reports.push_back(changes[i]->report(Direction::forward));
        }
    }
    return reports;
}

// The journal's entry of a set, and the claim on the entry while the set is applied.
struct Entry {
    explicit Entry(const Journal &of) : journal(of) {}

    // If the journal has no space for an entry, a set of Scope::disks is applied without one: the
    // removal of a disk may be what frees the space.
    Result<void> begin(const ChangeSet &set, std::vector<std::string> &warnings) {
        auto begun = journal.begin(set, claim);
        if (!begun && set.scope() == Scope::host) {
            return begun.error();
        }
        if (!begun) {
            warnings.push_back(
                fmt::format("the journal cannot keep this, so causeway undo cannot take it back: "
                            "{}",
                            begun.error().what));
            return {};
        }
        number = *begun;
        return {};
    }

    // Called after the set is applied, so that the fencing of a host does not wait for it; and
    // before the entry is done, so that a full journal does not drop the entry at once.
    void tidy(World &world, Scope scope) const {
        if (!number) {
            return;
        }
        if (scope == Scope::disks) {
            forget_interrupted(world, journal);
        }
        if (const auto wait = load_unconfirmed(world.places)) {
            static_cast<void>(journal.trim(*wait ? std::optional((*wait)->number) : std::nullopt));
        }
    }

    const Journal &journal;
    std::optional<unsigned int> number;
    std::unique_ptr<Claim> claim;
};

// Appends the warnings to the error, which has no list of warnings.
Error with_warnings(Error error, const std::vector<std::string> &warnings) {
    for (const std::string &warning : warnings) {
        error.what += "; " + warning;
    }
    return error;
}

// If the failed change was taken back and its entry dropped, nothing waits for a confirmation.
void forget_wait(World &world, const Journal &journal, const std::optional<Unconfirmed> &wait) {
    if (!wait) {
        return;
    }
    const auto entry = journal.entry(wait->number);
    if (entry && !*entry) {
        static_cast<void>(disarm(world, *wait));
    }
}

} // namespace

std::string line_of_undo(const Answer &answer) {
    return answer.json.value("journal", Json()).is_number()
               ? fmt::format("causeway undo {} takes this back\n",
                             answer.json.at("journal").get<unsigned int>())
               : "";
}

Result<Answer> carry_out(World &world, Manner manner, const ChangeSet &set,
                         const std::string &nothing_to_do) {
    return carry_out_guarded(world, manner, set, nothing_to_do, std::nullopt);
}

Result<Answer> carry_out_guarded(World &world, Manner manner, const ChangeSet &set,
                                 const std::string &nothing_to_do,
                                 const std::optional<Guard> &guard) {
    if (manner.dry_run) {
        return show(manner, set, guard);
    }
    Answer answer;
    answer.json = {{"dry_run", false},
                   {"changed", !set.empty()},
                   {"changes", Json::array()},
                   {"journal", nullptr}};
    if (set.empty()) {
        answer.text = fmt::format("nothing to do: {}\n", nothing_to_do);
        return answer;
    }
    Progress progress(world, set.title());
    const Journal journal(world.places.journal());
    const bool of_host = set.scope() == Scope::host;
    const auto lock = TRY(take_turn(world, journal, of_host && manner.locked));
    if (of_host && manner.journalled) {
        TRY(nothing_waits(world.places, std::nullopt));
    }
    TRY(still_as_seen(world, set.changes()));
    Entry entry(journal);
    if (manner.journalled) {
        TRY(entry.begin(set, answer.warnings));
    }
    const auto &number = entry.number;
    std::optional<Unconfirmed> wait;
    if (guard && number) {
        wait = Unconfirmed{Uuid::random().text(), *number, set.title(), world.boot.text()};
        if (auto armed = arm(world, *wait); !armed) {
            static_cast<void>(journal.drop(*number));
            return armed.error();
        }
    }
    auto reports = apply(world, set, number, journal, answer.warnings, progress);
    entry.tidy(world, set.scope());
    if (!reports) {
        forget_wait(world, journal, wait);
        return with_warnings(reports.error(), answer.warnings);
    }
    refresh(world, set.changes(), answer.warnings);
    for (const ChangePointer &change : set.changes()) {
        change->settle(world);
    }
    answer.json["changes"] = changes_json(set.changes());
    answer.text = report_lines(*reports);
    if (number) {
        if (auto finished = journal.finish(*number, set); !finished) {
            answer.warnings.push_back(finished.error().what);
        }
        answer.json["journal"] = *number;
        answer.text += line_of_undo(answer);
    }
    if (wait) {
        report_guard(answer, *guard, manner);
    }
    return answer;
}

} // namespace causeway
