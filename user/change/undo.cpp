// SPDX-License-Identifier: GPL-2.0-or-later
// "causeway undo": takes an entry of the journal back.
#include "change/carry_out.h"
#include "change/take_back.h"
#include "show/progress.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace causeway {

namespace {

bool may_stand(World &world, const Change &change) {
    const auto left = stands(world, change);
    return !left || *left;
}

// Returns the last entry after @entry that changed the same thing and is not undone. @standing:
// only one that may have something left to take back.
std::optional<unsigned int> last_one_since(World &world, const std::vector<JournalEntry> &entries,
                                           const JournalEntry &entry, const std::string &subject,
                                           bool standing) {
    std::optional<unsigned int> last;
    for (const JournalEntry &other : entries) {
        const bool touches =
            std::any_of(other.changes.begin(), other.changes.end(), [&](const ChangePointer &each) {
                return each->subject() == subject && (!standing || may_stand(world, *each));
            });
        if (other.number > entry.number && other.state != "undone" && touches) {
            last = other.number;
        }
    }
    return last;
}

Result<void> nobody_else_came(World &world, const std::vector<JournalEntry> &entries,
                              const JournalEntry &entry) {
    std::vector<std::string> changed_again;
    std::optional<unsigned int> later;
    for (const ChangePointer &change : entry.changes) {
        auto standing = TRY(change->standing(world));
        if (standing != Standing::neither && standing != Standing::after) {
            continue;
        }
        // Another entry may have taken this change back, and a later one may have made it again.
        const auto other =
            last_one_since(world, entries, entry, change->subject(), standing == Standing::after);
        if (standing == Standing::neither || other) {
            changed_again.push_back(change->subject());
            later = later ? later : other;
        }
    }
    if (changed_again.empty()) {
        return {};
    }
    if (later) {
        return Error{ExitCode::failed,
                     fmt::format("{} was changed again by {}; nothing is undone",
                                 fmt::join(changed_again, ", "), *later),
                     fmt::format("undo what came later first: causeway undo {}", *later)};
    }
    const auto place = world.places.journal() / fmt::format("{:06}.json", entry.number);
    return Error{
        ExitCode::failed,
        fmt::format("{} was changed since by another program; nothing is undone",
                    fmt::join(changed_again, ", ")),
        fmt::format("see what it would restore in {}, and decide by hand", place.string())};
}

// Returns an error if undo would end something in use.
Result<void> check_unused(World &world, const JournalEntry &entry) {
    for (const ChangePointer &change : entry.changes) {
        auto left = TRY(stands(world, *change));
        if (!left) {
            continue;
        }
        if (auto free = change->may_go_back(world); !free) {
            Error error = free.error();
            error.what += "; nothing is undone";
            error.fix = fmt::format("end that first, or: causeway undo {} --force", entry.number);
            return error;
        }
    }
    return {};
}

Answer nothing_to_undo(const std::string &sentence, bool dry_run) {
    Answer answer;
    answer.json = {
        {"dry_run", dry_run}, {"changed", false}, {"changes", Json::array()}, {"journal", nullptr}};
    answer.text = fmt::format("nothing to undo: {}\n", sentence);
    return answer;
}

Result<const JournalEntry *> choose(const std::vector<JournalEntry> &entries,
                                    std::optional<unsigned int> number) {
    for (std::size_t i = entries.size(); i-- > 0;) {
        const JournalEntry &entry = entries[i];
        if (number ? entry.number == *number : entry.state != "undone") {
            return &entry;
        }
    }
    if (number) {
        return Error{ExitCode::unavailable, fmt::format("the journal has no entry {}", *number),
                     "see what it has: causeway undo --list"};
    }
    return nullptr;
}

// Allocates the disk space that the changes need, before the first one is taken back.
Result<void> prepare_back(World &world, const JournalEntry &entry) {
    for (const ChangePointer &change : entry.changes) {
        if (TRY(stands(world, *change))) {
            TRY(change->prepare_back());
        }
    }
    return {};
}

// Returns sentences about the parts that undo does not restore.
Result<std::vector<std::string>> what_stays(World &world, const JournalEntry &entry) {
    std::vector<std::string> sentences;
    for (const ChangePointer &change : entry.changes) {
        std::string sentence = change->what_stays();
        if (!sentence.empty() && TRY(stands(world, *change))) {
            sentences.push_back(std::move(sentence));
        }
    }
    return sentences;
}

Result<Answer> show_undo(World &world, const JournalEntry &entry) {
    Answer answer;
    answer.json = {{"dry_run", true},
                   {"changed", false},
                   {"changes", changes_json(entry.changes)},
                   {"journal", entry.number}};
    for (std::size_t i = entry.changes.size(); i-- > 0;) {
        const Change &change = *entry.changes[i];
        auto left = TRY(stands(world, change));
        if (left && !change.refreshes()) {
            answer.text += change.show(Direction::back);
        }
    }
    for (const ChangePointer &change : entry.changes) {
        answer.text += change->refreshes() ? change->show(Direction::back) : "";
    }
    if (answer.text.empty()) {
        answer.text = "would change nothing\n";
    }
    answer.warnings = TRY(what_stays(world, entry));
    return answer;
}

// Returns none if a change already waits for its confirmation. The undo of that change needs no
// confirmation, because the session worked before the change. An undo that waits and failed midway
// goes on waiting.
std::optional<Guard> guard_where_none_waits(World &world, const JournalEntry &entry,
                                            const GuardOfUndo &guard_of) {
    const auto wait = load_unconfirmed(world.places);
    return (wait && *wait) || !guard_of ? std::nullopt : guard_of(entry);
}

bool undo_waits(const World &world) {
    const auto wait = load_unconfirmed(world.places);
    return wait && *wait && (*wait)->undoes;
}

Error undone_in_part(const World &world, Error error) {
    if (undo_waits(world)) {
        error.what += "; what is undone so far is done again, unless \"causeway confirm\" is said";
    }
    return error;
}

// Returns the entry that waits to be confirmed. It is the last change of the host, even if disks
// were attached later.
std::optional<unsigned int> last_means(const World &world) {
    const auto wait = load_unconfirmed(world.places);
    return wait && *wait && !(*wait)->undoes ? std::optional((*wait)->number) : std::nullopt;
}

// The entry that is taken back, and the lock or the claim that keeps other commands from it
// meanwhile.
struct Turn {
    std::optional<FileLock> lock;
    std::unique_ptr<Claim> claim;
    std::vector<FileLock> locks; // of the verbs that made the changes
    std::vector<JournalEntry> entries;
    const JournalEntry *chosen = nullptr; // null: there is none

    Result<void> choose_of(const Journal &journal, std::optional<unsigned int> number) {
        std::map<unsigned int, Error> unread;
        entries = TRY(journal.entries(unread));
        if (number && unread.count(*number) != 0) {
            return unread.at(*number);
        }
        chosen = TRY(choose(entries, number));
        // If a later entry cannot be read, it is unknown which entry is the last one.
        if (!number && !unread.empty() &&
            (chosen == nullptr || unread.rbegin()->first > chosen->number)) {
            return unread.rbegin()->second;
        }
        return {};
    }
};

bool shares_subject(const JournalEntry &one, const JournalEntry &other) {
    return std::any_of(one.changes.begin(), one.changes.end(), [&](const ChangePointer &change) {
        return std::any_of(
            other.changes.begin(), other.changes.end(),
            [&](const ChangePointer &each) { return each->subject() == change->subject(); });
    });
}

Error is_busy(const JournalEntry &entry) {
    return Error{ExitCode::try_again,
                 fmt::format("another command applies {} (causeway {}) now, or takes it back; "
                             "nothing is undone",
                             entry.number, entry.title),
                 "wait for its end, then run this again"};
}

// Returns an error if another command applies or takes back an entry that changes the same thing.
Result<void> expect_idle(const Journal &journal, const Turn &turn) {
    for (const unsigned int number : TRY(journal.claimed())) {
        const auto other =
            std::find_if(turn.entries.begin(), turn.entries.end(),
                         [&](const JournalEntry &each) { return each.number == number; });
        if (number != turn.chosen->number && other != turn.entries.end() &&
            shares_subject(*other, *turn.chosen) && journal.busy(number)) {
            return is_busy(*other);
        }
    }
    return {};
}

// Takes the locks of the verbs that made these changes, each once, in the order of their names.
Result<std::vector<FileLock>> lock_changes(const World &world, const Changes &changes) {
    std::set<std::filesystem::path> places;
    for (const ChangePointer &change : changes) {
        if (auto place = change->lock_place(world); !place.empty()) {
            places.insert(std::move(place));
        }
    }
    const Progress progress(world, "waiting for another command that changes the same thing");
    std::vector<FileLock> locks;
    for (const auto &place : places) {
        locks.push_back(TRY(FileLock::take(place)));
    }
    return locks;
}

// Takes the locks of the verbs that made the changes of the chosen entry. Chooses again, because a
// command that held such a lock may have made an entry meanwhile. @last: the entry was chosen as
// the last one.
Result<void> wait_for_locks(World &world, const Journal &journal, Turn &turn, bool last) {
    const unsigned int number = turn.chosen->number;
    turn.locks = TRY(lock_changes(world, turn.chosen->changes));
    if (turn.locks.empty()) {
        return {};
    }
    TRY(turn.choose_of(journal, last ? std::nullopt : std::optional(number)));
    if (turn.chosen != nullptr && turn.chosen->number == number) {
        return {};
    }
    return Error{ExitCode::try_again,
                 fmt::format("another command made a change meanwhile, so that {} is not the last "
                             "one any more",
                             number),
                 "see: causeway undo --list"};
}

Result<Turn> take_turn_of_undo(World &world, const Journal &journal, bool dry_run,
                               std::optional<unsigned int> number, bool force) {
    Turn turn;
    if (!number && !dry_run) {
        forget_interrupted(world, journal); // so that none of these counts as the last entry
    }
    if (!number) {
        number = last_means(world);
    }
    const bool last = !number;
    TRY(turn.choose_of(journal, number));
    if (dry_run || turn.chosen == nullptr) {
        return turn;
    }
    if (turn.chosen->scope == Scope::host) {
        turn.lock = TRY(take_turn(world, journal, true));
        TRY(turn.choose_of(journal, number));
    }
    if (turn.chosen == nullptr || turn.chosen->scope == Scope::host) {
        return turn;
    }
    // The entry has Scope::disks, so this undo waits for other machines. Release a lock that was
    // taken.
    turn.lock.reset();
    number = turn.chosen->number;
    turn.claim = TRY(journal.claim(*number));
    if (!turn.claim) {
        return is_busy(*turn.chosen);
    }
    // The command that had the claim may have finished the entry since it was read.
    TRY(turn.choose_of(journal, number));
    // This follows the claim, so two commands that take back the same thing cannot miss each other.
    TRY(expect_idle(journal, turn));
    // With --force, undo does not wait for a command that waits for a server.
    if (!force) {
        TRY(wait_for_locks(world, journal, turn, last));
    }
    return turn;
}

// Makes the answer. If nothing of the entry could be undone, the exit code is failed; the entry
// counts as undone all the same, so that the next "undo --last" takes the entry before it.
Answer tell_undone(const JournalEntry &entry, TakenBack taken,
                   const std::vector<std::string> &stays) {
    Answer answer;
    answer.json = {{"dry_run", false},
                   {"changed", !taken.reports.empty()},
                   {"changes", changes_json(entry.changes)},
                   {"journal", entry.number}};
    const bool nothing = taken.reports.empty() && !stays.empty();
    answer.text =
        report_lines(taken.reports) +
        (nothing ? fmt::format("nothing of {} ({}) can be undone\n", entry.number, entry.title)
                 : fmt::format("{} is undone ({})\n", entry.number, entry.title));
    answer.code = nothing ? ExitCode::failed : taken.code;
    answer.warnings = std::move(taken.warnings);
    answer.warnings.insert(answer.warnings.end(), stays.begin(), stays.end());
    return answer;
}

// Returns an error if something keeps the entry from being undone now.
Result<void> may_undo(World &world, const Turn &turn, const JournalEntry &chosen, bool force) {
    if (chosen.scope == Scope::host) {
        TRY(nothing_waits(world.places, chosen.number));
    }
    TRY(nobody_else_came(world, turn.entries, chosen));
    return force ? Result<void>() : check_unused(world, chosen);
}

} // namespace

Result<Answer> undo(World &world, bool dry_run, std::optional<unsigned int> number, bool force,
                    const GuardOfUndo &guard_of) {
    const Journal journal(world.places.journal());
    const Turn turn = TRY(take_turn_of_undo(world, journal, dry_run, number, force));
    if (turn.chosen == nullptr) {
        return nothing_to_undo("the journal has no change that is not undone already", dry_run);
    }
    const JournalEntry &chosen = *turn.chosen;
    if (chosen.state == "undone") {
        return nothing_to_undo(
            fmt::format("{} ({}) is undone already", chosen.number, chosen.title), dry_run);
    }
    const bool of_host = chosen.scope == Scope::host;
    TRY(may_undo(world, turn, chosen, force));
    const auto guard = of_host ? guard_where_none_waits(world, chosen, guard_of) : std::nullopt;
    if (dry_run) {
        auto shown = show_undo(world, chosen);
        if (shown && guard) {
            report_guard(*shown, *guard, {true});
        }
        return shown;
    }
    const Progress progress(world, fmt::format("undo {} ({})", chosen.number, chosen.title));
    TRY(prepare_back(world, chosen));
    if (guard) {
        TRY(arm(world, {Uuid::random().text(), chosen.number, chosen.title, world.boot.text(), true,
                        guard->held}));
    }
    const auto stays = TRY(what_stays(world, chosen));
    auto taken = take_back(world, chosen.changes, chosen.changes.size(), force);
    if (!taken) {
        return undone_in_part(world, taken.error());
    }
    if (auto marked = journal.mark_undone(chosen); !marked) {
        return undone_in_part(world, marked.error());
    }
    if (auto wait = load_unconfirmed(world.places); of_host && wait && *wait && !(*wait)->undoes) {
        static_cast<void>(disarm(world, **wait));
    }
    Answer answer = tell_undone(chosen, *std::move(taken), stays);
    if (guard) {
        report_guard(answer, *guard, {});
    } else if (of_host && undo_waits(world)) {
        answer.text += "it is done again, unless \"causeway confirm\" is said\n";
    }
    return answer;
}

} // namespace causeway
