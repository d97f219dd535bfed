// SPDX-License-Identifier: GPL-2.0-or-later
// An entry of an allow list: 10.0.0.0/24, fd00::/64, or one address.
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct Prefix {
    int family = 0;                       // AF_INET or AF_INET6
    std::array<std::uint8_t, 16> bytes{}; // network order; IPv4 uses the first four
    std::uint8_t length = 0;              // bits

    std::size_t address_size() const;
    std::span<const std::uint8_t> address() const {
        return std::span<const std::uint8_t>(bytes).first(address_size());
    }
    std::string text() const;

    bool operator==(const Prefix &) const = default;
};

// Bits behind the prefix must be zero; the error names both readings. subject: what was typed
// before it, for the error.
Result<Prefix> parse_prefix(std::string_view text, std::string_view subject = "--allow");

// Whether every address of the other network is in this one.
bool covers(const Prefix &network, const Prefix &other);

// Which hosts may use something: networks, or every host because an administrator said "any".
struct AllowList {
    std::vector<Prefix> networks;
    bool any = false;
};

// Networks, or the one word "any". No words at all give a list that is empty.
Result<AllowList> parse_allow_list(const std::vector<std::string> &words,
                                   std::string_view subject = "--allow");

} // namespace causeway
