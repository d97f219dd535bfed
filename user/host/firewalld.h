// SPDX-License-Identifier: GPL-2.0-or-later
// The zones of firewalld. A packet belongs to the zone of its sender, else to that of the interface
// by which it came, else to the default zone.
#pragma once

#include "host/firewall.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct FirewalldZone {
    std::string name;
    std::vector<std::string> interfaces;
    // Networks, and other words that firewalld accepts as a source.
    std::vector<std::string> sources;
};

// Parses the output of "firewall-cmd --get-active-zones".
std::vector<FirewalldZone> parse_active_zones(std::string_view text);

// Returns the zones of packets to software RDMA devices: the zones of their interfaces, and zones
// with a source in @networks, except "drop" and "block", which are for hosts that must stay out.
// Without such a device, returns the one active zone, or an error if several are active.
Result<std::vector<std::string>> zones_of_devices(World &world,
                                                  const std::vector<RdmaDevice> &devices,
                                                  const std::vector<std::string> &networks);

} // namespace causeway
