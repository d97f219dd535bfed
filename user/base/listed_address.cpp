// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/listed_address.h"

#include "base/prefix.h"

#include <algorithm>
#include <array>

namespace causeway {

namespace {

constexpr std::array networks_of_none = {
    "0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4",
    "::/128",    "::ffff:0:0/96",  "fe80::/10",   "ff00::/8",
};

} // namespace

bool may_be_listed(const SocketAddress &address) {
    // The text of an address with a scope is not a prefix.
    const auto host = parse_prefix(address.host_text());
    return host && address.port() == 0 &&
           std::none_of(networks_of_none.begin(), networks_of_none.end(), [&](const char *text) {
               const auto network = parse_prefix(text);
               return network && covers(*network, *host);
           });
}

std::vector<SocketAddress> listed_addresses(std::vector<SocketAddress> addresses) {
    addresses.erase(std::remove_if(addresses.begin(), addresses.end(),
                                   [](const SocketAddress &one) { return !may_be_listed(one); }),
                    addresses.end());
    return addresses;
}

} // namespace causeway
