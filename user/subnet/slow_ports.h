// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the rate of a partition with that of the ports of the fabric. A port that is slower than
// the broadcast group of its partition cannot join the group.
#pragma once

#include "machine/world.h"

#include <string>
#include <vector>

namespace causeway {

// Returns warnings about hosts that are slower. Asks the fabrics of these ports of this machine
// through ibnetdiscover. If a fabric does not answer, compares this machine's ports alone, and a
// warning says so.
std::vector<std::string> warn_of_slow_ports(World &world, const std::vector<std::string> &guids,
                                            double gigabits);

} // namespace causeway
