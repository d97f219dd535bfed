// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabric/links.h"

#include "host/rate.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <regex>
#include <set>
#include <utility>

namespace causeway {

namespace {

std::optional<LinkEnd> end_of(const std::smatch &match, std::size_t guid, std::size_t name,
                              std::size_t lid, std::size_t port) {
    const auto lid_number = whole_number(match[lid].str(), most_lid);
    const auto port_number = whole_number(match[port].str(), most_ports);
    if (!lid_number || !port_number) {
        return std::nullopt;
    }
    return LinkEnd{match[guid].str(), printable(match[name].str()),
                   static_cast<unsigned int>(*port_number), static_cast<unsigned int>(*lid_number)};
}

// Parses "Could be 12X Could be 10.0 Gbps". Each part may be missing.
bool parse_could(const std::string &text, LinkPort &port) {
    static const std::regex form("\\s*(?:Could be (\\d+X))?\\s*(?:Could be ([A-Za-z0-9. ]+))?\\s*");
    std::smatch match;
    if (!std::regex_match(text, match, form)) {
        return false;
    }
    port.could_width = match[1].str();
    port.could_speed = printable(match[2].str());
    return true;
}

// Parses what is behind the arrow, such as:
// 0x0000000000200000      2    3[  ] "SW1" (Could be 12X Could be 10.0 Gbps)
bool parse_far(const std::string &text, LinkPort &port) {
    static const std::regex connected(
        "(0x[0-9a-f]{16})\\s+(\\d+)\\s+(\\d+)\\[ *\\d*\\] \"(.*)\" \\((.*)\\)");
    static const std::regex unconnected("\\[ *\\] \"\" \\(\\s*\\)");
    std::smatch match;
    if (std::regex_match(text, match, connected)) {
        const auto far = end_of(match, 1, 4, 2, 3);
        port.connected = far.has_value();
        port.far = far.value_or(LinkEnd());
        return far && parse_could(match[5].str(), port);
    }
    port.silent = text == "\"Port not available\"";
    return port.silent || std::regex_match(text, unconnected);
}

// Parses a line such as:
// 0x... "SW1"  2  3[  ] ==( 4X  2.5 Gbps Active/  LinkUp)==>  0x... 4 3[  ] "SW2" ( )
// 0x... "SW1"  2  4[  ] ==(                Down/ Polling)==>             [  ] "" ( )
std::optional<LinkPort> parse_line(const std::string &line) {
    // The name of the near node ends at the first quote that the rest fits, so only that node can
    // pretend to be another.
    static const std::regex form(
        "(0x[0-9a-f]{16}) \"(.*?)\"\\s+(\\d+)\\s+(\\d+)\\[ *\\d*\\] ==\\((?:\\s*(\\d+X|undefined "
        "\\(\\d+\\))\\s+([A-Za-z0-9. ()]*[A-Za-z0-9)])\\s)?\\s*([A-Za-z]+)/\\s*([A-Za-z ]+)\\)==>"
        "\\s+(.*)");
    std::smatch match;
    if (!std::regex_match(line, match, form)) {
        return std::nullopt;
    }
    const auto near = end_of(match, 1, 2, 3, 4);
    LinkPort port;
    port.near = near.value_or(LinkEnd());
    port.width = match[5].str();
    port.speed = printable(match[6].str());
    port.state = match[7].str();
    port.physical = printable(match[8].str());
    return near && parse_far(match[9].str(), port) ? std::optional(port) : std::nullopt;
}

} // namespace

std::string LinkEnd::text() const {
    return fmt::format("{}/{}", name, port);
}

std::vector<LinkPort> parse_links(std::string_view text, Unread &unread) {
    std::vector<LinkPort> ports;
    for (const std::string &line : program_lines(text, unread)) {
        if (auto port = parse_line(line)) {
            ports.push_back(*std::move(port));
        } else {
            unread.add(line);
        }
    }
    return ports;
}

std::vector<LinkPort> links_once(const std::vector<LinkPort> &ports) {
    using End = std::pair<std::string, unsigned int>;
    std::set<std::pair<End, End>> seen;
    std::vector<LinkPort> links;
    for (const LinkPort &port : ports) {
        const End near(port.near.guid, port.near.port);
        const End far(port.far.guid, port.far.port);
        if (port.connected && seen.insert(std::minmax(near, far)).second) {
            links.push_back(port);
        }
    }
    return links;
}

std::string speed_name(const std::string &speed) {
    constexpr std::string_view fdr10 = "FDR10";
    if (speed.find(fdr10) != std::string::npos) {
        return std::string(fdr10);
    }
    for (const LaneSpeed &each : lane_speeds()) {
        const std::string number = fmt::format("{}", each.signalled);
        if (speed == number + " Gbps" || speed == number + ".0 Gbps") {
            return std::string(each.name);
        }
    }
    return speed;
}

} // namespace causeway
