// SPDX-License-Identifier: GPL-2.0-or-later
// Shows a fabric as tables and JSON of an answer.
#pragma once

#include "base/answer.h"
#include "fabric/checks.h"
#include "fabric/diagnostics.h"
#include "machine/terminal.h"

#include <string>
#include <vector>

namespace causeway {

void show_nodes(const std::vector<FabricNode> &nodes, const Terminal &terminal, Answer &answer);
void show_links(const std::vector<LinkPort> &ports, const Terminal &terminal, Answer &answer);
void show_partitions(const GroupsView &view, const Terminal &terminal, Answer &answer);
void show_counters(const FabricCounters &counters, const Terminal &terminal, Answer &answer);
void show_findings(const std::vector<FabricFinding> &found, Answer &answer);

Json counters_json(const PortCounters &port);

struct SeenCounters {
    FabricCounters counters;
    Unread unread;
};
// Reads the counters of all ports. Returns an error if the program has not seen the fabric.
Result<SeenCounters> fabric_counters(const Diagnostics &diagnostics);

} // namespace causeway
