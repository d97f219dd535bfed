// SPDX-License-Identifier: GPL-2.0-or-later
// The change of the RoCE version that a port uses by default.
#pragma once

#include "change/change.h"

#include <string>

namespace causeway {

// The RoCE version that rdma_cm uses on a port by default. If configfs has no folder of the device,
// the change makes it, and undo leaves it there.
struct RoceMode {
    std::string device;
    unsigned int port = 0;
    std::string before; // "IB/RoCE v1", "RoCE v2"
    std::string after;
};
ChangePointer change_roce_mode(RoceMode mode);

} // namespace causeway
