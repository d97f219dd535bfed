// SPDX-License-Identifier: GPL-2.0-or-later
// Runs exportfs(8) and judges what it says. Its exit status is 0 after some failures.
#pragma once

#include "base/answer.h"
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

// Commands in the journal.
Json json_of_commands(const CommandLines &commands);
CommandLines commands_of_json(const Json &lines);

} // namespace causeway
