// SPDX-License-Identifier: GPL-2.0-or-later
// Facts of doctor about files of other programs that concern IPoIB interfaces.
#pragma once

#include "doctor/facts.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct IpoibFacts {
    std::vector<std::string> full_address_rules; // udev rules that match all 20 bytes
    // Key: interface; value: the file that sets connected mode.
    std::map<std::string, std::string> connected_config;
};

// Returns true if a file of udev rules matches an interface by a whole IPoIB address.
bool names_by_full_address(std::string_view text);
// Returns the interfaces for which a file of NetworkManager, networkd or ifupdown sets connected
// mode.
std::vector<std::string> wants_connected(std::string_view text);

} // namespace causeway
