// SPDX-License-Identifier: GPL-2.0-or-later
// The same interfaces as a playbook for the network role of RHEL's system roles.
#pragma once

#include "netconf/settings.h"

#include <string>
#include <vector>

namespace causeway {

// One play, for the host of this name, with a connection for each interface: the addresses are one
// host's own.
std::string ansible_playbook(const std::string &host,
                             const std::vector<InterfaceSettings> &interfaces);

} // namespace causeway
