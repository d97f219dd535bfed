// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/prefix.h"

#include "base/units.h"

#include <arpa/inet.h>
#include <causeway.h>
#include <fmt/format.h>
#include <netinet/in.h>

namespace causeway {

namespace {

void clear_host_bits(Prefix &prefix) {
    for (std::size_t bit = prefix.length; bit < prefix.address_size() * 8; bit++) {
        prefix.bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> (bit % 8)));
    }
}

constexpr std::string_view examples =
    "give an address or a network, such as 10.0.0.5, 10.0.0.0/24 or fd00::/64";

// @right is the fix of the error for a text that is no network at all.
Result<Prefix> parse(std::string_view text, std::string_view subject, const std::string &right) {
    const std::size_t slash = text.find('/');
    const std::string address(text.substr(0, slash));
    Prefix prefix;
    if (inet_pton(AF_INET, address.c_str(), prefix.bytes.data()) == 1) {
        prefix.family = AF_INET;
    } else if (inet_pton(AF_INET6, address.c_str(), prefix.bytes.data()) == 1) {
        prefix.family = AF_INET6;
    } else {
        return Error{ExitCode::usage, fmt::format("{} '{}' is not a network", subject, text),
                     right};
    }
    const std::uint64_t most = prefix.address_size() * 8;
    prefix.length = static_cast<std::uint8_t>(most);
    if (slash != std::string_view::npos) {
        auto bits = TRY(parse_number(fmt::format("prefix length of {} '{}':", subject, text),
                                     text.substr(slash + 1), 0, most));
        prefix.length = static_cast<std::uint8_t>(bits);
    }
    const Prefix typed = prefix;
    clear_host_bits(prefix);
    if (!(typed == prefix)) {
        return Error{ExitCode::usage,
                     fmt::format("{} '{}' has bits set behind its prefix", subject, text),
                     fmt::format("give {} for the network or {}/{} for the one address",
                                 prefix.text(), address, most)};
    }
    return prefix;
}

} // namespace

std::size_t Prefix::address_size() const {
    return family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
}

std::string Prefix::text() const {
    std::array<char, INET6_ADDRSTRLEN> address{};
    if (inet_ntop(family, bytes.data(), address.data(), address.size()) == nullptr) {
        return "?";
    }
    return fmt::format("{}/{}", address.data(), length);
}

Result<Prefix> parse_prefix(std::string_view text, std::string_view subject) {
    return parse(text, subject, std::string(examples));
}

bool covers(const Prefix &network, const Prefix &other) {
    if (network.family != other.family || network.length > other.length) {
        return false;
    }
    for (std::size_t bit = 0; bit < network.length; bit++) {
        const unsigned int mask = 0x80U >> (bit % 8);
        if ((network.address()[bit / 8] & mask) != (other.address()[bit / 8] & mask)) {
            return false;
        }
    }
    return true;
}

Result<AllowList> parse_allow_list(const std::vector<std::string> &words,
                                   std::string_view subject) {
    AllowList list;
    for (const std::string &word : words) {
        if (word == "any") {
            list.any = true;
            continue;
        }
        auto prefix =
            TRY(parse(word, subject, fmt::format("{}; or any, for every host", examples)));
        list.networks.push_back(prefix);
    }
    if (list.any && !list.networks.empty()) {
        return Error{ExitCode::usage,
                     fmt::format("{} any stands for every host, and {} is given too", subject,
                                 list.networks.front().text()),
                     "give networks, or the one word any"};
    }
    if (list.networks.size() > CW_ALLOW_MAX) {
        return Error{ExitCode::usage,
                     fmt::format("{} names {} networks, and an export has at most {}", subject,
                                 list.networks.size(), CW_ALLOW_MAX),
                     "give larger networks, or any for every host"};
    }
    return list;
}

} // namespace causeway
