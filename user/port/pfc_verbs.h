// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of priority flow control that have a file of their own.
#pragma once

#include "command/verb.h"

namespace causeway {

inline constexpr OptionSpec no_initramfs{"no-initramfs", "", "do not make the initramfs anew"};

Verb pfc_show_verb();
Verb pfc_list_verb();
Verb pfc_unset_verb();

} // namespace causeway
