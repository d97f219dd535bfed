// SPDX-License-Identifier: GPL-2.0-or-later
// Names of kernel modules that a user typed.
#pragma once

#include "base/result.h"
#include "machine/world.h"

#include <string>

namespace causeway {

// Returns the name as modprobe and /sys/module have it, or an error (usage).
Result<std::string> parse_module_name(const std::string &typed);

// Returns an error unless the module is loaded or this kernel has it. The error names the package
// that may have it. Asks modprobe(8), not the list of known modules, because a machine may have
// others.
Result<void> check_module_exists(World &world, const std::string &name);

} // namespace causeway
