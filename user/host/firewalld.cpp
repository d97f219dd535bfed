// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/firewalld.h"

#include "base/append_once.h"
#include "base/prefix.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace causeway {

namespace {

Result<std::string> firewalld_says(World &world, const std::string &option) {
    auto end = TRY(world.processes.run({"firewall-cmd", option}));
    if (!end.good()) {
        return Error{ExitCode::failed,
                     fmt::format("firewall-cmd {} failed: {}", option, end.last_words()),
                     "see: systemctl status firewalld"};
    }
    return end.out;
}

bool sends_from(const FirewalldZone &zone, const std::vector<std::string> &networks) {
    return std::any_of(zone.sources.begin(), zone.sources.end(), [&](const std::string &text) {
        const auto source = parse_prefix(text);
        return source && std::any_of(networks.begin(), networks.end(), [&](const auto &each) {
                   const auto network = parse_prefix(each);
                   return network && (covers(*source, *network) || covers(*network, *source));
               });
    });
}

const FirewalldZone *zone_of(const std::vector<FirewalldZone> &zones,
                             const std::string &interface) {
    const auto found = std::find_if(zones.begin(), zones.end(), [&](const FirewalldZone &zone) {
        return std::find(zone.interfaces.begin(), zone.interfaces.end(), interface) !=
               zone.interfaces.end();
    });
    return found == zones.end() ? nullptr : &*found;
}

Error several_zones(const std::vector<FirewalldZone> &zones) {
    std::vector<std::string> names;
    for (const FirewalldZone &zone : zones) {
        names.push_back(zone.name);
    }
    return Error{ExitCode::usage,
                 fmt::format("firewalld has several active zones: {}", fmt::join(names, ", ")),
                 "name the zone that the clients' packets belong to: --zone ZONE; see: "
                 "firewall-cmd --get-active-zones"};
}

} // namespace

std::vector<FirewalldZone> parse_active_zones(std::string_view text) {
    std::vector<FirewalldZone> zones;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream stream(line);
        std::string first;
        if (!(stream >> first)) {
            continue;
        }
        if (line.front() != ' ' && line.front() != '\t') {
            zones.push_back({first, {}, {}}); // the line may go on with "(default)"
            continue;
        }
        for (std::string word; !zones.empty() && stream >> word;) {
            if (first == "interfaces:") {
                zones.back().interfaces.push_back(word);
            } else if (first == "sources:") {
                zones.back().sources.push_back(word);
            }
        }
    }
    return zones;
}

Result<std::vector<std::string>> zones_of_devices(World &world,
                                                  const std::vector<RdmaDevice> &devices,
                                                  const std::vector<std::string> &networks) {
    auto text = TRY(firewalld_says(world, "--get-active-zones"));
    auto usual = TRY(firewalld_says(world, "--get-default-zone"));
    const auto zones = parse_active_zones(text);
    std::vector<std::string> names;
    for (const RdmaDevice &device : devices) {
        if (!device.soft.empty()) {
            const FirewalldZone *zone = zone_of(zones, device.netdev);
            append_once(names, zone == nullptr ? usual : zone->name);
        }
    }
    if (names.empty()) {
        if (zones.size() > 1) {
            return several_zones(zones);
        }
        append_once(names, zones.empty() ? usual : zones.front().name);
    }
    for (const FirewalldZone &zone : zones) {
        if (zone.name != "drop" && zone.name != "block" && sends_from(zone, networks)) {
            append_once(names, zone.name);
        }
    }
    return names;
}

} // namespace causeway
