// SPDX-License-Identifier: GPL-2.0-or-later
// From the words of the command line to an exit status.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "command/arguments.h"
#include "command/verb.h"
#include "machine/world.h"

#include <string>
#include <vector>

namespace causeway {

// words: without the program's name.
int run_command(World &world, std::vector<std::string> words);

// A command line that the tables of verbs know, before anything is done.
struct ParsedCommand {
    const Verb *verb = nullptr;
    Arguments arguments;
};
// Errors: the verb or an option is unknown, or a value is missing.
Result<ParsedCommand> parse_command(std::vector<std::string> words);
// Ok where it has as many operands as its verb takes.
Result<void> check_operands(const ParsedCommand &command);

// The same as run_command without printing: for verbs that call others.
Result<Answer> answer_command(World &world, std::vector<std::string> words);

// Options that stand anywhere and belong to no verb, taken out of the words: --json, --root DIR.
// A --root without a folder stays, and run_command refuses it.
struct GlobalOptions {
    bool json = false;
    std::string root;
};
GlobalOptions take_global_options(std::vector<std::string> &words);

} // namespace causeway
