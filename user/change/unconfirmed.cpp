// SPDX-License-Identifier: GPL-2.0-or-later
#include "change/unconfirmed.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr unsigned int wait_mode = 0600;
// The mode of the wait's file after its reversal has begun. A change of the mode needs no disk
// space, so the programs of the network manager run only once even if no count can be written.
constexpr fs::perms begun_mode = fs::perms::owner_read;
// A program that fails may succeed a moment later, but one that never succeeds must not block all
// other changes.
constexpr unsigned int most_tries = 12;
constexpr std::chrono::seconds pause_between_tries(5);

std::string timer_name(const Unconfirmed &wait) {
    return fmt::format("causeway-unconfirmed-{}", wait.id);
}

// The path of this command, for the timer to call.
std::string own_path(const Places &places) {
    std::error_code failure;
    const fs::path path = fs::read_symlink(places.of_others("proc/self/exe"), failure);
    return failure ? "causeway" : path.string();
}

std::vector<std::string> timer_words(const World &world, const Unconfirmed &wait) {
    const std::string seconds = fmt::format("{}", confirm_limit.count());
    const std::string path = own_path(world.places);
    if (systemd_runs(world)) {
        return {"systemd-run",
                "--quiet",
                "--collect",
                "--unit=" + timer_name(wait),
                "--on-active=" + seconds,
                "--timer-property=AccuracySec=100ms",
                "--property=Restart=on-failure",
                "--property=StartLimitIntervalSec=0",
                fmt::format("--property=RestartSec={}", pause_between_tries.count()),
                fmt::format("--property=RestartPreventExitStatus={}",
                            static_cast<int>(ExitCode::bad_config)),
                path,
                "undo",
                "--unconfirmed",
                wait.id};
    }
    return {
        "setsid",
        "--fork",
        "sh",
        "-c",
        "exec >/dev/null 2>&1; sleep " + seconds +
            fmt::format(R"(; until "$0" undo --unconfirmed "$1" || [ $? = {} ] || [ ! -x "$0" ]; )"
                        "do sleep {}; done",
                        static_cast<int>(ExitCode::bad_config), pause_between_tries.count()),
        path,
        wait.id};
}

// At boot, a value is reversed only if it has the value that the change left, because a udev rule
// has set it again.
bool counts_at_boot(World &world, const Change &change, Standing left) {
    if (change.early_boot() != EarlyBoot::if_it_stands) {
        return change.early_boot() == EarlyBoot::always;
    }
    const auto standing = change.standing(world);
    return standing && *standing == left;
}

struct Forced {
    std::vector<std::string> reports;
    std::vector<std::string> warnings;
    bool failed = false;       // a change failed that may succeed later
    bool files_failed = false; // a file or value failed; without it the machine is not as it was
};

void count_failure(Forced &forced, const Change &change, const Error &error) {
    forced.warnings.push_back(error.what);
    forced.failed = forced.failed || !change.may_stay();
    forced.files_failed = forced.files_failed || change.early_boot() != EarlyBoot::nothing;
}

// Selects the changes of an entry that are reversed.
struct Extent {
    bool at_boot = false;
    // This is not the first try. The programs of the network manager run only once: running them
    // again would take down what is up.
    bool again = false;

    bool has(World &world, const Change &change, Standing left) const {
        return !(again && change.may_stay()) && (!at_boot || counts_at_boot(world, change, left));
    }
};

// Reverses the change whatever the present state is, unless it is the state before the change.
void force_back(World &world, const Change &change, Forced &forced, bool last_try = true) {
    auto standing = change.standing(world);
    if (standing && *standing == Standing::before) {
        return;
    }
    if (auto done = change.back(world); !done) {
        if (last_try) {
            count_failure(forced, change, done.error());
        }
    } else if (change.shows(Direction::back)) {
        forced.reports.push_back(change.report(Direction::back));
    }
}

// Reverses all changes even if some fail: a partial reversal is better than none.
Forced force_all(World &world, const JournalEntry &entry, const Extent &extent) {
    Forced forced;
    for (std::size_t i = entry.changes.size(); i-- > 0;) {
        const Change &change = *entry.changes[i];
        if (!change.refreshes() && extent.has(world, change, Standing::after)) {
            force_back(world, change, forced, !change.may_wait());
        }
    }
    for (const ChangePointer &change : entry.changes) {
        if ((change->may_wait() || change->refreshes()) &&
            extent.has(world, *change, Standing::after)) {
            force_back(world, *change, forced);
        }
    }
    return forced;
}

// Applies the changes of the entry again in their order, then restores what the interfaces had.
Forced force_again(World &world, const JournalEntry &entry, const Json &held,
                   const Extent &extent) {
    Forced forced;
    for (const ChangePointer &change : entry.changes) {
        if (change->refreshes() || !extent.has(world, *change, Standing::before)) {
            continue;
        }
        auto standing = change->standing(world);
        if (standing && *standing == Standing::after) {
            continue;
        }
        if (auto done = change->forward(world); !done) {
            count_failure(forced, *change, done.error());
        } else if (change->shows(Direction::forward)) {
            forced.reports.push_back(change->report(Direction::forward));
        }
    }
    if (extent.at_boot) {
        return forced;
    }
    for (const Json &each : held) {
        if (auto change = change_from_json(each)) {
            force_back(world, **change, forced);
        }
    }
    for (const ChangePointer &change : entry.changes) {
        if (change->refreshes()) {
            force_back(world, *change, forced);
        }
    }
    return forced;
}

Answer nothing_waiting() {
    Answer answer;
    answer.json = {{"dry_run", false}, {"changed", false}, {"journal", nullptr}};
    answer.text = "no change waits to be confirmed\n";
    return answer;
}

Result<void> write_wait(World &world, const Unconfirmed &wait) {
    const Json json = {{"id", wait.id},
                       {"number", wait.number},
                       {"title", wait.title},
                       {"boot", wait.boot},
                       {"undoes", wait.undoes},
                       {"held", wait.held},
                       {"failures", wait.failures}};
    return write_durably(unconfirmed_place(world.places), json.dump(2) + "\n", wait_mode);
}

// A file in /run/causeway with the id of the wait and the number of failed tries. It is used if the
// journal's file system is full or cannot be written.
fs::path tries_place(const Places &places) {
    return places.nfs_mounts().parent_path() / "unconfirmed-tries";
}

unsigned int tries_beside(const Places &places, const std::string &id) {
    const auto content = read_small_file(tries_place(places));
    std::istringstream stream(content && *content ? **content : std::string());
    std::string of;
    unsigned int tries = 0;
    return stream >> of >> tries && of == id ? tries : 0;
}

Result<void> write_tries(const Places &places, const std::string &id, unsigned int tries) {
    return write_durably(tries_place(places), fmt::format("{} {}\n", id, tries), wait_mode);
}

// Counts a failed try. Returns false if it was the last one. If no count can be written, the tries
// go on: no other change is possible either, because the journal has no room.
bool may_try_again(World &world, Unconfirmed &wait) {
    wait.failures++;
    if (wait.failures >= most_tries) {
        return false;
    }
    if (!write_wait(world, wait)) {
        static_cast<void>(write_tries(world.places, wait.id, wait.failures));
    }
    return true;
}

void mark_begun(const Places &places) {
    std::error_code failure;
    fs::permissions(unconfirmed_place(places), begun_mode, failure);
}

bool has_begun(const Places &places) {
    std::error_code failure;
    return fs::status(unconfirmed_place(places), failure).permissions() == begun_mode;
}

// Only the file of the wait decides whether a change waits. The other file belongs to that wait.
Result<void> remove_wait(const Places &places) {
    auto removed = remove_durably(unconfirmed_place(places));
    static_cast<void>(remove_durably(tries_place(places)));
    return removed ? Result<void>() : removed.error();
}

// Returns an error if the reversal has to be tried again. The timer tries again after every
// failure; the next boot and a removal of the package only if a file or a value could not be
// written.
Result<void> expect_whole(World &world, const Forced &forced, Unconfirmed wait,
                          const std::string &id) {
    const bool by_timer = id == wait.id;
    if (by_timer ? !forced.failed || !may_try_again(world, wait) : !forced.files_failed) {
        return {};
    }
    return Error{ExitCode::try_again,
                 fmt::format("{} ({}) is not taken back as a whole: {}", wait.number, wait.title,
                             fmt::join(forced.warnings, "; ")),
                 by_timer ? fmt::format("it is tried again in {} s", pause_between_tries.count())
                          : "put that right, then run this again"};
}

// Marks the entry in the journal. If that fails in the timer's last try, the entry stays as it is,
// with a warning, because everything else is done.
Result<void> mark_walked(World &world, const Journal &journal, const JournalEntry &entry,
                         Unconfirmed wait, const std::string &id,
                         std::vector<std::string> &warnings) {
    auto marked = wait.undoes ? journal.mark_done(entry) : journal.mark_undone(entry);
    if (marked) {
        return {};
    }
    Error error = marked.error();
    if (id != wait.id) {
        return error;
    }
    if (!may_try_again(world, wait)) {
        warnings.push_back(fmt::format("the journal still has {} as {}: {}", entry.number,
                                       wait.undoes ? "undone" : "done", error.what));
        return {};
    }
    error.code = ExitCode::try_again;
    error.fix = fmt::format("it is tried again in {} s", pause_between_tries.count());
    return error;
}

// Reverses the change that was not confirmed, or applies it again if its undo was not confirmed.
Result<Answer> walk_back(World &world, const Journal &journal, const JournalEntry &entry,
                         const Unconfirmed &wait, const std::string &id) {
    const Extent extent = {id == unconfirmed_at_boot, wait.begun};
    Forced forced = wait.undoes ? force_again(world, entry, wait.held, extent)
                                : force_all(world, entry, extent);
    // Only a try of the timer is marked: the next boot and a removal of the package run the
    // programs in each of their tries.
    if (id == wait.id) {
        mark_begun(world.places);
    }
    TRY(expect_whole(world, forced, wait, id));
    TRY(mark_walked(world, journal, entry, wait, id, forced.warnings));
    Answer answer;
    for (const std::string &report : forced.reports) {
        answer.text += report + "\n";
    }
    answer.text += fmt::format("{} is {} ({})\n", entry.number,
                               wait.undoes ? "done again, since its undo was not confirmed"
                                           : "undone, since it was not confirmed",
                               entry.title);
    answer.json = {{"dry_run", false}, {"changed", true}, {"journal", entry.number}};
    answer.warnings = std::move(forced.warnings);
    return answer;
}

} // namespace

fs::path unconfirmed_place(const Places &places) {
    return places.journal() / "unconfirmed";
}

Result<std::optional<Unconfirmed>> load_unconfirmed(const Places &places) {
    const fs::path place = unconfirmed_place(places);
    auto content = TRY(read_small_file(place));
    if (!content) {
        return std::optional<Unconfirmed>();
    }
    try {
        const Json json = Json::parse(*content);
        Unconfirmed wait{json.at("id").get<std::string>(),    json.at("number").get<unsigned int>(),
                         json.at("title").get<std::string>(), json.at("boot").get<std::string>(),
                         json.value("undoes", false),         json.value("held", Json::array()),
                         json.value("failures", 0U)};
        wait.failures = std::max(wait.failures, tries_beside(places, wait.id));
        wait.begun = wait.failures > 0 || has_begun(places);
        return std::optional(std::move(wait));
    } catch (const Json::exception &wrong) {
        return Error{ExitCode::bad_config,
                     fmt::format("{} is damaged: {}", place.string(), wrong.what()),
                     "see what was changed last with causeway undo --list, then remove that file"};
    }
}

Result<void> arm(World &world, const Unconfirmed &wait) {
    TRY(write_wait(world, wait));
    const auto words = timer_words(world, wait);
    auto end = world.processes.run(words);
    if (end && end->good()) {
        return {};
    }
    static_cast<void>(remove_durably(unconfirmed_place(world.places)));
    return Error{ExitCode::unavailable,
                 fmt::format("cannot arrange that the change is taken back unless it is confirmed: "
                             "{}: {}",
                             words.front(), end ? end->last_words() : end.error().what),
                 "end the remote logins and run this from a console, or give --confirmed"};
}

Result<void> disarm(World &world, const Unconfirmed &wait) {
    TRY(remove_wait(world.places));
    // A timer that expires all the same finds no change that waits under its id.
    if (systemd_runs(world)) {
        static_cast<void>(world.processes.run({"systemctl", "stop", timer_name(wait) + ".timer"}));
    }
    return {};
}

Result<void> nothing_waits(const Places &places, std::optional<unsigned int> number) {
    auto wait = TRY(load_unconfirmed(places));
    if (!wait || number == wait->number) {
        return {};
    }
    return Error{
        ExitCode::try_again,
        fmt::format("{} {} ({}) waits to be confirmed, and no other is made until then",
                    wait->undoes ? "the undo of" : "the change", wait->number, wait->title),
        wait->undoes ? std::string("causeway confirm keeps it; else it is done again")
                     : fmt::format("causeway confirm keeps it, causeway undo {} takes it back",
                                   wait->number)};
}

Result<Answer> confirm(World &world, bool dry_run) {
    const Journal journal(world.places.journal());
    const auto lock = TRY(journal.lock_unless(dry_run));
    auto wait = TRY(load_unconfirmed(world.places));
    if (!wait) {
        return Error{ExitCode::unavailable, "no change waits to be confirmed",
                     "one that was not confirmed in time is undone: causeway undo --list"};
    }
    if (wait->begun) {
        return Error{ExitCode::failed,
                     fmt::format("{}{} ({}) was not confirmed in time, and its way back has begun",
                                 wait->undoes ? "the undo of " : "", wait->number, wait->title),
                     fmt::format("{}causeway undo {}",
                                 wait->undoes ? "when it is done again: " : "", wait->number)};
    }
    Answer answer;
    answer.json = {{"dry_run", dry_run}, {"changed", !dry_run}, {"journal", wait->number}};
    if (dry_run) {
        answer.text = fmt::format("would keep {} ({})\n", wait->number, wait->title);
        return answer;
    }
    TRY(disarm(world, *wait));
    if (wait->undoes) {
        answer.text = fmt::format("{} ({}) stays undone\n", wait->number, wait->title);
        return answer;
    }
    answer.text = fmt::format("{} ({}) stays\ncauseway undo {} takes this back\n", wait->number,
                              wait->title, wait->number);
    return answer;
}

namespace {

bool is_meant(const World &world, const Unconfirmed &wait, const std::string &id) {
    if (id == unconfirmed_at_boot) {
        return wait.boot != world.boot.text();
    }
    return id == unconfirmed_now || wait.id == id;
}

// The timer itself runs this function and ends by itself. Only for "now" is the caller another
// process, which does not wait for the timer.
Result<void> stop_waiting(World &world, const Unconfirmed &wait, const std::string &id) {
    if (id == unconfirmed_now) {
        return disarm(world, wait);
    }
    return remove_wait(world.places);
}

Result<Answer> take_back_waiting(World &world, const std::string &id) {
    const Journal journal(world.places.journal());
    const auto lock = TRY(journal.lock());
    auto wait = TRY(load_unconfirmed(world.places));
    if (!wait || !is_meant(world, *wait, id)) {
        return nothing_waiting();
    }
    // Read this entry alone: another entry that is damaged must not prevent the reversal.
    auto entry = TRY(journal.entry(wait->number));
    Answer answer = nothing_waiting();
    // An entry whose undo failed midway is also applied again as a whole.
    if (entry && (wait->undoes || entry->state != "undone")) {
        answer = TRY(walk_back(world, journal, *entry, *wait, id));
    }
    TRY(stop_waiting(world, *wait, id));
    return answer;
}

} // namespace

Result<Answer> take_back_unconfirmed(World &world, const std::string &id) {
    auto answer = take_back_waiting(world, id);
    if (answer || id == unconfirmed_at_boot || id == unconfirmed_now) {
        return answer;
    }
    Error error = answer.error();
    // The timer tries again after try_again and ends after bad_config, because damage stays.
    if (error.code == ExitCode::try_again || error.code == ExitCode::bad_config) {
        return error;
    }
    // For example, the lock cannot be taken because the file system is read-only. The timer goes
    // on, because nothing is reversed yet and an administrator may be locked out.
    error.fix = fmt::format("it is tried again in {} s", pause_between_tries.count());
    if (const auto wait = load_unconfirmed(world.places); wait && *wait && !(*wait)->undoes) {
        error.fix += fmt::format("; or put that right, then: causeway undo {}", (*wait)->number);
    }
    return error;
}

} // namespace causeway
