// SPDX-License-Identifier: GPL-2.0-or-later
// The problems of a fabric: links, addresses, error counters, multicast groups.
#pragma once

#include "doctor/finding.h"
#include "fabric/counters.h"
#include "fabric/links.h"
#include "fabric/records.h"
#include "fabric/topology.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct FabricFinding {
    std::string_view id; // never changes, as the identifiers of doctor
    Severity severity = Severity::warning;
    std::string subject; // "SW1/3", "0x0001"
    std::string what;    // a sentence without the full stop
    std::string fix;
};

// The width and speed that the administrator expects of each link. Empty: the most that both ends
// support.
struct ExpectedLink {
    std::string width; // "4X"
    std::string speed; // "EDR"
};

// State, width and speed of links, and ports without LID.
std::vector<FabricFinding> check_links(const std::vector<LinkPort> &ports,
                                       const ExpectedLink &expected);
// GUIDs and LIDs that two ports have.
std::vector<FabricFinding> check_addresses(const std::vector<FabricNode> &nodes);
// Counters above their thresholds.
std::vector<FabricFinding> check_counters(const FabricCounters &counters);

// The known multicast groups, and the ports that use them.
struct GroupsView {
    std::vector<FabricGroup> groups;
    // None: the subnet manager has not shown them. Then every host counts as a member of the
    // default partition, and no host is known in other ones.
    std::optional<std::vector<FabricPartition>> partitions;
    std::vector<GroupMember> members;
    LinkMtus mtus;
};
// Rate and MTU of groups, held against the hosts in their partitions and those that have joined.
std::vector<FabricFinding> check_groups(const std::vector<FabricNode> &nodes,
                                        const GroupsView &view);

} // namespace causeway
