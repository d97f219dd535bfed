// SPDX-License-Identifier: GPL-2.0-or-later
// Which ports the machine's own firewall lets in: firewalld, ufw, or bare nftables. Hardware RoCE
// and InfiniBand do not pass it at all.
#pragma once

#include "host/nftables.h"
#include "machine/world.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct Opening {
    std::string protocol; // "tcp", "udp"; empty: both
    std::uint16_t first = 0;
    std::uint16_t last = 0;
};

struct FirewallSight {
    std::string kind;              // "firewalld", "ufw", "nftables"; empty where none runs
    bool closes = false;           // what is not opened is dropped
    std::optional<Nftables> rules; // of nftables: decide alone
    // A rule lets in whole addresses or interfaces, so that nothing is known of a port.
    bool partly = false;
    std::vector<Opening> openings;

    bool lets_in(std::string_view protocol, std::uint16_t port) const;
};

// "22/tcp 5000-6000/udp", as firewall-cmd --list-ports says.
std::vector<Opening> parse_firewalld_ports(std::string_view text);
// "rule family="ipv4" source address="10.0.0.0/24" port port="4791" protocol="udp" accept", one a
// line, as firewall-cmd --list-rich-rules says: a port that is open to some is taken as open.
std::vector<Opening> parse_firewalld_rules(std::string_view text);
// ufw status.
FirewallSight parse_ufw(std::string_view text);

// devices: those by software; the zones of firewalld are those of their interfaces.
FirewallSight see_firewall(World &world, const std::vector<RdmaDevice> &devices);

} // namespace causeway
