// SPDX-License-Identifier: GPL-2.0-or-later
// The processes by which "stop" ends exports and attachments. At a shutdown nothing may hold the
// command for ever. So a process of its own does whatever waits for a server or for a disk, and is
// killed after a while; one that the kernel does not let go is left. All that are of a kind run
// side by side, so that their number does not count.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "machine/processes.h"

#include <chrono>
#include <string>

namespace causeway {

// Adds a warning to the answer and sets its exit code.
void fail(Answer &answer, const std::string &why, ExitCode code);

// The first line that a process of this program wrote as its error.
std::string first_words(const ProcessEnd &end);
// The reason why a process did not do its work within @limit.
std::string why_not(const Result<ProcessEnd> &end, std::chrono::seconds limit);
ExitCode code_of(const Result<ProcessEnd> &end);

} // namespace causeway
