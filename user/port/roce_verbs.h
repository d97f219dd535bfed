// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs about priorities of RoCE traffic that are listed with pfc.
#pragma once

#include "command/verb.h"

namespace causeway {

Verb roce_tos_verb();
Verb roce_ecn_verb();

} // namespace causeway
