// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the users of an adapter before a change of its port types: mlx4_change_port_types() of the
// kernel removes the RDMA device and the network interfaces of all ports, and makes them anew.
#pragma once

#include "machine/world.h"

#include <string>

namespace causeway {

// Returns an error (try_again) if a disk or a mount is connected by the RDMA device, or if another
// program or kernel module uses it. Also returns an error if the users are unknown. @verb is for
// the error.
Result<void> expect_adapter_unused(World &world, const std::string &device,
                                   const std::string &verb);

} // namespace causeway
