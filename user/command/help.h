// SPDX-License-Identifier: GPL-2.0-or-later
// The output of "causeway help", from the rows of verbs.
#pragma once

#include "command/verb.h"

#include <string>

namespace causeway {

// Returns one line for each verb.
std::string overview();

Answer verb_help(const Verb &verb);

} // namespace causeway
