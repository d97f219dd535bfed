// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/ib_address.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::uint8_t reliable_connected = 0x80; // RFC 4755
constexpr std::uint8_t unreliable_connected = 0x40;
constexpr std::uint8_t multicast = 0xff;
constexpr std::uint16_t first_multicast_lid = 0xc000;
constexpr std::uint16_t permissive_lid = 0xffff;

bool is_hex(std::string_view text) {
    return !text.empty() &&
           text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Parses groups of hexadecimal digits with colons between them. Each group has @bytes bytes.
template <std::size_t size>
std::optional<std::array<std::uint8_t, size>> parse_groups(std::string_view text,
                                                           std::size_t bytes) {
    std::array<std::uint8_t, size> out{};
    const std::size_t digits = bytes * 2;
    const std::size_t groups = size / bytes;
    if (text.size() != groups * digits + groups - 1) {
        return std::nullopt;
    }
    std::size_t at = 0;
    for (std::size_t group = 0; group < groups; group++) {
        const std::string_view part = text.substr(group * (digits + 1), digits);
        if (!is_hex(part) || (group != 0 && text[group * (digits + 1) - 1] != ':')) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < digits; i += 2) {
            out[at++] = static_cast<std::uint8_t>(
                std::strtoul(std::string(part.substr(i, 2)).c_str(), nullptr, 16));
        }
    }
    return out;
}

template <typename Bytes> std::string hex(const Bytes &bytes, std::size_t start, std::size_t end) {
    std::string text;
    for (std::size_t i = start; i < end; i++) {
        text += fmt::format("{:02x}", bytes[i]);
    }
    return text;
}

struct Maker {
    std::array<std::uint8_t, 3> oui;
    std::string_view name;
};
// The entries of the registry of organisationally unique identifiers that belong to makers of HCAs.
constexpr std::array makers = {
    Maker{{0x00, 0x02, 0xc9}, "Mellanox"}, Maker{{0xf4, 0x52, 0x14}, "Mellanox"},
    Maker{{0xe4, 0x1d, 0x2d}, "Mellanox"}, Maker{{0x7c, 0xfe, 0x90}, "Mellanox"},
    Maker{{0x24, 0x8a, 0x07}, "Mellanox"}, Maker{{0x50, 0x6b, 0x4b}, "Mellanox"},
    Maker{{0x98, 0x03, 0x9b}, "Mellanox"}, Maker{{0xb8, 0x59, 0x9f}, "Mellanox"},
    Maker{{0xec, 0x0d, 0x9a}, "Mellanox"}, Maker{{0x0c, 0x42, 0xa1}, "Mellanox"},
    Maker{{0xb8, 0xce, 0xf6}, "Mellanox"}, Maker{{0x00, 0x11, 0x75}, "QLogic, Intel: Omni-Path"},
    Maker{{0x00, 0x08, 0xf1}, "Voltaire"}, Maker{{0x00, 0x05, 0xad}, "Topspin, Cisco"},
};

std::string maker_of(const std::uint8_t *bytes) {
    for (const Maker &maker : makers) {
        if (std::equal(maker.oui.begin(), maker.oui.end(), bytes)) {
            return std::string(maker.name);
        }
    }
    return (bytes[0] & 2U) != 0 ? "made up on this machine (local bit)" : "";
}

Guid last_eight(const std::uint8_t *bytes) {
    Guid guid{};
    std::copy(bytes, bytes + guid.size(), guid.begin());
    return guid;
}

void add_guid(const Guid &guid, const std::string &name, AddressMeaning &meaning) {
    const bool of_ethernet = guid[3] == 0xff && guid[4] == 0xfe;
    std::string says = of_ethernet
                           ? fmt::format("of the Ethernet address {:02x}:{:02x}:{:02x}:{:02x}:"
                                         "{:02x}:{:02x}",
                                         guid[0] ^ 2U, guid[1], guid[2], guid[5], guid[6], guid[7])
                           : maker_of(guid.data());
    meaning.parts.push_back({name, guid_number(guid), says});
}

std::string prefix_meaning(const std::uint8_t *prefix) {
    const bool link_local =
        prefix[0] == 0xfe && prefix[1] == 0x80 &&
        std::all_of(prefix + 2, prefix + 8, [](std::uint8_t byte) { return byte == 0; });
    return link_local ? "the default subnet: no subnet manager has set another prefix"
                      : "set by the subnet manager, so that a router knows the subnet";
}

void explain_multicast(const Gid &gid, AddressMeaning &meaning) {
    meaning.parts.push_back({"multicast", hex(gid, 0, 2),
                             fmt::format("flags {:x}, scope {:x}: {}", gid[1] >> 4U, gid[1] & 0xfU,
                                         (gid[1] & 0xfU) == 2   ? "this subnet"
                                         : (gid[1] & 0xfU) == 5 ? "this site"
                                                                : "beyond this subnet")});
    const bool ipv4 = gid[2] == 0x40 && gid[3] == 0x1b;
    const bool ipv6 = gid[2] == 0x60 && gid[3] == 0x1b;
    if (ipv4 || ipv6) {
        meaning.parts.push_back(
            {"signature", hex(gid, 2, 4), ipv4 ? "IPv4 over InfiniBand" : "IPv6 over InfiniBand"});
        meaning.parts.push_back({"P_Key", "0x" + hex(gid, 4, 6), "partition of the group"});
        const bool broadcast = ipv4 && hex(gid, 12, 16) == "ffffffff";
        meaning.parts.push_back(
            {"group", hex(gid, 6, 16),
             broadcast ? "broadcast: every interface joins it first" : "low bits of the IP group"});
    }
}

AddressMeaning explain_gid(const Gid &gid) {
    AddressMeaning meaning{"GID", {}};
    const auto *bytes = gid.data();
    const bool mapped =
        std::all_of(bytes, bytes + 10, [](std::uint8_t byte) { return byte == 0; }) &&
        gid[10] == 0xff && gid[11] == 0xff;
    if (gid[0] == multicast) {
        explain_multicast(gid, meaning);
    } else if (mapped) {
        meaning.parts.push_back({"IPv4 address",
                                 fmt::format("{}.{}.{}.{}", gid[12], gid[13], gid[14], gid[15]),
                                 "RoCE: the device takes part as this address; v2 unless its type "
                                 "says v1"});
    } else {
        meaning.parts.push_back({"subnet prefix", "0x" + hex(gid, 0, 8), prefix_meaning(bytes)});
        add_guid(last_eight(bytes + 8), "interface GUID", meaning);
    }
    return meaning;
}

AddressMeaning explain_ipoib(const IpoibAddress &address) {
    AddressMeaning meaning{"IPoIB address", {}};
    const bool rc = (address[0] & reliable_connected) != 0;
    const bool uc = (address[0] & unreliable_connected) != 0;
    meaning.parts.push_back({"flags", fmt::format("0x{:02x}", address[0]),
                             rc   ? "can do connected mode"
                             : uc ? "can do unreliable connected mode"
                                  : "datagram mode only, as enhanced IPoIB of ConnectX-4 "
                                    "and later"});
    meaning.parts.push_back(
        {"queue pair", "0x" + hex(address, 1, 4), "changes whenever the interface is made anew"});
    meaning.parts.push_back(
        {"subnet prefix", "0x" + hex(address, 4, 12), prefix_meaning(address.data() + 4)});
    add_guid(last_eight(address.data() + 12), "port GUID", meaning);
    return meaning;
}

AddressMeaning explain_lid(std::uint16_t lid) {
    AddressMeaning meaning{"LID", {}};
    const char *says = lid == 0                ? "none: no subnet manager has given one"
                       : lid == permissive_lid ? "permissive: the port at the other end of the link"
                       : lid < first_multicast_lid
                           ? "unicast: one port, given by the subnet manager"
                           : "multicast: a group";
    meaning.parts.push_back({"LID", fmt::format("{} (0x{:x})", lid, lid), says});
    meaning.parts.push_back(
        {"given by", "MAD",
         "the subnet manager gives LIDs by management datagrams (MAD): packets of 256 bytes to "
         "queue "
         "pair 0 or 1 of a port; ibstat, opensm and the fabric verb send them through the module "
         "ib_umad"});
    return meaning;
}

AddressMeaning explain_ethernet(const EthernetAddress &address) {
    AddressMeaning meaning{"Ethernet address", {}};
    meaning.parts.push_back({"maker", hex(address, 0, 3), maker_of(address.data())});
    const Guid guid = guid_of(address);
    meaning.parts.push_back({"GUID", guid_number(guid), "of an RDMA device on it"});
    Gid gid{};
    gid[0] = 0xfe;
    gid[1] = 0x80;
    std::copy(guid.begin(), guid.end(), gid.begin() + 8);
    meaning.parts.push_back({"GID", gid_text(gid), "its first one, the link-local address"});
    return meaning;
}

} // namespace

std::optional<Guid> parse_guid(std::string_view text) {
    if (text.substr(0, 2) == "0x" && text.size() > 10 && text.size() <= 18) {
        const std::string digits = std::string(18 - text.size(), '0') + std::string(text.substr(2));
        return parse_groups<8>(digits, 8);
    }
    if (text.find(':') == std::string_view::npos) {
        return std::nullopt;
    }
    auto guid = parse_groups<8>(text, 2);
    return guid ? guid : parse_groups<8>(text, 1);
}

std::optional<Gid> parse_gid(const std::string &text) {
    Gid gid{};
    if (::inet_pton(AF_INET6, text.c_str(), gid.data()) != 1) {
        return std::nullopt;
    }
    return gid;
}

std::optional<IpoibAddress> parse_ipoib_address(std::string_view text) {
    return parse_groups<20>(text, 1);
}

std::optional<EthernetAddress> parse_ethernet_address(std::string_view text) {
    return parse_groups<6>(text, 1);
}

std::optional<std::uint16_t> parse_lid(std::string_view text) {
    const bool hexadecimal = text.substr(0, 2) == "0x";
    const std::string digits(hexadecimal ? text.substr(2) : text);
    const char *allowed = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    if (digits.empty() || digits.size() > 5 ||
        digits.find_first_not_of(allowed) != std::string::npos) {
        return std::nullopt;
    }
    const unsigned long number = std::strtoul(digits.c_str(), nullptr, hexadecimal ? 16 : 10);
    return number <= permissive_lid ? std::optional(static_cast<std::uint16_t>(number))
                                    : std::nullopt;
}

std::string guid_number(const Guid &guid) {
    return "0x" + hex(guid, 0, guid.size());
}

std::string gid_text(const Gid &gid) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, gid.data(), text.data(), text.size());
    return text.data();
}

Guid guid_of(const EthernetAddress &address) {
    return {static_cast<std::uint8_t>(address[0] ^ 2U),
            address[1],
            address[2],
            0xff,
            0xfe,
            address[3],
            address[4],
            address[5]};
}

std::optional<AddressMeaning> explain_address(const std::string &text) {
    if (const auto ipoib = parse_ipoib_address(text)) {
        return explain_ipoib(*ipoib);
    }
    if (const auto ethernet = parse_ethernet_address(text)) {
        return explain_ethernet(*ethernet);
    }
    if (const auto guid = parse_guid(text)) {
        AddressMeaning meaning{"GUID", {}};
        add_guid(*guid, "GUID", meaning);
        meaning.parts.push_back(
            {"kinds", "system image, node, port",
             "the system image GUID names an adapter or a chassis as a whole, the node GUID one "
             "device of it (an HCA or a switch), the port GUID one port; often they are "
             "neighbouring "
             "numbers; a port GUID is the end of the port's GID 0 and of the address of its IPoIB "
             "interface"});
        return meaning;
    }
    if (const auto gid = parse_gid(text)) {
        return explain_gid(*gid);
    }
    if (const auto lid = parse_lid(text)) {
        return explain_lid(*lid);
    }
    return std::nullopt;
}

} // namespace causeway
