// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/interface_now.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace causeway {

namespace {

using IpJson = nlohmann::json;

constexpr unsigned int usual_metric_v6 = 1024; // IP6_RT_PRIO_USER

std::string text_at(const IpJson &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

unsigned int number_at(const IpJson &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<unsigned int>() : 0;
}

bool flag_at(const IpJson &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

unsigned int lifetime_at(const IpJson &object, const char *key) {
    return object.contains(key) ? number_at(object, key) : endless_lifetime;
}

// Runs ip(8) and returns the objects of the array that it prints, without elements that are not
// objects. Empty output counts as an empty array.
Result<std::vector<IpJson>> ask_ip(Processes &processes, const std::vector<std::string> &words) {
    auto end = processes.run(words);
    if (!end || !end->good()) {
        return Error{ExitCode::unavailable,
                     fmt::format("cannot read what {} has now: {}", words.back(),
                                 end ? end->last_words() : end.error().what),
                     "the package iproute2 has ip(8)"};
    }
    std::vector<IpJson> objects;
    if (end->out.empty()) {
        return objects;
    }
    const auto told = IpJson::parse(end->out, nullptr, false);
    if (!told.is_array()) {
        return Error{ExitCode::unavailable,
                     fmt::format("cannot read what {} has now: ip says '{}'", words.back(),
                                 end->out.substr(0, 40)),
                     "Causeway needs iproute2 4.18 or later"};
    }
    std::copy_if(told.begin(), told.end(), std::back_inserter(objects),
                 [](const IpJson &each) { return each.is_object(); });
    return objects;
}

std::optional<AddressNow> parse_address(const IpJson &object) {
    AddressNow now;
    now.address = text_at(object, "local");
    now.length = number_at(object, "prefixlen");
    now.v6 = text_at(object, "family") == "inet6";
    now.dynamic =
        flag_at(object, "dynamic") || flag_at(object, "temporary") || flag_at(object, "mngtmpaddr");
    now.temporary = flag_at(object, "temporary");
    now.label = text_at(object, "label");
    now.peer = text_at(object, "address");
    now.valid = lifetime_at(object, "valid_life_time");
    now.preferred = lifetime_at(object, "preferred_life_time");
    const std::string scope = text_at(object, "scope");
    now.global = scope != "link" && scope != "host";
    return now.address.empty() ? std::nullopt : std::optional(now);
}

// Returns the property of a route that Causeway's profiles cannot express, or "". The hop limit and
// MTU of a router's advertisement do not count, because the next advertisement sets them again.
std::string oddity(const IpJson &object) {
    constexpr std::array odd = {"nexthops", "via", "encap", "metrics", "nhid", "tos"};
    const bool advertised = text_at(object, "protocol") == "ra";
    for (const char *key : odd) {
        if (object.contains(key) && !(advertised && key == std::string_view("metrics"))) {
            return key;
        }
    }
    const std::string type = text_at(object, "type");
    return type == "unicast" ? "" : type;
}

std::optional<RouteNow> parse_route(const IpJson &object, bool v6) {
    RouteNow route;
    route.protocol = text_at(object, "protocol");
    route.table = text_at(object, "table");
    if (route.protocol == "kernel" || route.table == "local") {
        return std::nullopt;
    }
    if (route.protocol == "boot" || route.protocol == "static") {
        route.protocol.clear();
    }
    if (route.table == "main") {
        route.table.clear();
    }
    route.v6 = v6;
    route.destination = text_at(object, "dst");
    if (route.destination.empty()) {
        return std::nullopt;
    }
    if (route.destination == "default") {
        route.destination = v6 ? "::/0" : "0.0.0.0/0";
    } else if (route.destination.find('/') == std::string::npos) {
        route.destination += v6 ? "/128" : "/32";
    }
    route.gateway = text_at(object, "gateway");
    route.source = text_at(object, "prefsrc");
    const unsigned int metric = number_at(object, "metric");
    if (metric != 0 && (!v6 || metric != usual_metric_v6)) {
        route.metric = metric;
    }
    if (const auto flags = object.find("flags"); flags != object.end() && flags->is_array()) {
        route.onlink = std::find(flags->begin(), flags->end(), "onlink") != flags->end();
    }
    route.odd = oddity(object);
    return route;
}

// Adds the routes of the main table, then those of the other tables.
Result<void> add_routes(Processes &processes, const std::string &interface, bool v6,
                        InterfaceNow &now) {
    for (const bool main : {true, false}) {
        std::vector<std::string> words = {"ip", "-json", v6 ? "-6" : "-4", "route", "show"};
        if (!main) {
            words.insert(words.end(), {"table", "all"});
        }
        words.insert(words.end(), {"dev", interface});
        auto routes = TRY(ask_ip(processes, words));
        for (const IpJson &object : routes) {
            auto route = parse_route(object, v6);
            if (!route || route->table.empty() != main) {
                continue;
            }
            const bool own = main && route->protocol.empty();
            (own ? now.routes : now.others).push_back(std::move(*route));
        }
    }
    return {};
}

} // namespace

std::string AddressNow::text() const {
    return fmt::format("{}/{}", address, length);
}

std::vector<std::string> RouteNow::words(const std::string &interface) const {
    std::vector<std::string> words = {destination};
    const auto add = [&](std::initializer_list<std::string> more) {
        words.insert(words.end(), more);
    };
    if (!gateway.empty()) {
        add({"via", gateway});
    }
    add({"dev", interface});
    if (!source.empty()) {
        add({"src", source});
    }
    if (metric) {
        add({"metric", fmt::format("{}", *metric)});
    }
    if (onlink) {
        add({"onlink"});
    }
    if (!protocol.empty()) {
        add({"proto", protocol});
    }
    if (!table.empty()) {
        add({"table", table});
    }
    return words;
}

bool InterfaceNow::has_any() const {
    return !routes.empty() || !others.empty() ||
           std::any_of(addresses.begin(), addresses.end(),
                       [](const AddressNow &each) { return each.global; });
}

Result<InterfaceNow> interface_now(Processes &processes, const std::string &interface) {
    InterfaceNow now;
    auto links = TRY(ask_ip(processes, {"ip", "-json", "address", "show", "dev", interface}));
    for (const IpJson &link : links) {
        const auto infos = link.find("addr_info");
        if (infos == link.end() || !infos->is_array()) {
            continue;
        }
        for (const IpJson &info : *infos) {
            const auto address = info.is_object() ? parse_address(info) : std::nullopt;
            if (address) {
                now.addresses.push_back(*address);
            }
        }
    }
    for (const bool v6 : {false, true}) {
        TRY(add_routes(processes, interface, v6, now));
    }
    return now;
}

} // namespace causeway
