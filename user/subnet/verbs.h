// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of verbs that other files of this folder add to theirs.
#pragma once

#include "command/verb.h"

#include <vector>

namespace causeway {

Verb sm_status_verb();
std::vector<Verb> partition_group_verbs();
std::vector<Verb> qos_verbs();

} // namespace causeway
