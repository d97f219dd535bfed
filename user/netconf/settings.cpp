// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/settings.h"

#include "base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sstream>

namespace causeway {

namespace {

struct Bits {
    std::array<std::uint8_t, 16> bytes{};
    unsigned int count = 0;
};

Bits bits_of(const SocketAddress &address) {
    Bits bits;
    const auto raw = address.bytes();
    const bool v6 = address.family() == AF_INET6;
    const std::size_t start =
        v6 ? offsetof(sockaddr_in6, sin6_addr) : offsetof(sockaddr_in, sin_addr);
    const std::size_t length = v6 ? sizeof(in6_addr) : sizeof(in_addr);
    std::copy_n(raw.begin() + static_cast<std::ptrdiff_t>(start), length, bits.bytes.begin());
    bits.count = static_cast<unsigned int>(length * 8);
    return bits;
}

bool bit(const Bits &bits, unsigned int place) {
    return ((bits.bytes[place / 8] >> (7 - place % 8)) & 1U) != 0;
}

// Returns true if all bits after the prefix have this value.
bool host_part_is(const Bits &bits, unsigned int length, bool value) {
    for (unsigned int place = length; place < bits.count; place++) {
        if (bit(bits, place) != value) {
            return false;
        }
    }
    return true;
}

Error no_address(const std::string &text, std::string_view why) {
    return Error{ExitCode::usage,
                 fmt::format("'{}' cannot be an interface's address: {}", text, why),
                 "give it with the length of its network, such as 10.0.0.1/24 or fd00::1/64"};
}

// RFC 1122, RFC 4291: returns why the address names no single host, or "".
std::string_view no_host(const Bits &bits) {
    if (host_part_is(bits, 0, false)) {
        return "it is the unspecified address";
    }
    const unsigned int first = bits.bytes.front();
    if (bits.count == 32 ? first >= 224 : first == 0xff) {
        return "it is of a group or reserved";
    }
    const bool loopback =
        bits.count == 32 ? first == 127 : host_part_is({bits.bytes, 127}, 0, false);
    return loopback ? "it is the loopback's" : "";
}

} // namespace

std::string InterfaceAddress::text() const {
    return fmt::format("{}/{}", address.host_text(), length);
}

bool InterfaceAddress::is_v6() const {
    return address.family() == AF_INET6;
}

bool InterfaceAddress::reaches(const SocketAddress &other) const {
    if (other.family() != address.family()) {
        return false;
    }
    const Bits ours = bits_of(address);
    const Bits theirs = bits_of(other);
    for (unsigned int place = 0; place < length; place++) {
        if (bit(ours, place) != bit(theirs, place)) {
            return false;
        }
    }
    return true;
}

bool InterfaceSettings::empty() const {
    return parent.empty() && mode.empty() && !mtu && addresses.empty() && dns.empty() &&
           routes.empty() && !dhcp4 && !auto6;
}

Result<InterfaceAddress> parse_interface_address(const std::string &text) {
    const std::size_t slash = text.find('/');
    const auto address = SocketAddress::from_text(text.substr(0, slash));
    if (!address) {
        return no_address(text, "that is no IP address");
    }
    if (slash == std::string::npos) {
        return no_address(text, "the length of its network is missing");
    }
    const Bits bits = bits_of(*address);
    auto length = parse_number("the length", text.substr(slash + 1), 1, bits.count);
    if (!length) {
        return no_address(text, fmt::format("the length is 1 to {}", bits.count));
    }
    InterfaceAddress parsed{*address, static_cast<unsigned int>(*length)};
    if (const std::string_view why = no_host(bits); !why.empty()) {
        return no_address(text, why);
    }
    // RFC 3021: a network of two addresses has neither a network address nor a broadcast address.
    if (parsed.length + 2 <= bits.count && host_part_is(bits, parsed.length, false)) {
        return no_address(text, "it names the network itself");
    }
    if (!parsed.is_v6() && parsed.length + 2 <= bits.count &&
        host_part_is(bits, parsed.length, true)) {
        return no_address(text, "it is the network's broadcast");
    }
    return parsed;
}

std::string InterfaceRoute::text() const {
    std::string text = destination.text();
    text += gateway ? fmt::format(" via {}", gateway->host_text()) : "";
    text += source ? fmt::format(" src {}", source->host_text()) : "";
    text += metric ? fmt::format(" metric {}", *metric) : "";
    return text + (onlink ? " onlink" : "");
}

Result<InterfaceRoute> parse_interface_route(const std::string &text) {
    const Error wrong{ExitCode::usage, fmt::format("'{}' is no route", text),
                      "write one such as 10.9.0.0/16 via 10.0.0.254 metric 100"};
    std::istringstream words(text);
    std::string word;
    words >> word;
    auto destination = parse_prefix(word, "the network");
    if (!destination) {
        return wrong;
    }
    InterfaceRoute route;
    route.destination = *destination;
    while (words >> word) {
        std::string value;
        if (word == "onlink") {
            route.onlink = true;
            continue;
        }
        if (!(words >> value)) {
            return wrong;
        }
        if (word == "metric") {
            auto metric = parse_number("metric", value, 1, UINT32_MAX);
            if (!metric) {
                return wrong;
            }
            route.metric = static_cast<unsigned int>(*metric);
            continue;
        }
        const auto address = SocketAddress::from_text(value);
        if (!address || address->family() != route.destination.family ||
            (word != "via" && word != "src")) {
            return wrong;
        }
        (word == "via" ? route.gateway : route.source) = *address;
    }
    return route;
}

Result<std::uint16_t> parse_pkey(const std::string &text) {
    const bool prefixed = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *start = text.data() + (prefixed ? 2 : 0);
    const char *end = text.data() + text.size();
    unsigned int number = 0;
    const auto [rest, failure] = std::from_chars(start, end, number, 16);
    if (start == end || rest != end || failure != std::errc() || number > 0xffff) {
        return Error{ExitCode::usage, fmt::format("'{}' is no P_Key", text),
                     "give four hexadecimal digits, such as 0x8001"};
    }
    if ((number & 0x7fffU) == 0) {
        return Error{ExitCode::usage, fmt::format("the P_Key {} names no partition", text),
                     "give one from 0x8001 to 0xffff"};
    }
    return static_cast<std::uint16_t>(number | full_member);
}

std::string pkey_text(std::uint16_t pkey) {
    return fmt::format("0x{:04x}", pkey);
}

std::string child_name(const std::string &parent, std::uint16_t pkey) {
    return fmt::format("{}.{:04x}", parent.substr(0, 10), pkey);
}

bool gateway_is_near(const std::vector<InterfaceAddress> &addresses, const SocketAddress &gateway) {
    const Bits bits = bits_of(gateway);
    // RFC 4861: IPv6 routers advertise themselves by their link-local address.
    const bool link_local =
        bits.count == 128 && bits.bytes[0] == 0xfe && (bits.bytes[1] & 0xc0U) == 0x80;
    return std::any_of(addresses.begin(), addresses.end(), [&](const InterfaceAddress &each) {
        return each.is_v6() == (bits.count == 128) && (link_local || each.reaches(gateway));
    });
}

Result<void> check_gateways(const InterfaceSettings &settings) {
    for (std::size_t i = 0; i < settings.gateways.size(); i++) {
        const SocketAddress &gateway = settings.gateways[i];
        for (std::size_t j = 0; j < i; j++) {
            if (settings.gateways[j].family() == gateway.family()) {
                return Error{ExitCode::usage,
                             fmt::format("{} and {} are two gateways of one family",
                                         settings.gateways[j].host_text(), gateway.host_text()),
                             "give one for IPv4 and one for IPv6 at most"};
            }
        }
        if (!gateway_is_near(settings.addresses, gateway)) {
            return Error{ExitCode::usage,
                         fmt::format("the gateway {} is in the network of no address of {}",
                                     gateway.host_text(), settings.name),
                         "give an address whose network has it"};
        }
    }
    return {};
}

} // namespace causeway
