// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about links, addresses and counters.
#include "fabric/checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace causeway {

namespace {

using Findings = std::vector<FabricFinding>;

bool carries(const LinkPort &port) {
    return port.state == "Active";
}

std::string link_text(const LinkPort &port) {
    return fmt::format("the link of {} to {}", port.near.text(), port.far.text());
}

std::string state_text(const LinkPort &port) {
    return fmt::format("{} (physical state {})", port.state, port.physical);
}

// A link that is up, and that the subnet manager has not made active.
void check_state(const LinkPort &port, Findings &found) {
    if (port.state == "Initialize") {
        found.push_back({"link-not-managed", Severity::error, port.near.text(),
                         fmt::format("{} is in state {}: no subnet manager has configured it",
                                     link_text(port), state_text(port)),
                         "causeway sm status; start a subnet manager: causeway sm enable"});
    } else if (port.state == "Armed") {
        found.push_back({"link-armed", Severity::warning, port.near.text(),
                         fmt::format("{} is in state {}: the subnet manager has not activated it",
                                     link_text(port), state_text(port)),
                         "read the log of the subnet manager"});
    } else if (port.state != "Active" && port.state != "Down") {
        found.push_back({"link-state-unknown", Severity::warning, port.near.text(),
                         fmt::format("{} is in state {}", link_text(port), state_text(port)),
                         fmt::format("ibportstate {} {} query", port.near.lid, port.near.port)});
    }
}

// A port without a working link. A port that polls has no cable, or its far end is off.
void check_down(const LinkPort &port, Findings &found) {
    if (port.silent) {
        found.push_back({"far-end-silent", Severity::warning, port.near.text(),
                         fmt::format("{} is up ({}), and the node at its far end does not reply",
                                     port.near.text(), state_text(port)),
                         "see whether the far host hangs; replace the cable"});
    } else if (port.state == "Down" && port.physical == "Disabled") {
        found.push_back({"port-disabled", Severity::notice, port.near.text(),
                         fmt::format("{} is disabled", port.near.text()),
                         port.near.lid == 0 ? "causeway port enable DEVICE/PORT, on that host"
                                            : fmt::format("ibportstate {} {} enable", port.near.lid,
                                                          port.near.port)});
    } else if (port.state == "Down" && port.physical != "Polling" && port.physical != "Sleep") {
        found.push_back({"link-does-not-train", Severity::warning, port.near.text(),
                         fmt::format("{} does not come up: its physical state is {}",
                                     port.near.text(), port.physical),
                         "replace the cable, and compare the firmware of both ends"});
    }
}

void check_width(const LinkPort &port, const ExpectedLink &expected, Findings &found) {
    if (expected.width.empty() && !port.could_width.empty()) {
        found.push_back({"link-width-low", Severity::warning, port.near.text(),
                         fmt::format("{} has width {}, and both ends support {}", link_text(port),
                                     port.width, port.could_width),
                         "plug in or replace the cable: a lane is broken"});
    } else if (!expected.width.empty() && port.width != expected.width) {
        found.push_back({"link-width-unexpected", Severity::warning, port.near.text(),
                         fmt::format("{} has width {}, expected is {}", link_text(port), port.width,
                                     expected.width),
                         "plug in or replace the cable; compare the adapters"});
    }
}

void check_speed(const LinkPort &port, const ExpectedLink &expected, Findings &found) {
    if (expected.speed.empty() && !port.could_speed.empty()) {
        found.push_back({"link-speed-low", Severity::warning, port.near.text(),
                         fmt::format("{} has {} a lane, and both ends support {}", link_text(port),
                                     port.speed, port.could_speed),
                         "use a cable that is made for this speed; see which speeds are enabled"});
    } else if (!expected.speed.empty() && speed_name(port.speed) != expected.speed) {
        found.push_back({"link-speed-unexpected", Severity::warning, port.near.text(),
                         fmt::format("{} has speed {} ({} a lane), expected is {}", link_text(port),
                                     speed_name(port.speed), port.speed, expected.speed),
                         "use a cable that is made for this speed; compare the adapters"});
    }
}

// A LID of 0 on an active port. All ports of a switch have one LID, so a switch is reported once.
void check_lids(const std::vector<LinkPort> &ports, Findings &found) {
    std::set<std::string> seen;
    for (const LinkPort &port : ports) {
        if (carries(port) && port.near.lid == 0 && seen.insert(port.near.guid).second) {
            found.push_back({"lid-missing", Severity::error, port.near.text(),
                             fmt::format("{} is active and has no LID", port.near.text()),
                             "restart the subnet manager"});
        }
    }
}

/* ---- addresses ---- */

using PortName = std::pair<std::string, unsigned int>; // id of the node, port

// Two nodes with one GUID look like one node, to whose port two links lead.
void check_node_guids(const std::vector<FabricNode> &nodes, Findings &found) {
    std::map<PortName, std::vector<const FabricLink *>> leading;
    for (const FabricNode &node : nodes) {
        for (const FabricLink &link : node.links) {
            leading[{link.far.id, link.far.port}].push_back(&link);
        }
    }
    for (const auto &[port, links] : leading) {
        std::set<std::string> names;
        for (const FabricLink *link : links) {
            names.insert(link->near.text());
        }
        if (names.size() > 1) {
            const std::string guid = "0x" + port.first.substr(2);
            found.push_back(
                {"node-guid-duplicate", Severity::error, guid,
                 fmt::format("port {} of the node with GUID {} ({}) is at the far end of {}: "
                             "several nodes have this GUID",
                             port.second, guid, links.front()->far.name,
                             fmt::join(names, " and of ")),
                 "give one of them its own GUID: mstflint -guid GUID sg; a switch: its "
                 "management"});
        }
    }
}

void check_port_guids(const std::vector<FabricNode> &nodes, Findings &found) {
    std::map<std::string, std::set<std::string>> owners;
    for (const FabricNode &node : nodes) {
        for (const FabricLink &link : node.links) {
            if (!link.guid.empty()) {
                owners[link.guid].insert(link.near.text());
            }
        }
    }
    for (const auto &[guid, ports] : owners) {
        if (ports.size() > 1) {
            found.push_back(
                {"port-guid-duplicate", Severity::error, guid,
                 fmt::format("{} have the port GUID {}", fmt::join(ports, " and "), guid),
                 "give one of them its own GUID: mstflint -guid GUID sg"});
        }
    }
}

struct LidRange {
    unsigned int first = 0;
    unsigned int last = 0;
    std::string port;
};

void check_duplicate_lids(const std::vector<FabricNode> &nodes, Findings &found) {
    std::vector<LidRange> ranges;
    for (const FabricNode &node : nodes) {
        if (node.lid != 0) {
            ranges.push_back({node.lid, node.lid + (1U << node.lmc) - 1, node.name});
        }
        for (const FabricLink &link : node.links) {
            if (link.near.lid != 0) {
                ranges.push_back(
                    {link.near.lid, link.near.lid + (1U << link.lmc) - 1, link.near.text()});
            }
        }
    }
    std::sort(ranges.begin(), ranges.end(), [](const LidRange &left, const LidRange &right) {
        return std::tie(left.first, left.last, left.port) <
               std::tie(right.first, right.last, right.port);
    });
    const LidRange *widest = nullptr;
    for (const LidRange &range : ranges) {
        if (widest != nullptr && range.first <= widest->last) {
            found.push_back(
                {"lid-duplicate", Severity::error, fmt::format("{}", range.first),
                 fmt::format("{} and {} have LID {}", widest->port, range.port, range.first),
                 "let one subnet manager alone assign LIDs (causeway sm status); then "
                 "restart it"});
        }
        if (widest == nullptr || range.last > widest->last) {
            widest = &range;
        }
    }
}

} // namespace

std::vector<FabricFinding> check_links(const std::vector<LinkPort> &ports,
                                       const ExpectedLink &expected) {
    Findings found;
    for (const LinkPort &link : links_once(ports)) {
        check_state(link, found);
        if (link.state != "Down") {
            check_width(link, expected, found);
            check_speed(link, expected, found);
        }
    }
    for (const LinkPort &port : ports) {
        if (!port.connected) {
            check_down(port, found);
        }
    }
    check_lids(ports, found);
    return found;
}

std::vector<FabricFinding> check_addresses(const std::vector<FabricNode> &nodes) {
    Findings found;
    check_node_guids(nodes, found);
    check_port_guids(nodes, found);
    check_duplicate_lids(nodes, found);
    return found;
}

std::vector<FabricFinding> check_counters(const FabricCounters &counters) {
    Findings found;
    for (const PortCounters &port : counters.ports) {
        for (const CounterValue &each : port.values) {
            const ErrorCounter *known = find_error_counter(each.name);
            if (known != nullptr && each.value > known->threshold) {
                found.push_back({"counter-high", Severity::warning, port.text(),
                                 fmt::format("{} of {} is {}, above {}", each.name, port.text(),
                                             each.value, known->threshold),
                                 fmt::format("{}; to count anew: causeway fabric --clear-counters",
                                             known->meaning)});
            }
        }
    }
    return found;
}

} // namespace causeway
