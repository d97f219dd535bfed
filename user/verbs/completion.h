// SPDX-License-Identifier: GPL-2.0-or-later
// What may stand next on a command line that is being typed. The scripts in completions/ only ask
// for it, so that a shell knows what the command knows.
#pragma once

#include "machine/world.h"

#include <string>
#include <vector>

namespace causeway {

enum class FileKind { none, any, folders };

struct Candidate {
    std::string word;
    std::string help; // may be empty
};

struct Completion {
    std::vector<Candidate> candidates; // those that start as the last word does
    FileKind files = FileKind::none;   // what the shell adds from the file system
};

// words: behind the program's name, the last one is being typed and may be empty. Asks the kernel
// for names, and stays silent about what it refuses.
Completion complete(World &world, const std::vector<std::string> &words);

} // namespace causeway
