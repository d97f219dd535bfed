// SPDX-License-Identifier: GPL-2.0-or-later
// Runs exportfs(8) and judges what it says. Its exit status is 0 after some failures.
#pragma once

#include "base/answer.h"
#include "base/durable_file.h"
#include "change/change.h"
#include "machine/world.h"
#include "nfs/exportfs.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// Exports what the drop-in @text has, host by host, until exportfs complains. Returns the
// complaint, or "" if there was none.
Result<std::string> run_exports(World &world, std::string_view text);

// Ends or restores one export. Returns the complaint of exportfs as a sentence, or "".
Result<std::string> run_exportfs(World &world, const std::vector<std::string> &words);

// Takes the lock of the exports of NFS, and waits for it. A change holds it while it writes a
// drop-in and runs exportfs, so that the kernel has what the file has.
Result<FileLock> lock_exports(const World &world);
// Does the same for a change that is to be made. Returns an error (exit code 75) if another command
// has changed the drop-in since the verb looked.
Result<FileLock> lock_exports(World &world, const Change &change);

// Commands in the journal.
Json json_of_commands(const CommandLines &commands);
CommandLines commands_of_json(const Json &lines);

} // namespace causeway
