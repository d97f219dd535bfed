// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of nftables, from "nft -j list ruleset": which chains stop a packet to a port, and
// which rules Causeway added. Also reads the rules of iptables-nft. doctor's findings about the
// firewall use this reader too.
#pragma once

#include "base/result.h"
#include "host/firewall.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace causeway {

// A chain that receives packets for this machine.
struct InputChain {
    std::string family; // "inet", "ip", "ip6"
    std::string table;
    std::string name;
    // Made by iptables; rules of nftables in it would break iptables' tools.
    bool of_iptables = false;

    std::string text() const; // "inet filter input"
    // Returns false if the port is for an IPv6 network and the chain's family is "ip", or the other
    // way round: such a chain receives none of these packets.
    bool sees(const OpenPort &port) const;
};

struct PlacedRule {
    InputChain chain;
    std::uint64_t handle = 0;
};

class Nftables {
  public:
    // Returns an error if the text is not understood.
    static Result<Nftables> parse(const std::string &text);

    // Returns the chains that may stop a new connection to this port from these networks. A chain
    // that stops only hosts that it names, such as hosts banned by fail2ban, is not among them.
    // Rules that accept do not count, because they may be for other hosts.
    Result<std::vector<InputChain>> closing(const OpenPort &port) const;
    // Returns false only if such a connection is certainly stopped, wherever it comes from. A rule
    // that accepts some hosts or some interfaces makes the result true, because it may be meant for
    // this connection.
    bool lets_in(const OpenPort &port) const;
    // Returns the rules that have the comment of this port; also works with "nft -j -a".
    Result<std::vector<PlacedRule>> rules_of(const OpenPort &port) const;

    struct Parts;

  private:
    explicit Nftables(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

    std::shared_ptr<const Parts> parts_;
};

// Runs nft. Returns an error if nft fails or its output is not understood.
Result<Nftables> read_nftables(World &world);

// Returns the rule that accepts this port, without the chain: "ip saddr 10.0.0.0/24 tcp dport 4793
// accept comment \"causeway:4793/tcp from 10.0.0.0/24\"".
std::string nft_rule(const OpenPort &port);

} // namespace causeway
