// SPDX-License-Identifier: GPL-2.0-or-later
// The ports of the services for which "firewall open" opens ports, and which of them are needed.
#pragma once

#include "command/arguments.h"
#include "host/firewall.h"
#include "machine/world.h"

#include <array>
#include <string>
#include <vector>

namespace causeway {

// The options that name services.
inline constexpr std::array firewall_services = {"disks", "nfs", "stock", "soft"};

// Returns the ports that the named services need on this machine, open for any sender. Returns an
// error if --stock is given and there is no such export.
Result<std::vector<OpenPort>> needed_ports(World &world, const Arguments &arguments);

// Returns the ports that "firewall open" may have opened for the named services, whatever devices
// and exports the machine has now.
std::vector<OpenPort> possible_ports(World &world, const Arguments &arguments);

struct ServiceUse {
    OpenPort port;
    std::string service; // a word of firewall_services
};
// Returns the ports that the exports, folders and devices need that the machine has now.
std::vector<ServiceUse> ports_in_use(World &world);

// Returns the networks of --from; the text "" stands for any network. Without --from, none.
Result<std::vector<std::string>> parse_from(const Arguments &arguments);

} // namespace causeway
