// SPDX-License-Identifier: GPL-2.0-or-later
// Refuses to write a profile beside one that another program or an administrator wrote.
#pragma once

#include "netconf/backend.h"
#include "netconf/settings.h"

namespace causeway {

// Returns an error if a profile that Causeway did not write configures the interface, or will do so
// when the interface appears. The error names the file and the settings to add to it. Checks the
// backend, every manager that runs, and the managers whose files alone show that they are used.
// Under networkd also checks the parent of a child, whose profile needs a line for the child.
Result<void> refuse_other_profiles(World &world, const NetworkBackend &backend,
                                   const InterfaceSettings &asked);

// Returns the file of a profile that Causeway did not write, that configures the interface by its
// name @from, and that would not configure it under the name @to. Returns none if there is none.
std::optional<std::filesystem::path> profile_of_one_name(World &world, const std::string &from,
                                                         const std::string &to);

} // namespace causeway
