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

// Parses an address or a network. Bits behind the prefix must be zero; the error names both
// possible readings. @subject is the option before the text, for the error.
Result<Prefix> parse_prefix(std::string_view text, std::string_view subject = "--allow");

// Returns true if every address of @other is in @network.
bool covers(const Prefix &network, const Prefix &other);

// The hosts that may use an export: those of the networks, or every host because an administrator
// gave "any".
struct AllowList {
    std::vector<Prefix> networks;
    bool any = false;
};

// Parses networks, or the one word "any". Without words the list is empty.
Result<AllowList> parse_allow_list(const std::vector<std::string> &words,
                                   std::string_view subject = "--allow");

} // namespace causeway
