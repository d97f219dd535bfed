// SPDX-License-Identifier: GPL-2.0-or-later
// Which firewall runs here, and what of it stops packets that come in.
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

// "firewalld", "ufw", "nftables".
std::string_view firewall_name(Firewall firewall);

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

// None where nothing closes one of these ports. firewalld and ufw make rules of nftables too, so
// they are asked first.
Result<std::optional<Firewall>> find_firewall(World &world, const std::vector<OpenPort> &ports);

} // namespace causeway
