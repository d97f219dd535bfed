// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the InfiniBand port of this machine from which programs of infiniband-diags work.
#pragma once

#include "base/result.h"
#include "host/rdma_devices.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct InfinibandPort {
    std::string device;
    unsigned int port = 0; // 0: the program takes the first active port of the device

    std::string text() const; // "mlx4_0/1", or "mlx4_0"
    // Returns the options of infiniband-diags that name the port: "-C mlx4_0 -P 1".
    std::vector<std::string> options() const;
};

bool has_infiniband(const RdmaDevice &device);
bool is_infiniband(const RdmaPort &port);

// Returns the port that "mlx4_0/1" or "mlx4_0" names. Returns an error if there is none, or if it
// is a port of RoCE or iWARP. @otherwise is the fix of that last error.
Result<InfinibandPort> find_infiniband_port(const std::vector<RdmaDevice> &devices,
                                            const std::string &typed, const std::string &otherwise);

} // namespace causeway
