// SPDX-License-Identifier: GPL-2.0-or-later
// The zones of firewalld: a packet belongs to the zone of its sender, or else to that of the
// interface by which it came, or else to the default zone.
#pragma once

#include "host/firewall.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct FirewalldZone {
    std::string name;
    std::vector<std::string> interfaces;
    std::vector<std::string> sources; // networks, and what else firewalld takes for one
};

// Of "firewall-cmd --get-active-zones".
std::vector<FirewalldZone> parse_active_zones(std::string_view text);

// The zones that packets from these networks (empty text: everywhere) to RDMA devices by software
// belong to. Without such a device the zone that is active; an error where several are. The zones
// "drop" and "block" are never among those of a sender: they are for hosts that are shut out.
Result<std::vector<std::string>> zones_of_devices(World &world,
                                                  const std::vector<RdmaDevice> &devices,
                                                  const std::vector<std::string> &networks);

} // namespace causeway
