// SPDX-License-Identifier: GPL-2.0-or-later
// The change of the name of an RDMA device.
#pragma once

#include "change/change.h"

#include <string>

namespace causeway {

ChangePointer change_device_name(std::string from, std::string to);

} // namespace causeway
