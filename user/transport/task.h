// SPDX-License-Identifier: GPL-2.0-or-later
// The part of "detach", "restore" or "stop" for one disk: a change set of its own, so that one that
// fails does not keep the others from being done.
#pragma once

#include "change/carry_out.h"

#include <functional>
#include <string>
#include <vector>

namespace causeway {

struct Task {
    std::string subject;  // "scratch", "storage1/scratch"
    std::string sentence; // says that it is done; empty: the changes say so
    // Looks now, for one task may change what the next one finds. Empty: it is as wanted already.
    std::function<Result<ChangeSet>(World &)> set;
};

// The journal has no entry of "restore" and "stop": it has the verb that configured the disk.
inline constexpr Manner unjournalled{false, false, false};

// Adds the changes to the answer of a dry run.
void show_changes(const ChangeSet &set, Answer &answer);
// Adds to the answer of a dry run what the tasks would change. A task that cannot look is a
// warning.
void show_tasks(World &world, const Result<std::vector<Task>> &tasks, Answer &answer);
// The answer of a dry run without changes, and its last line where there are none.
Answer dry_run_answer();
void end_dry_run(Answer &answer);

} // namespace causeway
