// SPDX-License-Identifier: GPL-2.0-or-later
// Takes back a change set that failed midway, for carry_out(), or an entry of the journal, for
// undo().
#pragma once

#include "change/carry_out.h"
#include "change/unconfirmed.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

using Changes = std::vector<ChangePointer>;

Json changes_json(const Changes &changes);
std::string report_lines(const std::vector<std::string> &reports);

// Moves the warnings of a change to the end of the list.
void collect_warnings(const Change &change, std::vector<std::string> &warnings);

// Makes the changes with refreshes(). A failure is a warning.
void refresh(World &world, const Changes &changes, std::vector<std::string> &warnings);

// Returns true if standing() of the change is after or unknown: there may be something to take
// back.
Result<bool> stands(World &world, const Change &change);

struct TakenBack {
    std::vector<std::string> reports;
    std::vector<std::string> warnings;
    ExitCode code = ExitCode::ok; // failed: a warning is of Change::warn_of_failure()
};

// Takes back the first @count of @changes, from the last to the first. Changes for which
// describes() returns true come after all others. A second pass over the same changes, from the
// first to the last, tries again those for which may_wait() returns true and which are not back
// yet: in the first pass, another change may have prevented the attempt, or altered the value
// afterwards. Then calls refresh() for @changes. @force: takes a change back even if programs use
// what it removes.
Result<TakenBack> take_back(World &world, const Changes &changes, std::size_t count, bool force);

// Returns true if the change fences a host and its standing() is after.
bool is_fenced(World &world, const Change &change);

// Returns true if a command failed or was killed while it applied the entry, and left something
// that "causeway undo" has to take back. A host that is fenced does not count.
bool is_cut_off(World &world, const Journal &journal, const JournalEntry &entry);

// Drops each entry of Scope::disks whose command was killed and left nothing, such as an attachment
// that was interrupted while it waited for the server. Marks an entry that fenced a host as done.
void forget_interrupted(World &world, const Journal &journal);

// Takes the lock of the journal if it is @needed. Prints a line on standard error if another
// command has the lock, which may take minutes: an attachment by a stock transport waits for its
// target.
Result<std::optional<FileLock>> take_turn(World &world, const Journal &journal, bool needed);

// Adds to the answer that the change waits for "causeway confirm", and why.
void report_guard(Answer &answer, const Guard &guard, Manner manner);

} // namespace causeway
