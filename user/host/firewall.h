// SPDX-License-Identifier: GPL-2.0-or-later
// The firewall that runs here, and the parts of it that stop incoming packets.
#pragma once

#include "host/rdma_devices.h"
#include "machine/world.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

enum class Firewall { firewalld, ufw, nftables };

// Returns "firewalld", "ufw" or "nftables".
std::string_view firewall_name(Firewall firewall);

struct OpenPort {
    std::string protocol; // "tcp", "udp"
    std::uint16_t port = 0;
    std::string from{}; // "10.0.0.0/24"; empty: packets from any address are accepted

    std::string text() const;   // "4793/tcp"
    std::string phrase() const; // "4793/tcp from 10.0.0.0/24", "4793/tcp from any"
    bool by_ipv6() const { return from.find(':') != std::string::npos; }
    bool operator==(const OpenPort &) const = default;
};
// Parses the result of phrase().
Result<OpenPort> parse_open_port(const std::string &phrase);

// Returns the ports by which RDMA packets to this service pass the firewall: UDP 4791 for
// Soft-RoCE, whatever the service; TCP at the port of the service for Soft-iWARP. Packets of an
// adapter (InfiniBand, RoCE, iWARP) do not pass the firewall.
inline constexpr std::uint16_t roce_port = 4791;
std::vector<OpenPort> rdma_ports(const std::vector<RdmaDevice> &devices, std::uint16_t service);

// Returns firewalld or ufw if one of them runs, else nftables if its rules may close one of these
// ports, else none. firewalld and ufw make rules of nftables too, so they are asked first.
Result<std::optional<Firewall>> find_firewall(World &world, const std::vector<OpenPort> &ports);

} // namespace causeway
