// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/kept_now.h"

#include "host/ipoib.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sstream>
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

Result<void> keep_addresses(InterfaceSettings &settings, const InterfaceNow &now) {
    for (const AddressNow &each : now.addresses) {
        if (!each.global) {
            continue;
        }
        if (each.dynamic) {
            (each.v6 ? settings.auto6 : settings.dhcp4) = true;
            continue;
        }
        auto address = parse_interface_address(each.text());
        if (!address) {
            return cannot_keep(settings.name, fmt::format("the address {}", each.text()));
        }
        add_new(settings.addresses, *address);
    }
    return {};
}

bool has_route(const InterfaceSettings &settings, const InterfaceRoute &route) {
    return std::any_of(
        settings.routes.begin(), settings.routes.end(), [&](const InterfaceRoute &each) {
            return each.destination == route.destination && each.gateway == route.gateway;
        });
}

void keep_route(InterfaceSettings &settings, const InterfaceRoute &route) {
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
    } else if (!has_route(settings, route)) {
        settings.routes.push_back(route);
    }
}

Result<void> keep_routes(InterfaceSettings &settings, const InterfaceNow &now) {
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
        keep_route(settings, route);
    }
    return {};
}

// Those that systemd-resolved has for the interface; nobody else has them for one alone.
void keep_name_servers(World &world, InterfaceSettings &settings) {
    std::error_code failure;
    if (!settings.dns.empty() || settings.dhcp4 || settings.auto6 ||
        !std::filesystem::exists(world.places.of_others("run/systemd/resolve"), failure)) {
        return;
    }
    auto end = world.processes.run({"resolvectl", "dns", settings.name}, resolver_limit);
    if (!end || !end->good()) {
        return;
    }
    // "Link 3 (ib0): 10.0.0.53 fd00::53"
    std::istringstream words(end->out.substr(std::min(end->out.find("): "), end->out.size())));
    for (std::string word; words >> word;) {
        if (const auto address = SocketAddress::from_text(word)) {
            add_new(settings.dns, *address);
        }
    }
}

} // namespace

Result<InterfaceNow> look_at_interface(World &world, const std::string &interface) {
    if (!world.files.has_folder(net_folder(interface))) {
        return InterfaceNow();
    }
    return interface_now(world.processes, interface);
}

Result<void> keep_what_is_now(World &world, InterfaceSettings &settings, const InterfaceNow &now) {
    if (auto good = keep_addresses(settings, now); !good) {
        return good;
    }
    if (auto good = keep_routes(settings, now); !good) {
        return good;
    }
    keep_name_servers(world, settings);
    return {};
}

ChangePointer hold_addresses(const InterfaceNow &now, const std::string &interface,
                             const InterfaceSettings *after) {
    if (!now.has_static()) {
        return nullptr;
    }
    HeldAddresses held;
    held.interface = interface;
    for (const AddressNow &each : now.addresses) {
        if (each.global && !each.dynamic) {
            held.addresses.push_back(each.text());
        }
    }
    for (const RouteNow &each : now.routes) {
        if (each.odd.empty()) {
            held.routes.push_back(each.words(interface));
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
