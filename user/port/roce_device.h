// SPDX-License-Identifier: GPL-2.0-or-later
// Devices with ports of RoCE, for the verbs that set how connections of such a device are made.
#pragma once

#include "base/result.h"
#include "host/rdma_devices.h"

#include <string>

namespace causeway {

bool is_roce(const RdmaDevice &device, const RdmaPort &port);

// Returns the device of this name. Returns an error if there is none, or if none of its ports is a
// port of RoCE.
Result<RdmaDevice> find_roce_device(KernelFiles &files, const std::string &name);

} // namespace causeway
