// SPDX-License-Identifier: GPL-2.0-or-later
// The ports that the machine's own firewall lets in: firewalld, ufw, or nftables without either.
// Packets of RoCE and InfiniBand adapters do not pass it.
#pragma once

#include "host/nftables.h"

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

struct FirewallFacts {
    std::string kind;              // "firewalld", "ufw", "nftables"; empty: none runs
    bool closes = false;           // drops what is not open
    std::optional<Nftables> rules; // of nftables; if set, only these decide
    // A rule accepts whole addresses or interfaces, so nothing is known about single ports.
    bool partly = false;
    std::vector<Opening> openings;

    bool lets_in(std::string_view protocol, std::uint16_t port) const;
};

// Parses the output of "firewall-cmd --list-ports", such as "22/tcp 5000-6000/udp".
std::vector<Opening> parse_firewalld_ports(std::string_view text);
// Parses the output of "firewall-cmd --list-rich-rules", one rule on each line: "rule family="ipv4"
// source address="10.0.0.0/24" port port="4791" protocol="udp" accept". A port that is open to some
// hosts counts as open.
std::vector<Opening> parse_firewalld_rules(std::string_view text);
struct FirewalldService {
    std::vector<Opening> ports;
    std::vector<std::string> includes; // other services that are open with it
};
// Parses the output of "firewall-cmd --info-service=NAME".
FirewalldService parse_firewalld_service(std::string_view text);
// Parses the output of "ufw status".
FirewallFacts parse_ufw(std::string_view text);

} // namespace causeway
