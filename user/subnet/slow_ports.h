// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the rate of a partition with that of the ports of the fabric. A port that is slower than
// the broadcast group of its partition cannot join the group.
#pragma once

#include "machine/world.h"
#include "subnet/ports.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// A connected port of a host on a fabric.
struct HostPort {
    std::string name; // "host1/1", or "mlx4_0/1" for a port of this machine
    std::string guid;
    double gigabits = 0;
};
// Asks the fabric of a port of this machine through ibnetdiscover, for at most @limit. Returns an
// error if ibnetdiscover is missing or fails.
Result<std::vector<HostPort>> hosts_of_fabric(World &world, const SubnetPort &port,
                                              std::chrono::seconds limit);

// The ports that are slower than a partition.
struct SlowPorts {
    std::size_t count = 0;
    HostPort slowest;

    // Returns "2 of the fabric's ports are slower than 40 Gb/s and cannot join ...".
    std::string text(double gigabits) const;
};
std::optional<SlowPorts> slower_than(const std::vector<HostPort> &hosts, double gigabits);

// Returns warnings about hosts that are slower. Asks the fabrics of these ports of this machine
// through ibnetdiscover. If a fabric does not answer, compares this machine's ports alone, and a
// warning says so.
std::vector<std::string> warn_of_slow_ports(World &world, const std::vector<std::string> &guids,
                                            double gigabits);

} // namespace causeway
