// SPDX-License-Identifier: GPL-2.0-or-later
// Programs of Debian that read what Causeway writes.
#pragma once

#include "machine/processes.h"

#include <string>
#include <vector>

namespace causeway {

// All of them are there; those too that tests/deps has only unpacked.
bool real_programs_there(const std::vector<std::string> &names);

// Runs such a program to its end; what cannot be run at all fails the test.
ProcessEnd run_real_program(std::vector<std::string> words);

} // namespace causeway
