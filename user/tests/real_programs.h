// SPDX-License-Identifier: GPL-2.0-or-later
// Programs of Debian that read the files that Causeway writes.
#pragma once

#include "machine/processes.h"

#include <string>
#include <vector>

namespace causeway {

// Returns true if all of them exist, installed or only unpacked by tests/deps.
bool real_programs_there(const std::vector<std::string> &names);

// Runs such a program to its end. A program that cannot be started fails the test.
ProcessEnd run_real_program(std::vector<std::string> words);

} // namespace causeway
