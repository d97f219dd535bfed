// SPDX-License-Identifier: GPL-2.0-or-later
// The addresses and routes that a network interface has now, as ip(8) tells them in JSON.
#pragma once

#include "host/processes.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct AddressNow {
    std::string address; // "10.0.0.1"
    unsigned int length = 0;
    bool v6 = false;
    bool dynamic = false; // of a lease, or of a router's advertisement
    bool global = false;  // false for link-local ones and those of the host alone

    std::string text() const; // "10.0.0.1/24"
};

// One of the main table that somebody set: not the kernel's own for an address, nor one of a lease,
// a router's advertisement or a routing daemon.
struct RouteNow {
    std::string destination; // "10.9.0.0/16"; "0.0.0.0/0" and "::/0" for the default
    bool v6 = false;
    std::string gateway{};
    std::string source{};
    std::optional<unsigned int> metric{}; // without the kernel's own: 0, or 1024 of IPv6
    bool onlink = false;
    std::string odd{}; // what it has that no profile of Causeway's can say; else empty

    // The words behind "ip route replace".
    std::vector<std::string> words(const std::string &interface) const;
};

struct InterfaceNow {
    std::vector<AddressNow> addresses{};
    std::vector<RouteNow> routes{};

    // Whether there is an address that somebody gave it, or a route.
    bool has_static() const;
};

// An error where ip(8) cannot be asked.
Result<InterfaceNow> interface_now(Processes &processes, const std::string &interface);

} // namespace causeway
