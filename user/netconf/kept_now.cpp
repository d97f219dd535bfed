// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/kept_now.h"

#include "host/ipoib.h"
#include "netconf/addresses_change.h"
#include "profiles/reading.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

namespace causeway {

namespace {

constexpr std::chrono::seconds resolver_limit(10);

Error cannot_keep(const std::string &interface, const std::string &what) {
    return Error{
        ExitCode::unavailable,
        fmt::format("{} has {}, which a profile of causeway's cannot keep", interface, what),
        "write its profile by hand, or give --no-persist"};
}

template <typename Item> void add_new(std::vector<Item> &items, const Item &item) {
    if (std::find(items.begin(), items.end(), item) == items.end()) {
        items.push_back(item);
    }
}

bool is_one_of(const std::string &address, const std::vector<SocketAddress> &hosts) {
    return std::any_of(hosts.begin(), hosts.end(),
                       [&](const SocketAddress &each) { return each.host_text() == address; });
}

// An address of a lease that never ends is not marked as dynamic. It is recognised by the routes of
// the lease.
bool is_leased(const AddressNow &address, const InterfaceNow &now) {
    return std::any_of(now.others.begin(), now.others.end(), [&](const RouteNow &each) {
        return each.leased() && each.source == address.address;
    });
}

// A cluster moves such addresses between hosts. A profile would bring them back on this host.
void warn_of_cluster(const AddressNow &address, const std::string &interface,
                     std::vector<std::string> &warnings) {
    const bool labelled = !address.label.empty() && address.label != interface;
    const bool alone = address.length == (address.v6 ? 128U : 32U);
    if (labelled || alone) {
        warnings.push_back(fmt::format(
            "{} {}: if a cluster (keepalived, pacemaker) moves it, leave it out with --without {}",
            address.text(),
            labelled ? fmt::format("has the label {}", address.label) : "names one host alone",
            address.address));
    }
}

Result<void> keep_addresses(InterfaceSettings &settings, const InterfaceNow &now,
                            const std::vector<SocketAddress> &without,
                            std::vector<std::string> &warnings) {
    for (const AddressNow &each : now.addresses) {
        if (!each.global || is_one_of(each.address, without)) {
            continue;
        }
        if (each.dynamic || is_leased(each, now)) {
            (each.v6 ? settings.auto6 : settings.dhcp4) = true;
            continue;
        }
        auto address = parse_interface_address(each.text());
        if (!address || !each.peer.empty()) {
            return cannot_keep(settings.name,
                               fmt::format("the address {}{}", each.text(),
                                           each.peer.empty() ? "" : " with the peer " + each.peer));
        }
        if (std::find(settings.addresses.begin(), settings.addresses.end(), *address) ==
            settings.addresses.end()) {
            settings.addresses.push_back(*address);
            warn_of_cluster(each, settings.name, warnings);
        }
    }
    for (const RouteNow &each : now.others) {
        settings.dhcp4 = settings.dhcp4 || (each.leased() && !each.v6);
        settings.auto6 = settings.auto6 || (each.leased() && each.v6);
    }
    return {};
}

// If a route of the profile has no metric or source, the manager chose one. The first @of_profile
// routes are those of the profile.
bool has_route(const std::vector<InterfaceRoute> &routes, std::size_t of_profile,
               const InterfaceRoute &route) {
    for (std::size_t i = 0; i < routes.size(); i++) {
        const InterfaceRoute &each = routes[i];
        const bool by_manager = i < of_profile;
        const bool same_metric = each.metric == route.metric || (by_manager && !each.metric);
        const bool same_source = each.source == route.source || (by_manager && !each.source);
        if (each.destination == route.destination && each.gateway == route.gateway && same_metric &&
            same_source) {
            return true;
        }
    }
    return false;
}

void keep_route(InterfaceSettings &settings, const InterfaceRoute &route, std::size_t of_profile) {
    const bool of_all = route.destination.length == 0 && route.gateway;
    const auto gateway = std::find_if(
        settings.gateways.begin(), settings.gateways.end(),
        [&](const SocketAddress &each) { return (each.family() == AF_INET6) == route.is_v6(); });
    if (of_all && gateway != settings.gateways.end() && *gateway == *route.gateway) {
        return;
    }
    const bool plain = !route.metric && !route.source && !route.onlink;
    if (of_all && plain && gateway == settings.gateways.end() &&
        gateway_is_near(settings.addresses, *route.gateway)) {
        settings.gateways.push_back(*route.gateway);
    } else if (!has_route(settings.routes, of_profile, route)) {
        settings.routes.push_back(route);
    }
}

Result<void> keep_routes(InterfaceSettings &settings, const InterfaceNow &now) {
    const std::size_t of_profile = settings.routes.size();
    for (const RouteNow &each : now.routes) {
        const std::string named = fmt::format("the route {}", each.destination);
        if (!each.odd.empty()) {
            return cannot_keep(settings.name, fmt::format("{} with '{}'", named, each.odd));
        }
        auto destination = parse_prefix(each.destination, "the route");
        InterfaceRoute route;
        if (!each.gateway.empty()) {
            route.gateway = SocketAddress::from_text(each.gateway);
        }
        if (!each.source.empty()) {
            route.source = SocketAddress::from_text(each.source);
        }
        if (!destination || (!each.gateway.empty() && !route.gateway) ||
            (!each.source.empty() && !route.source)) {
            return cannot_keep(settings.name, named);
        }
        route.destination = *destination;
        route.metric = each.metric;
        route.onlink = each.onlink;
        // dhclient does not mark its default route as the route of a lease.
        if (settings.dhcp4 && !each.v6 && destination->length == 0 && !each.metric) {
            continue;
        }
        keep_route(settings, route, of_profile);
    }
    return {};
}

std::string text_of(const SocketAddress &address) {
    return address.host_text();
}
std::string text_of(const InterfaceAddress &address) {
    return address.text();
}
std::string text_of(const InterfaceRoute &route) {
    return route.text();
}

template <typename Item>
void add_news(std::vector<std::string> &news, std::string_view what,
              const std::vector<Item> &before, const std::vector<Item> &after) {
    for (const Item &each : after) {
        if (std::find(before.begin(), before.end(), each) == before.end()) {
            news.push_back(fmt::format("{} {}", what, text_of(each)));
        }
    }
}

std::optional<std::int64_t> end_of(unsigned int seconds) {
    return seconds == endless_lifetime
               ? std::nullopt
               : std::optional(static_cast<std::int64_t>(std::time(nullptr)) + seconds);
}

// Returns what systemd-resolved has for the interface: the words after "Link 3 (ib0): ".
std::vector<std::string> resolver_words(World &world, const char *what, const std::string &name) {
    auto end = world.processes.run({"resolvectl", what, name}, resolver_limit);
    if (!end || !end->good()) {
        return {};
    }
    const auto colon = end->out.find("): ");
    return colon == std::string::npos ? std::vector<std::string>()
                                      : split(end->out.substr(colon + 3), " \t\n");
}

// Keeps the name servers that systemd-resolved has for the interface. No other resolver has name
// servers for one interface.
void keep_name_servers(World &world, InterfaceSettings &settings,
                       std::vector<std::string> &warnings) {
    std::error_code failure;
    if (!settings.dns.empty() || settings.dhcp4 || settings.auto6 ||
        !std::filesystem::exists(world.places.of_others("run/systemd/resolve"), failure)) {
        return;
    }
    std::vector<std::string> left;
    for (const std::string &word : resolver_words(world, "dns", settings.name)) {
        if (const auto address = SocketAddress::from_text(word)) {
            add_new(settings.dns, *address);
        } else {
            left.push_back("the name server " + word);
        }
    }
    for (const std::string &word : resolver_words(world, "domain", settings.name)) {
        left.push_back("the search domain " + word);
    }
    if (!left.empty()) {
        warnings.push_back(fmt::format(
            "the profile of {} cannot say what systemd-resolved has for it now, and does not keep "
            "it: {}; set it in /etc/systemd/resolved.conf",
            settings.name, fmt::join(left, ", ")));
    }
}

} // namespace

Result<InterfaceNow> look_at_interface(World &world, const std::string &interface) {
    if (!world.files.has_folder(net_folder(interface))) {
        return InterfaceNow();
    }
    return interface_now(world.processes, interface);
}

Result<std::vector<std::string>> keep_what_is_now(World &world, InterfaceSettings &settings,
                                                  const InterfaceNow &now,
                                                  const std::vector<SocketAddress> &without) {
    std::vector<std::string> warnings;
    settings.addresses.erase(std::remove_if(settings.addresses.begin(), settings.addresses.end(),
                                            [&](const InterfaceAddress &each) {
                                                return is_one_of(each.address.host_text(), without);
                                            }),
                             settings.addresses.end());
    TRY(keep_addresses(settings, now, without, warnings));
    TRY(keep_routes(settings, now));
    keep_name_servers(world, settings, warnings);
    return warnings;
}

std::vector<std::string> news_of(const InterfaceSettings &before, const InterfaceSettings &after) {
    std::vector<std::string> news;
    add_news(news, "the address", before.addresses, after.addresses);
    add_news(news, "the gateway", before.gateways, after.gateways);
    add_news(news, "the route", before.routes, after.routes);
    add_news(news, "the name server", before.dns, after.dns);
    if (after.dhcp4 && !before.dhcp4) {
        news.emplace_back("DHCP");
    }
    if (after.auto6 && !before.auto6) {
        news.emplace_back("router advertisements");
    }
    return news;
}

ChangePointer hold_addresses(const InterfaceNow &now, const std::string &interface,
                             const InterfaceSettings *after) {
    if (!now.has_any()) {
        return nullptr;
    }
    HeldAddresses held;
    held.interface = interface;
    for (const AddressNow &each : now.addresses) {
        if (each.global && !each.dynamic) {
            held.addresses.push_back(each.text());
        } else if (each.global && !each.temporary) {
            held.leases.push_back({each.text(), end_of(each.valid), end_of(each.preferred)});
        }
    }
    for (const auto *routes : {&now.routes, &now.others}) {
        for (const RouteNow &each : *routes) {
            // The kernel, or the manager that listens to routers, learns such a route again. A
            // restored copy would never expire, and the kernel would not treat it as a router's
            // route.
            const bool advertised = each.protocol == "ra";
            if (each.odd.empty() && !advertised) {
                held.routes.push_back(each.words(interface));
            }
        }
    }
    if (after != nullptr) {
        for (const InterfaceAddress &each : after->addresses) {
            const std::string text = each.text();
            if (std::find(held.addresses.begin(), held.addresses.end(), text) ==
                held.addresses.end()) {
                held.brought.push_back(text);
            }
        }
    }
    return change_addresses(std::move(held));
}

} // namespace causeway
