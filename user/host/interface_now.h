// SPDX-License-Identifier: GPL-2.0-or-later
// The addresses and routes that a network interface has now, as ip(8) tells them in JSON.
#pragma once

#include "machine/processes.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

inline constexpr unsigned int endless_lifetime = 0xffffffff;

struct AddressNow {
    std::string address; // "10.0.0.1"
    unsigned int length = 0;
    bool v6 = false;
    bool dynamic = false; // of a lease, or of a router's advertisement
    bool global = false;  // false for link-local ones and those of the host alone
    std::string label{};  // "ib0:vip"; empty where it is the interface's name
    std::string peer{};   // of a point-to-point link
    bool temporary = false;
    // Seconds that are left of a lease.
    unsigned int valid = endless_lifetime;
    unsigned int preferred = endless_lifetime;

    std::string text() const; // "10.0.0.1/24"
};

struct RouteNow {
    std::string destination; // "10.9.0.0/16"; "0.0.0.0/0" and "::/0" for the default
    bool v6 = false;
    std::string gateway{};
    std::string source{};
    std::optional<unsigned int> metric{}; // without the kernel's own: 0, or 1024 of IPv6
    bool onlink = false;
    std::string odd{};      // what it has that no profile of Causeway's can say; else empty
    std::string protocol{}; // "dhcp", "ra", "bird"; empty where an administrator set it
    std::string table{};    // empty: the main one

    // Of a lease or a router's advertisement.
    bool leased() const { return table.empty() && (protocol == "dhcp" || protocol == "ra"); }
    // The words behind "ip route replace".
    std::vector<std::string> words(const std::string &interface) const;
};

struct InterfaceNow {
    std::vector<AddressNow> addresses{};
    // Of the main table, and set by an administrator.
    std::vector<RouteNow> routes{};
    // All others but the kernel's own: of leases, routers' advertisements, routing daemons, and of
    // other tables.
    std::vector<RouteNow> others{};

    // Whether there is an address that reaches further than the link, or a route.
    bool has_any() const;
};

// An error where ip(8) cannot be asked.
Result<InterfaceNow> interface_now(Processes &processes, const std::string &interface);

} // namespace causeway
