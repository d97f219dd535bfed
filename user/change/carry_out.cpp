// SPDX-License-Identifier: GPL-2.0-or-later
// The journal's entry is written before the first change. What it holds is compared with the
// machine whenever it is read, so a power cut in the middle needs no bookkeeping: each change is
// found as it was before, and then nothing is to be undone, or as it was left.
#include "change/carry_out.h"

#include "change/unconfirmed.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

using Changes = std::vector<ChangePointer>;

Json changes_json(const Changes &changes) {
    Json json = Json::array();
    for (const ChangePointer &change : changes) {
        json.push_back(change->json());
    }
    return json;
}

Answer show(const Changes &changes, Direction direction) {
    Answer answer;
    answer.json = {{"dry_run", true},
                   {"changed", false},
                   {"changes", changes_json(changes)},
                   {"journal", nullptr}};
    for (const ChangePointer &change : changes) {
        answer.text += change->show(direction);
    }
    if (answer.text.empty()) {
        answer.text = "would change nothing\n";
    }
    return answer;
}

// Between the look that made the set and the lock somebody may have been faster.
Result<void> still_as_seen(World &world, const Changes &changes) {
    for (const ChangePointer &change : changes) {
        auto standing = TRY(change->standing(world));
        if (standing == Standing::neither ||
            (standing == Standing::after && !change->leave_to_others())) {
            return Error{ExitCode::try_again,
                         fmt::format("{} was changed meanwhile", change->subject()),
                         "run this again"};
        }
    }
    return {};
}

struct TakenBack {
    std::vector<std::string> deeds;
    std::vector<std::string> warnings;
};

// Whether it has anything left to take back.
Result<bool> stands(World &world, const Change &change) {
    auto standing = TRY(change.standing(world));
    return standing == Standing::after || standing == Standing::unknown;
}

Result<void> take_back_one(World &world, const Change &change, TakenBack &taken, bool last_try) {
    auto left = TRY(stands(world, change));
    if (!left) {
        return {};
    }
    auto done = change.back(world);
    if (done) {
        if (!change.show(Direction::back).empty()) {
            taken.deeds.push_back(change.deed(Direction::back));
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
    return change.may_wait() && !last_try ? Result<void>() : done;
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

// The first of these, from the last to the first; then once more in order for values that others
// stood in the way of, or moved along.
Result<TakenBack> take_back(World &world, const Changes &changes, std::size_t count) {
    TakenBack taken;
    for (std::size_t i = count; i-- > 0;) {
        if (changes[i]->refreshes()) {
            continue;
        }
        TRY(take_back_one(world, *changes[i], taken, false));
    }
    for (std::size_t i = 0; i < count; i++) {
        if (!changes[i]->may_wait()) {
            continue;
        }
        auto standing = TRY(changes[i]->standing(world));
        if (standing == Standing::before) {
            continue;
        }
        TRY(changes[i]->back(world));
    }
    refresh(world, changes, taken.warnings);
    return taken;
}

// What was done of a set that failed is taken back, and the error says whether that worked.
Error failed_midway(World &world, const ChangeSet &set, std::size_t done,
                    std::optional<unsigned int> number, const Journal &journal, Error error) {
    const auto taken = take_back(world, set.changes(), done);
    if (taken) {
        if (number && !journal.drop(*number)) {
            error.what +=
                fmt::format("; nothing is changed, though the journal's {} says so", *number);
        }
        return error;
    }
    error.what +=
        fmt::format("; what was done before it could not be taken back: {}", taken.error().what);
    if (number) {
        error.fix = fmt::format("fix that, then: causeway undo {}", *number);
    }
    return error;
}

Result<std::vector<std::string>> apply(World &world, const ChangeSet &set,
                                       std::optional<unsigned int> number, const Journal &journal,
                                       std::vector<std::string> &warnings) {
    const Changes &changes = set.changes();
    std::vector<std::string> deeds;
    for (std::size_t i = 0; i < changes.size(); i++) {
        if (changes[i]->refreshes()) {
            continue;
        }
        auto done = changes[i]->forward(world);
        if (!done && !changes[i]->may_fail()) {
            return failed_midway(world, set, i, number, journal, done.error());
        }
        if (!done) {
            warnings.push_back(done.error().what);
        } else if (!changes[i]->show(Direction::forward).empty()) {
            deeds.push_back(changes[i]->deed(Direction::forward));
        }
    }
    return deeds;
}

std::string lines(const std::vector<std::string> &deeds) {
    std::string text;
    for (const std::string &deed : deeds) {
        text += deed + "\n";
    }
    return text;
}

// The lock of the journal, where it is needed. Another command may have it for minutes: an
// attachment waits for its target.
Result<std::optional<FileLock>> take_turn(World &world, const Journal &journal, bool needed) {
    if (!needed) {
        return std::optional<FileLock>();
    }
    auto now = journal.lock_now();
    if (!now || *now) {
        return now;
    }
    world.err << "causeway: another command changes this host now; waiting for its end\n"
              << std::flush;
    return journal.lock_unless(false);
}

/* ---- undo ---- */

// The last entry of the journal after this one that changed the same thing and still stands.
std::optional<unsigned int> last_one_since(const std::vector<JournalEntry> &entries,
                                           const JournalEntry &entry, const std::string &subject) {
    std::optional<unsigned int> last;
    for (const JournalEntry &other : entries) {
        const bool touches =
            std::any_of(other.changes.begin(), other.changes.end(),
                        [&](const ChangePointer &each) { return each->subject() == subject; });
        if (other.number > entry.number && other.state != "undone" && touches) {
            last = other.number;
        }
    }
    return last;
}

Result<void> nobody_else_came(World &world, const std::vector<JournalEntry> &entries,
                              const JournalEntry &entry) {
    std::vector<std::string> foreign;
    std::optional<unsigned int> later;
    for (const ChangePointer &change : entry.changes) {
        auto standing = TRY(change->standing(world));
        if (standing != Standing::neither) {
            continue;
        }
        foreign.push_back(change->subject());
        if (!later) {
            later = last_one_since(entries, entry, change->subject());
        }
    }
    if (foreign.empty()) {
        return {};
    }
    if (later) {
        return Error{ExitCode::failed,
                     fmt::format("{} was changed again by {}; nothing is undone",
                                 fmt::join(foreign, ", "), *later),
                     fmt::format("undo what came later first: causeway undo {}", *later)};
    }
    const auto place = world.places.journal() / fmt::format("{:06}.json", entry.number);
    return Error{
        ExitCode::failed,
        fmt::format("{} was changed since by somebody else; nothing is undone",
                    fmt::join(foreign, ", ")),
        fmt::format("see what it would restore in {}, and decide by hand", place.string())};
}

// An undo refuses to end what is in use, as the verbs do.
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
    return answer;
}

// In the answer: that the change waits, and for what.
void tell_guard(Answer &answer, const Guard &guard, Manner manner) {
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

// A change that waits is taken back at once: the way before it carried the session. An undo that
// waits, and had failed midway, goes on waiting.
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

// A change that failed and of which nothing is left needs no way back.
void forget_wait(World &world, const Journal &journal, const std::optional<Unconfirmed> &wait) {
    if (!wait) {
        return;
    }
    auto entries = journal.entries();
    const bool stands =
        !entries || std::any_of(entries->begin(), entries->end(), [&](const JournalEntry &each) {
            return each.number == wait->number;
        });
    if (!stands) {
        static_cast<void>(disarm(world, *wait));
    }
}

} // namespace

Result<Answer> carry_out(World &world, Manner manner, const ChangeSet &set,
                         const std::string &nothing_to_do) {
    return carry_out_guarded(world, manner, set, nothing_to_do, std::nullopt);
}

Result<Answer> carry_out_guarded(World &world, Manner manner, const ChangeSet &set,
                                 const std::string &nothing_to_do,
                                 const std::optional<Guard> &guard) {
    if (manner.dry_run) {
        Answer answer = show(set.changes(), Direction::forward);
        if (guard && !set.empty()) {
            tell_guard(answer, *guard, manner);
        }
        return answer;
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
    const Journal journal(world.places.journal());
    const auto lock = TRY(take_turn(world, journal, manner.locked));
    if (auto free = nothing_waits(world.places, std::nullopt); manner.journalled && !free) {
        return free.error();
    }
    TRY(still_as_seen(world, set.changes()));
    std::optional<unsigned int> number;
    if (manner.journalled) {
        number = TRY(journal.begin(set));
    }
    std::optional<Unconfirmed> wait;
    if (guard && number) {
        wait = Unconfirmed{Uuid::random().text(), *number, set.title(), world.boot.text()};
        if (auto armed = arm(world, *wait); !armed) {
            static_cast<void>(journal.drop(*number));
            return armed.error();
        }
    }
    auto deeds = apply(world, set, number, journal, answer.warnings);
    if (!deeds) {
        forget_wait(world, journal, wait);
        return deeds.error();
    }
    refresh(world, set.changes(), answer.warnings);
    for (const ChangePointer &change : set.changes()) {
        change->settle(world);
    }
    answer.json["changes"] = changes_json(set.changes());
    answer.text = lines(*deeds);
    if (number) {
        if (auto finished = journal.finish(*number, set); !finished) {
            answer.warnings.push_back(finished.error().what);
        }
        answer.json["journal"] = *number;
        answer.text += fmt::format("causeway undo {} takes this back\n", *number);
    }
    if (wait) {
        tell_guard(answer, *guard, manner);
    }
    return answer;
}

Result<Answer> undo(World &world, bool dry_run, std::optional<unsigned int> number, bool force,
                    const GuardOfUndo &guard_of) {
    const Journal journal(world.places.journal());
    const auto lock = TRY(take_turn(world, journal, !dry_run));
    auto entries = TRY(journal.entries());
    auto entry = TRY(choose(entries, number));
    if (entry == nullptr) {
        return nothing_to_undo("the journal has no change that is not undone already", dry_run);
    }
    const JournalEntry &chosen = *entry;
    if (chosen.state == "undone") {
        return nothing_to_undo(
            fmt::format("{} ({}) is undone already", chosen.number, chosen.title), dry_run);
    }
    TRY(nothing_waits(world.places, chosen.number));
    TRY(nobody_else_came(world, entries, chosen));
    if (!force) {
        TRY(check_unused(world, chosen));
    }
    const auto guard = guard_where_none_waits(world, chosen, guard_of);
    if (dry_run) {
        auto shown = show_undo(world, chosen);
        if (shown && guard) {
            tell_guard(*shown, *guard, {true});
        }
        return shown;
    }
    if (guard) {
        TRY(arm(world, {Uuid::random().text(), chosen.number, chosen.title, world.boot.text(), true,
                        guard->held}));
    }
    auto taken = take_back(world, chosen.changes, chosen.changes.size());
    if (!taken) {
        return undone_in_part(world, taken.error());
    }
    if (auto marked = journal.mark_undone(chosen); !marked) {
        return undone_in_part(world, marked.error());
    }
    if (auto wait = load_unconfirmed(world.places); wait && *wait && !(*wait)->undoes) {
        static_cast<void>(disarm(world, **wait));
    }
    Answer answer;
    answer.json = {{"dry_run", false},
                   {"changed", !taken->deeds.empty()},
                   {"changes", changes_json(chosen.changes)},
                   {"journal", chosen.number}};
    answer.text =
        lines(taken->deeds) + fmt::format("{} is undone ({})\n", chosen.number, chosen.title);
    answer.warnings = std::move(taken->warnings);
    if (guard) {
        tell_guard(answer, *guard, {});
    } else if (undo_waits(world)) {
        answer.text += "it is done again, unless \"causeway confirm\" is said\n";
    }
    return answer;
}

} // namespace causeway
