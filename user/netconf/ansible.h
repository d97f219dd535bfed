// SPDX-License-Identifier: GPL-2.0-or-later
// The same interfaces as a playbook for the network role of RHEL's system roles.
#pragma once

#include "netconf/settings.h"

#include <string>
#include <vector>

namespace causeway {

// One play, for all hosts, with a connection for each interface.
std::string ansible_playbook(const std::vector<InterfaceSettings> &interfaces);

} // namespace causeway
