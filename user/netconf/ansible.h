// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces as a playbook for the network role of RHEL's system roles.
#pragma once

#include "netconf/settings.h"

#include <string>
#include <vector>

namespace causeway {

// Returns one play, for the host of this name only because the addresses belong to it, with a
// connection for each interface.
std::string ansible_playbook(const std::string &host,
                             const std::vector<InterfaceSettings> &interfaces);

} // namespace causeway
