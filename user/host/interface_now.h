// SPDX-License-Identifier: GPL-2.0-or-later
// The addresses and routes that a network interface has now, from the JSON output of ip(8).
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
    bool dynamic = false; // from a lease or a router's advertisement
    bool global = false;  // false for addresses of the link or of the host only
    std::string label{};  // "ib0:vip"; empty: the interface's name
    std::string peer{};   // the peer address of a point-to-point link
    bool temporary = false;
    // Seconds until a lease ends.
    unsigned int valid = endless_lifetime;
    unsigned int preferred = endless_lifetime;

    std::string text() const; // "10.0.0.1/24"
};

struct RouteNow {
    std::string destination; // "10.9.0.0/16"; the default route: "0.0.0.0/0" or "::/0"
    bool v6 = false;
    std::string gateway{};
    std::string source{};
    std::optional<unsigned int> metric{}; // none for the kernel's defaults: 0, or 1024 for IPv6
    bool onlink = false;
    std::string odd{};      // a property that Causeway's profiles cannot express; else empty
    std::string protocol{}; // "dhcp", "ra", "bird"; empty: set by an administrator
    std::string table{};    // empty: the main table

    // Returns true for a route of a lease or of a router's advertisement.
    bool leased() const { return table.empty() && (protocol == "dhcp" || protocol == "ra"); }
    // Returns the arguments for "ip route replace".
    std::vector<std::string> words(const std::string &interface) const;
};

struct InterfaceNow {
    std::vector<AddressNow> addresses{};
    // Routes in the main table that an administrator set.
    std::vector<RouteNow> routes{};
    // All other routes except the kernel's own: those of leases, router advertisements and routing
    // daemons, and those in other tables.
    std::vector<RouteNow> others{};

    // Returns true if there is a route, or an address that is valid beyond the link.
    bool has_any() const;
};

// Returns an error if ip(8) cannot be run or its output is not understood.
Result<InterfaceNow> interface_now(Processes &processes, const std::string &interface);

} // namespace causeway
