// SPDX-License-Identifier: GPL-2.0-or-later
#include "firewall/facts.h"

#include "doctor/facts.h"
#include "host/firewalld.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace causeway {

namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream stream{std::string(text)};
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

// Parses "4793", "5000-6000" or "5000:6000". Returns none for any other text.
std::optional<Opening> parse_range(const std::string &text, const std::string &protocol) {
    if (text.empty() || text.find_first_not_of("0123456789-:") != std::string::npos) {
        return std::nullopt;
    }
    const std::size_t middle = text.find_first_of("-:");
    const auto number = [](const std::string &digits) {
        return static_cast<std::uint16_t>(std::strtoul(digits.c_str(), nullptr, 10));
    };
    const std::uint16_t first = number(text.substr(0, middle));
    return Opening{protocol, first,
                   middle == std::string::npos ? first : number(text.substr(middle + 1))};
}

std::optional<Opening> parse_with_protocol(const std::string &word) {
    const std::size_t slash = word.find('/');
    return parse_range(word.substr(0, slash),
                       slash == std::string::npos ? "" : word.substr(slash + 1));
}

bool has(const std::vector<std::string> &words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string output_of(World &world, const std::vector<std::string> &words) {
    if (!world.processes.there(words.front())) {
        return {};
    }
    const auto end = world.processes.run(words, std::chrono::seconds(10));
    return end && end->good() ? end->out : std::string();
}

} // namespace

bool FirewallFacts::lets_in(std::string_view protocol, std::uint16_t port) const {
    if (rules) {
        return rules->lets_in({std::string(protocol), port});
    }
    return !closes || partly ||
           std::any_of(openings.begin(), openings.end(), [&](const Opening &opening) {
               return (opening.protocol.empty() || opening.protocol == protocol) &&
                      opening.first <= port && port <= opening.last;
           });
}

std::vector<Opening> parse_firewalld_ports(std::string_view text) {
    std::vector<Opening> openings;
    for (const std::string &word : words_of(text)) {
        if (const auto opening = parse_with_protocol(word)) {
            openings.push_back(*opening);
        }
    }
    return openings;
}

std::vector<Opening> parse_firewalld_rules(std::string_view text) {
    // Returns the value of name="value".
    const auto value = [](const std::string &word, std::string_view name) -> std::string {
        const bool is = word.size() > name.size() + 3 && word.substr(0, name.size()) == name &&
                        word.substr(name.size(), 2) == "=\"" && word.back() == '"';
        return is ? word.substr(name.size() + 2, word.size() - name.size() - 3) : "";
    };
    std::vector<Opening> openings;
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        const auto words = words_of(line);
        const auto port = std::find(words.begin(), words.end(), "port");
        if (port == words.end() || !has(words, "accept")) {
            continue;
        }
        std::string number;
        std::string protocol;
        for (auto word = port; word != words.end(); ++word) {
            number += value(*word, "port");
            protocol += value(*word, "protocol");
        }
        if (const auto opening = parse_range(number, protocol)) {
            openings.push_back(*opening);
        }
    }
    return openings;
}

FirewalldService parse_firewalld_service(std::string_view text) {
    FirewalldService service;
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        auto words = words_of(line);
        if (words.empty()) {
            continue;
        }
        const std::string key = words.front();
        words.erase(words.begin());
        if (key == "ports:") {
            service.ports = parse_firewalld_ports(line);
        } else if (key == "includes:") {
            service.includes = std::move(words);
        }
    }
    return service;
}

FirewallFacts parse_ufw(std::string_view text) {
    FirewallFacts firewall;
    firewall.kind = "ufw";
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        const auto words = words_of(line);
        if (words.size() >= 2 && words[0] == "Status:") {
            firewall.closes = words[1] == "active";
        } else if (words.size() >= 2 && has(words, "ALLOW")) {
            const auto opening = parse_with_protocol(words.front());
            if (opening) {
                firewall.openings.push_back(*opening);
            }
            firewall.partly |= words.front() == "Anywhere";
        }
    }
    return firewall;
}

namespace {

// Returns the ports of a service of firewalld and of those that it includes. @seen are services
// that were read already.
std::vector<Opening> ports_of_service(World &world, const std::string &service,
                                      std::set<std::string> &seen) {
    std::vector<Opening> openings;
    if (!seen.insert(service).second) {
        return openings;
    }
    const FirewalldService told =
        parse_firewalld_service(output_of(world, {"firewall-cmd", "--info-service=" + service}));
    openings = told.ports;
    for (const std::string &each : told.includes) {
        const auto more = ports_of_service(world, each, seen);
        openings.insert(openings.end(), more.begin(), more.end());
    }
    return openings;
}

// A port that is open in one of the zones counts as open, because nothing is known about the
// clients.
FirewallFacts read_firewalld(World &world, const std::vector<RdmaDevice> &devices) {
    FirewallFacts firewall;
    firewall.kind = "firewalld";
    firewall.closes = true;
    std::vector<std::string> zones = {""};
    if (auto found = zones_of_devices(world, devices, {})) {
        zones = *std::move(found);
    }
    for (const FirewalldZone &zone :
         parse_active_zones(output_of(world, {"firewall-cmd", "--get-active-zones"}))) {
        if (!zone.sources.empty() && !has(zones, zone.name)) {
            zones.push_back(zone.name);
        }
    }
    std::set<std::string> services;
    for (const std::string &zone : zones) {
        const auto says = [&](const char *option) {
            return output_of(world, zone.empty() ? std::vector<std::string>{"firewall-cmd", option}
                                                 : std::vector<std::string>{
                                                       "firewall-cmd", "--zone=" + zone, option});
        };
        for (const auto &openings : {parse_firewalld_ports(says("--list-ports")),
                                     parse_firewalld_rules(says("--list-rich-rules"))}) {
            firewall.openings.insert(firewall.openings.end(), openings.begin(), openings.end());
        }
        for (const std::string &service : words_of(says("--list-services"))) {
            const auto openings = ports_of_service(world, service, services);
            firewall.openings.insert(firewall.openings.end(), openings.begin(), openings.end());
        }
        firewall.partly |= says("--list-all").find("target: ACCEPT") != std::string::npos;
    }
    return firewall;
}

// @devices are software devices; for firewalld, the zones of their interfaces count.
FirewallFacts read_firewall(World &world, const std::vector<RdmaDevice> &devices) {
    if (output_of(world, {"firewall-cmd", "--state"}) == "running") {
        return read_firewalld(world, devices);
    }
    if (FirewallFacts firewall = parse_ufw(output_of(world, {"ufw", "status"})); firewall.closes) {
        return firewall;
    }
    FirewallFacts firewall;
    if (auto rules = Nftables::parse(output_of(world, {"nft", "-j", "list", "ruleset"}))) {
        firewall.kind = "nftables";
        firewall.closes = true;
        firewall.rules = *std::move(rules);
    }
    return firewall;
}

const FactSource firewall_facts([](World &world, Facts &facts) {
    std::vector<RdmaDevice> soft;
    for (const DeviceFacts &each : facts.devices) {
        if (!each.device.soft.empty()) {
            soft.push_back(each.device);
        }
    }
    facts.of<FirewallFacts>() = read_firewall(world, soft);
});

} // namespace

} // namespace causeway
