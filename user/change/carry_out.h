// SPDX-License-Identifier: GPL-2.0-or-later
// Shows or applies a change set, and takes an entry of the journal back (undo).
#pragma once

#include "change/change_set.h"
#include "change/journal.h"

#include <functional>
#include <optional>
#include <string>

namespace causeway {

struct Manner {
    bool dry_run = false;
    // False: the journal gets no entry, for example because a unit repeats the change at each boot.
    bool journalled = true;
    // True: a set of Scope::host is applied under the lock of the journal. A set of Scope::disks
    // never takes that lock: the set waits for other machines, and all other changes would wait
    // with it. Its entry is claimed instead (change/journal.h).
    bool locked = true;
};

// Shows the set (a dry run) or applies it. If a change fails, takes back the changes made before it
// and returns the error. Exceptions: a change with may_fail() is skipped with a warning; nothing is
// taken back if the failed change is a drop-in behind other changes, or if it may have been made
// all the same (fences(), answer_may_be_lost()). @nothing_to_do: the sentence for an empty set,
// without the full stop. The answer's JSON has "dry_run", "changed", "changes" and "journal" (a
// number or null).
Result<Answer> carry_out(World &world, Manner manner, const ChangeSet &set,
                         const std::string &nothing_to_do);

// Returns the last line for the text of such an answer: "causeway undo 12 takes this back", with a
// newline. Empty if the journal has no entry of the change.
std::string line_of_undo(const Answer &answer);

struct Guard;
// Returns the reason why the undo of this entry must be confirmed (change/unconfirmed.h); none if
// it need not be.
using GuardOfUndo = std::function<std::optional<Guard>(const JournalEntry &)>;

// Takes an entry of the journal back. Without @number takes the change that waits for its
// confirmation, else the newest entry that is not undone. Returns an error and changes nothing if
// another program or a later entry has changed the same thing since, or, unless @force, if
// something in use would be removed.
Result<Answer> undo(World &world, bool dry_run, std::optional<unsigned int> number, bool force,
                    const GuardOfUndo &guard_of = {});

} // namespace causeway
