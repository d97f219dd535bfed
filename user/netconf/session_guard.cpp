// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/session_guard.h"

#include "host/caller_session.h"
#include "host/interface_now.h"
#include "host/ipoib.h"

#include <algorithm>
#include <set>

namespace causeway {

namespace {

constexpr std::string_view upper_start = "upper_";

void add_above(World &world, const std::string &interface, std::set<std::string> &all) {
    if (!all.insert(interface).second) {
        return;
    }
    for (const std::string &name : world.files.list(net_folder(interface))) {
        if (name.compare(0, upper_start.size(), upper_start) == 0) {
            add_above(world, name.substr(upper_start.size()), all);
        }
    }
}

std::set<std::string> all_that_change(World &world, const std::vector<std::string> &interfaces) {
    std::set<std::string> all;
    for (const std::string &each : interfaces) {
        add_above(world, each, all);
    }
    for (const IpoibInterface &each : ipoib_interfaces(world.files, world.processes)) {
        if (!each.parent.empty() && all.count(each.parent) != 0) {
            add_above(world, each.name, all);
        }
    }
    return all;
}

std::set<std::string> addresses_of(World &world, const std::set<std::string> &interfaces) {
    std::set<std::string> addresses;
    for (const std::string &each : interfaces) {
        auto now = interface_now(world.processes, each);
        if (!now) {
            continue;
        }
        for (const AddressNow &address : now->addresses) {
            addresses.insert(address.address);
        }
    }
    return addresses;
}

// The interface by which packets to that address leave.
std::string way_to(World &world, const std::string &peer) {
    auto end = world.processes.run({"ip", "-json", "route", "get", peer});
    const auto told = end && end->good() ? Json::parse(end->out, nullptr, false) : Json();
    if (!told.is_array() || told.empty() || !told.front().is_object()) {
        return {};
    }
    const auto dev = told.front().find("dev");
    return dev != told.front().end() && dev->is_string() ? dev->get<std::string>() : "";
}

} // namespace

std::optional<Guard> guard_of_session(World &world, const std::vector<std::string> &interfaces) {
    const auto sessions = sessions_of_caller(world.places.of_others("proc"));
    if (sessions.empty()) {
        return std::nullopt;
    }
    const auto all = all_that_change(world, interfaces);
    const auto addresses = addresses_of(world, all);
    for (const SessionEnd &each : sessions) {
        const std::string peer = each.peer.host_text();
        if (all.count(each.scope) != 0 || addresses.count(each.local.host_text()) != 0 ||
            all.count(way_to(world, peer)) != 0) {
            return Guard{interfaces.front(), peer};
        }
    }
    return std::nullopt;
}

} // namespace causeway
