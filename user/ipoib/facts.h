// SPDX-License-Identifier: GPL-2.0-or-later
// Facts of doctor about IPoIB interfaces: files of other programs, errors, and the hosts of their
// subnets.
#pragma once

#include "doctor/facts.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A host of an IPoIB subnet that replies to small packets, but not to packets as large as the MTU
// of this host's interface.
struct SmallerPeer {
    std::string peer;
    std::string interface;
    std::string mode; // of the interface
    unsigned int mtu = 0;
};

struct IpoibFacts {
    std::vector<std::string> full_address_rules; // udev rules that match all 20 bytes
    // Key: interface; value: the file that sets connected mode.
    std::map<std::string, std::string> connected_config;
    std::vector<SmallerPeer> smaller_peers;
    // Key: interface in connected mode; value: packets that it could not send or receive.
    std::map<std::string, std::uint64_t> errors;
    // Key: as above; value: packets that it has sent and received.
    std::map<std::string, std::uint64_t> packets;
};

// Returns true if a file of udev rules matches an interface by a whole IPoIB address.
bool names_by_full_address(std::string_view text);
// Returns the interfaces for which a file of NetworkManager, networkd or ifupdown sets connected
// mode.
std::vector<std::string> wants_connected(std::string_view text);
// Parses the output of "ip -json neigh show". Returns the IPv4 addresses of the neighbours that
// have answered.
std::vector<std::string> parse_neighbours(const std::string &json);

} // namespace causeway
