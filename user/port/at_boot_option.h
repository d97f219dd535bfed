// SPDX-License-Identifier: GPL-2.0-or-later
// The option with which the systemd units of ports run their verbs.
#pragma once

#include "command/arguments.h"

namespace causeway {

inline constexpr OptionSpec at_boot_option{
    "at-boot", "", "as its unit calls it: repeats what was set up once", false, true};

} // namespace causeway
