// SPDX-License-Identifier: GPL-2.0-or-later
// Facts of doctor about paths on which packets are lost.
#pragma once

#include "doctor/facts.h"

#include <string>
#include <vector>

namespace causeway {

// A peer that replies to small IP packets, but not to packets as large as the interface's MTU.
struct LostLargePackets {
    std::string peer;
    std::string interface;
    unsigned int mtu = 0;
};

struct PathFacts {
    std::vector<LostLargePackets> lost_large;
};

} // namespace causeway
