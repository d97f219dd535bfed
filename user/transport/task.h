// SPDX-License-Identifier: GPL-2.0-or-later
// One disk's part of "detach", "restore" or "stop". It has a change set of its own, so that its
// failure does not prevent the parts of other disks.
#pragma once

#include "base/durable_file.h"
#include "change/carry_out.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct Task {
    std::string subject;  // "scratch", "storage1/scratch"
    std::string sentence; // for the answer, after success; empty: the reports of the changes
    // Reads the state when it is called, because one task may change the state for the next.
    // Returns an empty set if there is nothing to do.
    std::function<Result<ChangeSet>(World &)> set;
    // Takes the lock under which set() reads the state and the changes are made; not for a dry run.
    // Empty: none is needed.
    std::function<Result<FileLock>(const World &)> lock{};

    // Returns the lock if there is one.
    Result<std::optional<FileLock>> locked(const World &world) const;
};

// For "restore" and "stop", which get no entry in the journal: the verb that configured the disk
// has one.
inline constexpr Manner unjournalled{false, false, false};

// "the reason (the command or action that fixes the problem)", for a warning.
std::string phrase_of(const Error &error);
// Adds the changes to the answer of a dry run.
void show_changes(const ChangeSet &set, Answer &answer);
// Adds to the answer of a dry run what the tasks would change. If a task cannot read the state,
// adds a warning.
void show_tasks(World &world, const Result<std::vector<Task>> &tasks, Answer &answer);
// dry_run_answer() returns an answer without changes. end_dry_run() adds "would change nothing" if
// the text is empty.
Answer dry_run_answer();
void end_dry_run(Answer &answer);

// "stop" starts a process for each attachment and for each export by a stock transport. At a
// shutdown nothing may block the command for ever, so it kills a process that waits too long for a
// server or a disk, and goes on if the kernel does not end the process. All processes of one kind
// run at the same time, so that their number does not prolong the stop.

// Adds a warning to the answer and sets its exit code.
void fail(Answer &answer, const std::string &why, ExitCode code);

// The first line that a process of this program wrote as its error.
std::string first_words(const ProcessEnd &end);
// The reason why a process did not do its work within @limit.
std::string why_not(const Result<ProcessEnd> &end, std::chrono::seconds limit);
ExitCode code_of(const Result<ProcessEnd> &end);

} // namespace causeway
