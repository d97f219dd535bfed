// SPDX-License-Identifier: GPL-2.0-or-later
// Which networks are parts of others.
#pragma once

#include "host/prefix.h"

namespace causeway {

// Every address of the other one is in the network.
inline bool covers(const Prefix &network, const Prefix &other) {
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

} // namespace causeway
