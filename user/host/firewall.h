// SPDX-License-Identifier: GPL-2.0-or-later
// Which firewall runs here, and what of it stops packets that come in.
#pragma once

#include "command/world.h"
#include "host/rdma_devices.h"

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
    std::string from{}; // "10.0.0.0/24"; empty: packets from everywhere are let in

    std::string text() const;   // "4793/tcp"
    std::string phrase() const; // "4793/tcp from 10.0.0.0/24", "4793/tcp from any"
    bool by_ipv6() const { return from.find(':') != std::string::npos; }
    bool operator==(const OpenPort &) const = default;
};
// The other way round.
Result<OpenPort> parse_open_port(const std::string &phrase);

// How packets of RDMA to this service pass the firewall: Soft-RoCE is UDP 4791 for all services,
// Soft-iWARP is TCP at the port of the service. What an adapter does (InfiniBand, RoCE, iWARP) does
// not pass it.
inline constexpr std::uint16_t roce_port = 4791;
std::vector<OpenPort> rdma_ports(const std::vector<RdmaDevice> &devices, std::uint16_t service);

// A chain of nftables that sees packets for this machine.
struct InputChain {
    std::string family; // "inet", "ip", "ip6"
    std::string table;
    std::string name;
    bool of_iptables = false; // iptables' own; rules of nftables would break its tools
    // Its policy is to drop, or a rule of it may drop packets of any new connection. A chain that
    // drops nothing but what it names, as that of fail2ban does, closes nothing.
    bool closes = false;

    std::string text() const; // "inet filter input"
    // A chain of "ip" sees no packet that comes from an IPv6 network, and the other way round.
    bool sees(const OpenPort &port) const;
};
// Those that nftables has now and that close something.
Result<std::vector<InputChain>> closing_chains(World &world);
// Of the answer to "nft -j list ruleset"; an error where that is not understood.
Result<std::vector<InputChain>> parse_input_chains(const std::string &text);

// The rule that lets it in, without the chain: "ip saddr 10.0.0.0/24 tcp dport 4793 accept comment
// \"causeway:4793/tcp from 10.0.0.0/24\"".
std::string nft_rule(const OpenPort &port);
struct PlacedRule {
    InputChain chain;
    std::uint64_t handle = 0;
};
// The rules with that comment, from "nft -j -a list chain ..." or "... list ruleset".
Result<std::vector<PlacedRule>> parse_rules_of(const OpenPort &port, const std::string &text);

} // namespace causeway
