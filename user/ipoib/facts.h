// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor knows of files of others that concern IPoIB interfaces.
#pragma once

#include "doctor/facts.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct IpoibFacts {
    std::vector<std::string> full_address_rules;         // udev rules that match all 20 bytes
    std::map<std::string, std::string> connected_config; // interface: file that wants that mode
};

// Whether a file of udev rules names an interface by a whole IPoIB address.
bool names_by_full_address(std::string_view text);
// The interfaces for which a file of NetworkManager, networkd or ifupdown wants connected mode.
std::vector<std::string> wants_connected(std::string_view text);

} // namespace causeway
