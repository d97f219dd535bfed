// SPDX-License-Identifier: GPL-2.0-or-later
// What "causeway help" prints, from the table of verbs.
#pragma once

#include "command/verb.h"

#include <string>

namespace causeway {

// Every verb in one line.
std::string overview();

Answer verb_help(const Verb &verb);

} // namespace causeway
