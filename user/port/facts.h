// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor knows of how well packets travel.
#pragma once

#include "doctor/facts.h"

#include <string>
#include <vector>

namespace causeway {

// A peer that answers small packets by IP but none as large as the interface's MTU.
struct LostLargePackets {
    std::string peer;
    std::string interface;
    unsigned int mtu = 0;
};

struct PathFacts {
    std::vector<LostLargePackets> lost_large;
};

} // namespace causeway
