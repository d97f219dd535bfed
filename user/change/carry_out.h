// SPDX-License-Identifier: GPL-2.0-or-later
// The one way in which a change set becomes real, and the way back.
#pragma once

#include "change/change_set.h"
#include "change/journal.h"

#include <functional>
#include <optional>
#include <string>

namespace causeway {

struct Manner {
    bool dry_run = false;
    bool journalled = true; // a unit that repeats at boot what was journalled once is not
    // Nobody else changes the host meanwhile. A set of Scope::disks never locks the host: it waits
    // for other machines, and every other change would wait with it. Its entry is claimed instead
    // (change/journal.h).
    bool locked = true;
};

// Shows the set or applies it. All of it or nothing: where a change is refused, those before it are
// taken back. What a drop-in describes stays, though, if only the drop-in cannot be changed.
// nothing_to_do is the sentence for an empty set, without the full stop. The answer's JSON has
// "dry_run", "changed", "changes" and "journal" (a number or null).
Result<Answer> carry_out(World &world, Manner manner, const ChangeSet &set,
                         const std::string &nothing_to_do);

// The last line of the text of such an answer: "causeway undo 12 takes this back". Empty where the
// journal has no entry of it.
std::string line_of_undo(const Answer &answer);

struct Guard;
// Why the undo of an entry has to wait for its confirmation (change/unconfirmed.h); none: it has
// not.
using GuardOfUndo = std::function<std::optional<Guard>(const JournalEntry &)>;

// Takes one entry of the journal back, the newest that is not undone where none is named. Refuses,
// and touches nothing, where somebody else has changed what it had left, and unless @force, where
// others use what it would take away.
Result<Answer> undo(World &world, bool dry_run, std::optional<unsigned int> number, bool force,
                    const GuardOfUndo &guard_of = {});

} // namespace causeway
