// SPDX-License-Identifier: GPL-2.0-or-later
// The change that adds or removes an RDMA device by software.
#pragma once

#include "change/change.h"

#include <string>

namespace causeway {

// A software RDMA device on a network device. @added: the change makes it; else removes it.
struct SoftDevice {
    std::string type;
    std::string name;
    std::string netdev;
};
ChangePointer change_soft_device(SoftDevice device, bool added);

} // namespace causeway
