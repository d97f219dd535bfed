// SPDX-License-Identifier: GPL-2.0-or-later
// The part of "detach", "restore" or "stop" for one disk: a change set of its own, so that one that
// fails does not keep the others from being done.
#pragma once

#include "change/carry_out.h"

#include <chrono>
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

// "stop" ends exports and attachments by processes of their own. At a shutdown nothing may hold the
// command for ever, so it kills a process that waits too long for a server or a disk, and leaves
// one that the kernel does not let go. All that are of a kind run side by side, so that their
// number does not count.

// Adds a warning to the answer and sets its exit code.
void fail(Answer &answer, const std::string &why, ExitCode code);

// The first line that a process of this program wrote as its error.
std::string first_words(const ProcessEnd &end);
// The reason why a process did not do its work within @limit.
std::string why_not(const Result<ProcessEnd> &end, std::chrono::seconds limit);
ExitCode code_of(const Result<ProcessEnd> &end);

} // namespace causeway
