// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the administrator who calls sits behind the interfaces that are about to change.
#pragma once

#include "change/unconfirmed.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// The interfaces, their P_Key children and what lies above them (a bond, a bridge) count. A session
// is behind one of them where its own address is there, or where the way to its peer leads through.
std::optional<Guard> guard_of_session(World &world, const std::vector<std::string> &interfaces);

} // namespace causeway
