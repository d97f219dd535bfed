// SPDX-License-Identifier: GPL-2.0-or-later
// Parses and explains InfiniBand addresses: LID, GUID, GID, and the 20 bytes of IP over InfiniBand
// (InfiniBand volume 1; RFC 4291, 4391, 4755).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

using Guid = std::array<std::uint8_t, 8>;
using Gid = std::array<std::uint8_t, 16>;
using IpoibAddress = std::array<std::uint8_t, 20>;
using EthernetAddress = std::array<std::uint8_t, 6>;

// Parses "0x0002c90300101234", "0002:c903:0010:1234" or "00:02:c9:03:00:10:12:34".
std::optional<Guid> parse_guid(std::string_view text);
// Parses the forms of IPv6 addresses: "fe80::2:c903:10:1234", "fe80:0000:...".
std::optional<Gid> parse_gid(const std::string &text);
// Parses 20 bytes in hexadecimal with colons between them.
std::optional<IpoibAddress> parse_ipoib_address(std::string_view text);
std::optional<EthernetAddress> parse_ethernet_address(std::string_view text);
// Parses "4" or "0x4", up to 16 bits.
std::optional<std::uint16_t> parse_lid(std::string_view text);

constexpr bool is_unicast_lid(std::uint16_t lid) {
    return lid >= 1 && lid <= 0xbfff;
}

// Returns "0x0002c90300101234".
std::string guid_number(const Guid &guid);
// Returns the GID in the form of an IPv6 address.
std::string gid_text(const Gid &gid);
// Returns the GUID of an Ethernet address: EUI-64 with the universal bit inverted (RFC 4291,
// appendix A).
Guid guid_of(const EthernetAddress &address);

// One line of an explanation.
struct AddressPart {
    std::string name;
    std::string value;
    std::string meaning;
};

struct AddressMeaning {
    std::string kind; // "GUID", "GID", "LID", "IPoIB address", "Ethernet address"
    std::vector<AddressPart> parts;
};

// Returns none if the text is none of these.
std::optional<AddressMeaning> explain_address(const std::string &text);

} // namespace causeway
