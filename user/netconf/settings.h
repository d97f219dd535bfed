// SPDX-License-Identifier: GPL-2.0-or-later
// How an IP over InfiniBand interface shall be at every boot, whatever manages the network here.
#pragma once

#include "base/prefix.h"
#include "base/result.h"
#include "base/socket_address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

inline constexpr const char *mode_connected = "connected";
inline constexpr const char *mode_datagram = "datagram";
inline constexpr unsigned int least_ipoib_mtu = 68; // RFC 791
// 4096 of InfiniBand less the header of RFC 4391.
inline constexpr unsigned int most_datagram_mtu = 4092;
inline constexpr unsigned int most_connected_mtu = 65520;
inline constexpr std::uint16_t full_member = 0x8000;

// An address with the length of its network: "10.0.0.1/24".
struct InterfaceAddress {
    SocketAddress address;
    unsigned int length = 0; // bits

    std::string text() const;
    bool is_v6() const;
    // Whether the other address is in its network.
    bool reaches(const SocketAddress &other) const;

    bool operator==(const InterfaceAddress &) const = default;
};

// "10.9.0.0/16 via 10.0.0.254 src 10.0.0.1 metric 100 onlink"; all behind the network may be
// absent.
struct InterfaceRoute {
    Prefix destination;
    std::optional<SocketAddress> gateway{};
    std::optional<SocketAddress> source{};
    std::optional<unsigned int> metric{};
    bool onlink = false; // the gateway is in the network of no address

    std::string text() const;
    bool is_v6() const { return destination.family == AF_INET6; }

    bool operator==(const InterfaceRoute &) const = default;
};
Result<InterfaceRoute> parse_interface_route(const std::string &text);

struct InterfaceSettings {
    std::string name;
    std::string backend;               // "nm", "networkd", "ifupdown"
    std::string parent{};              // of a P_Key child; else empty
    std::optional<std::uint16_t> pkey; // of a child, with the bit of full membership
    std::string mode{};                // "connected", "datagram"; empty: as the kernel chooses
    std::optional<unsigned int> mtu;
    std::vector<InterfaceAddress> addresses{};
    std::vector<SocketAddress> gateways{}; // at most one of each family
    std::vector<SocketAddress> dns{};
    std::vector<InterfaceRoute> routes{};
    bool dhcp4 = false;
    bool auto6 = false; // by advertisements of routers, and DHCPv6 where they say so

    // Nothing is said of it that would have to be kept.
    bool empty() const;

    bool operator==(const InterfaceSettings &) const = default;
};

// One that an interface can have: with its length, neither the network's own nor a group's.
Result<InterfaceAddress> parse_interface_address(const std::string &text);

// A partition: 0x8001, 8001 (both hexadecimal, as InfiniBand writes them). The kernel takes neither
// 0 nor 0x8000 and always asks for full membership, so that its bit is set in what is returned.
Result<std::uint16_t> parse_pkey(const std::string &text);
std::string pkey_text(std::uint16_t pkey);

// The name that the kernel gives a child made by sysfs (drivers/infiniband/ulp/ipoib/ipoib_vlan.c).
std::string child_name(const std::string &parent, std::uint16_t pkey);

// Whether a gateway is in the network of one of these addresses; a link-local one is where there is
// an address of IPv6.
bool gateway_is_near(const std::vector<InterfaceAddress> &addresses, const SocketAddress &gateway);

// Each gateway is in the network of an address of its family, and there is one of each at most.
Result<void> check_gateways(const InterfaceSettings &settings);

} // namespace causeway
