// SPDX-License-Identifier: GPL-2.0-or-later
// The way back of a change set: of one that failed midway, for carry_out(), and of an entry of the
// journal.
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
std::string deed_lines(const std::vector<std::string> &deeds);

// Moves what a change warned of to the end of the list.
void collect_warnings(const Change &change, std::vector<std::string> &warnings);

// Runs what makes others read the changes; its failure is a warning.
void refresh(World &world, const Changes &changes, std::vector<std::string> &warnings);

// Whether the change has anything left to take back.
Result<bool> stands(World &world, const Change &change);

struct TakenBack {
    std::vector<std::string> deeds;
    std::vector<std::string> warnings;
    ExitCode code = ExitCode::ok; // failed: one of the warnings is of a failure
};

// Takes back the first @count of @changes, from the last to the first; changes that describes()
// come after all others. Then takes back each change that may_wait() once more, from the first to
// the last, unless it is back already: another change stood in its way, or altered its value. Then
// runs refresh(). @force: even if programs use what a change removes.
Result<TakenBack> take_back(World &world, const Changes &changes, std::size_t count, bool force);

// Whether the change fences a host and stands.
bool is_fenced(World &world, const Change &change);

// Whether a command failed or was killed while it applied the entry, and left something that
// "causeway undo" has to take back.
bool is_cut_off(World &world, const Journal &journal, const JournalEntry &entry);

// Drops the entries of disks of commands that were killed and left nothing, such as an attachment
// that was interrupted while it waited for the server. The entry of a host that is fenced is done.
void forget_interrupted(World &world, const Journal &journal);

// The lock of the journal, where it is needed. Another command may have it for minutes: an
// attachment by a stock transport waits for its target.
Result<std::optional<FileLock>> take_turn(World &world, const Journal &journal, bool needed);

// In the answer: that the change waits, and for what.
void tell_guard(Answer &answer, const Guard &guard, Manner manner);

} // namespace causeway
