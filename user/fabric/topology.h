// SPDX-License-Identifier: GPL-2.0-or-later
// The nodes of an InfiniBand fabric and the links between them, parsed from the output of
// ibnetdiscover.
#pragma once

#include "fabric/program_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct FabricEnd {
    std::string id; // "H-0000000000100000", the id of ibnetdiscover
    std::string name;
    unsigned int port = 0;
    unsigned int lid = 0; // 0: none, or unknown

    std::string text() const; // "SW1/3"
};

// A link as one of its ends lists it.
struct FabricLink {
    FabricEnd near;
    FabricEnd far;
    std::string rate;     // "4X EDR"
    std::string guid;     // of the near port, "0x0000000000100001"; empty for a switch
    unsigned int lmc = 0; // the near port of a host has 2^lmc LIDs from near.lid on
};

struct FabricNode {
    enum class Kind { host, node_switch, router };

    Kind kind = Kind::host;
    std::string id;
    std::string guid; // "0x0000000000100000"
    std::string name;
    unsigned int ports = 0;
    unsigned int lid = 0; // of a switch
    unsigned int lmc = 0;
    std::vector<FabricLink> links; // of connected ports only
};

// Parses the output of ibnetdiscover. Collects the lines that are none of its forms in @unread.
std::vector<FabricNode> parse_topology(std::string_view text, Unread &unread);

} // namespace causeway
