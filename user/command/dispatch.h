// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the command line and returns the exit status.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "command/arguments.h"
#include "command/verb.h"
#include "machine/world.h"

#include <string>
#include <vector>

namespace causeway {

// Runs a verb and prints its answer or error. @words does not contain the program's name. Returns
// the exit status.
int run_command(World &world, std::vector<std::string> words);

// A command line that matches the rows of a verb and was not run yet.
struct ParsedCommand {
    const Verb *verb = nullptr;
    Arguments arguments;
};
// Returns an error if the verb or an option is unknown, or if a value is missing.
Result<ParsedCommand> parse_command(std::vector<std::string> words);
// Returns an error (usage) if the verb takes fewer or more operands.
Result<void> check_operands(const ParsedCommand &command);

// Does the same as run_command() without printing, for verbs that call others.
Result<Answer> answer_command(World &world, std::vector<std::string> words);

// Options that may be anywhere and belong to no verb: --json, --verbose or -v, --root DIR.
// take_global_options() removes them from the words. It leaves a --root without a folder, which
// run_command() refuses.
struct GlobalOptions {
    bool json = false;
    bool verbose = false; // the caller makes a Narration
    std::string root;
};
GlobalOptions take_global_options(std::vector<std::string> &words);

} // namespace causeway
