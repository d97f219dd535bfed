// SPDX-License-Identifier: GPL-2.0-or-later
// The change by which undo restores the addresses and routes of an interface.
#pragma once

#include "change/change.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// The addresses and routes that an interface has before the files of its network manager are
// changed. Undo restores them.
struct HeldAddresses {
    std::string interface;
    std::vector<std::string> addresses{};           // "10.0.0.1/24"
    std::vector<std::string> brought{};             // added by the change; undo deletes them
    std::vector<std::vector<std::string>> routes{}; // the arguments of "ip route replace"
    struct Lease {
        std::string address;
        // Seconds since 1970 at which the lifetime ends; none: it does not end.
        std::optional<std::int64_t> valid{};
        std::optional<std::int64_t> preferred{};
    };
    std::vector<Lease> leases{};
};
ChangePointer change_addresses(HeldAddresses held);

} // namespace causeway
