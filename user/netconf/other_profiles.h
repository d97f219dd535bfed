// SPDX-License-Identifier: GPL-2.0-or-later
// Refusing to write a profile beside one that somebody else wrote.
#pragma once

#include "netconf/backend.h"
#include "netconf/settings.h"

namespace causeway {

// An error where a profile that Causeway did not write configures the interface, or would as soon
// as it is there: it names the file, and what to add there for these settings. Looked at are the
// backend, every manager that runs, and those whose files alone tell that they are used. Under
// networkd a child needs a line in its parent's profile, so that this one is looked for as well.
Result<void> refuse_other_profiles(World &world, const NetworkBackend &backend,
                                   const InterfaceSettings &asked);

// The file of a profile, which Causeway did not write, that configures the interface by its name
// and would not configure it by the other one. None where there is none.
std::optional<std::filesystem::path> profile_of_one_name(World &world, const std::string &from,
                                                         const std::string &to);

} // namespace causeway
