// SPDX-License-Identifier: GPL-2.0-or-later
// The rate of a port, to compare measurements with.
#pragma once

#include "host/rdma_devices.h"
#include "machine/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// Returns the bytes per second that the port can carry as data. Returns none for a software device,
// whose rate means nothing.
std::optional<double> usable_rate(const RdmaDevice &device, const RdmaPort &port);

// The ports over which the I/O of an attached disk goes.
struct DiskLinks {
    std::string text;             // "mlx5_0/1" or "mlx5_0/1 and mlx5_1/1"; empty: not known
    std::optional<double> usable; // of all together; none if one of them is not known
};

DiskLinks links_of_disk(KernelFiles &files, const std::vector<SessionInfo> &sessions,
                        const std::string &server, const std::string &name);

} // namespace causeway
