// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of RoCE whose rows are in another file.
#pragma once

#include "command/verb.h"

namespace causeway {

Verb roce_tos_verb();
Verb roce_ecn_verb();
Verb roce_list_verb();
Verb roce_unset_verb();

// "roce mode" without a version runs it too.
Result<Answer> run_roce_list(World &world, const Arguments &arguments);

} // namespace causeway
