// SPDX-License-Identifier: GPL-2.0-or-later
// The settings that an IP over InfiniBand interface must have at every boot, for any network
// manager.
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
// 4096 bytes of InfiniBand minus the header of RFC 4391.
inline constexpr unsigned int most_datagram_mtu = 4092;
inline constexpr unsigned int most_connected_mtu = 65520;
inline constexpr std::uint16_t full_member = 0x8000;

// An address with the length of its network: "10.0.0.1/24".
struct InterfaceAddress {
    SocketAddress address;
    unsigned int length = 0; // bits

    std::string text() const;
    bool is_v6() const;
    // Returns true if the other address is in the network of this one.
    bool reaches(const SocketAddress &other) const;

    bool operator==(const InterfaceAddress &) const = default;
};

// A route, as text "10.9.0.0/16 via 10.0.0.254 src 10.0.0.1 metric 100 onlink". Everything after
// the network is optional.
struct InterfaceRoute {
    Prefix destination;
    std::optional<SocketAddress> gateway{};
    std::optional<SocketAddress> source{};
    std::optional<unsigned int> metric{};
    bool onlink = false; // no address of the interface has a network with the gateway

    std::string text() const;
    bool is_v6() const { return destination.family == AF_INET6; }

    bool operator==(const InterfaceRoute &) const = default;
};
// Parses the text of a route. Returns an error (usage) if any part is wrong.
Result<InterfaceRoute> parse_interface_route(const std::string &text);

struct InterfaceSettings {
    std::string name;
    std::string backend;               // "nm", "networkd", "ifupdown"
    std::string parent{};              // for a P_Key child; else empty
    std::optional<std::uint16_t> pkey; // for a child, with the full membership bit
    std::string mode{};                // "connected", "datagram"; empty: the kernel's default
    std::optional<unsigned int> mtu;
    std::vector<InterfaceAddress> addresses{};
    std::vector<SocketAddress> gateways{}; // at most one of each family
    std::vector<SocketAddress> dns{};
    std::vector<InterfaceRoute> routes{};
    bool dhcp4 = false;
    bool auto6 = false; // by router advertisements, and by DHCPv6 if they ask for it

    // Returns true if there is no setting that has to be kept.
    bool empty() const;

    bool operator==(const InterfaceSettings &) const = default;
};

// Parses an address with its prefix length, as an interface can have it. Returns an error for the
// address of a network, a broadcast or multicast address, and other addresses that name no single
// host.
Result<InterfaceAddress> parse_interface_address(const std::string &text);

// Parses a P_Key: 0x8001 or 8001 (both hexadecimal, as is usual for InfiniBand). Returns an error
// for 0 and 0x8000, which the kernel refuses. Sets the bit of full membership in the result,
// because the kernel always asks for it.
Result<std::uint16_t> parse_pkey(const std::string &text);
std::string pkey_text(std::uint16_t pkey);

// Returns the name that the kernel gives to a child made by sysfs
// (drivers/infiniband/ulp/ipoib/ipoib_vlan.c).
std::string child_name(const std::string &parent, std::uint16_t pkey);

// Returns true if a gateway is in the network of one of these addresses. A link-local gateway needs
// only some IPv6 address.
bool gateway_is_near(const std::vector<InterfaceAddress> &addresses, const SocketAddress &gateway);

// Returns an error unless each gateway is in the network of an address of its family, and each
// family has at most one gateway.
Result<void> check_gateways(const InterfaceSettings &settings);

} // namespace causeway
