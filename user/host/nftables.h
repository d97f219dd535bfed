// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of nftables as "nft -j list ruleset" lists them: which chains stop a packet to a port,
// and which rules are ours. iptables-nft and doctor's look at the firewall use the same reader.
#pragma once

#include "base/result.h"
#include "host/firewall.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace causeway {

// A chain that sees packets for this machine.
struct InputChain {
    std::string family; // "inet", "ip", "ip6"
    std::string table;
    std::string name;
    bool of_iptables = false; // iptables' own; rules of nftables would break its tools

    std::string text() const; // "inet filter input"
    // A chain of "ip" sees no packet that comes from an IPv6 network, and the other way round.
    bool sees(const OpenPort &port) const;
};

struct PlacedRule {
    InputChain chain;
    std::uint64_t handle = 0;
};

class Nftables {
  public:
    // An error where the text is not understood.
    static Result<Nftables> parse(const std::string &text);

    // The chains that may stop a new connection to this port from these networks. A chain that
    // stops only what it names, such as hosts that fail2ban bans, is not among them. Rules that
    // accept do not count: one may be for others.
    Result<std::vector<InputChain>> closing(const OpenPort &port) const;
    // False where such a connection is stopped for certain, from wherever it comes: a rule that
    // lets in some hosts or some interfaces may be the one that is meant.
    bool lets_in(const OpenPort &port) const;
    // The rules with the comment of this port, in "nft -j -a" too.
    Result<std::vector<PlacedRule>> rules_of(const OpenPort &port) const;

    struct Parts;

  private:
    explicit Nftables(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

    std::shared_ptr<const Parts> parts_;
};

// Runs nft.
Result<Nftables> read_nftables(World &world);

// The rule that lets it in, without the chain: "ip saddr 10.0.0.0/24 tcp dport 4793 accept comment
// \"causeway:4793/tcp from 10.0.0.0/24\"".
std::string nft_rule(const OpenPort &port);

} // namespace causeway
