// SPDX-License-Identifier: GPL-2.0-or-later
// Which firewall runs here, and what of it stops packets that come in.
#pragma once

#include "command/world.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

enum class Firewall { firewalld, ufw, nftables };

// "firewalld", "ufw", "nftables".
std::string_view firewall_name(Firewall firewall);

// None where nothing filters. firewalld and ufw make rules of nftables too, so they are asked
// first.
Result<std::optional<Firewall>> find_firewall(World &world);

struct OpenPort {
    std::string protocol; // "tcp", "udp"
    std::uint16_t port = 0;

    std::string text(char between = '/') const; // "4793/tcp"
};

// A chain of nftables that sees packets for this machine.
struct InputChain {
    std::string family; // "inet", "ip", "ip6"
    std::string table;
    std::string name;
    bool of_iptables = false; // iptables' own; rules of nftables would break its tools

    std::string text() const; // "inet filter input"
};
// Those that nftables has now.
Result<std::vector<InputChain>> input_chains(World &world);
// Of the answer to "nft -j list ruleset"; an error where that is not understood.
Result<std::vector<InputChain>> parse_input_chains(const std::string &text);

// The rule that lets it in, without the chain: "tcp dport 4793 accept comment
// \"causeway:4793/tcp\"".
std::string nft_rule(const OpenPort &port);
// Handles of the rules with that comment, from "nft -j -a list chain ...".
Result<std::vector<std::uint64_t>> parse_rules_of(const OpenPort &port, const std::string &text);

} // namespace causeway
