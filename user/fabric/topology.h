// SPDX-License-Identifier: GPL-2.0-or-later
// The objects of an InfiniBand fabric, parsed from the output of infiniband-diags. Names of nodes
// come from other machines, so characters that are not printable are replaced.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct FabricEnd {
    std::string id; // "H-0000000000100000", the id of ibnetdiscover
    std::string name;
    unsigned int port = 0;
    unsigned int lid = 0; // 0: unknown
};

// A link as one of its ends lists it.
struct FabricLink {
    FabricEnd near;
    FabricEnd far;
    std::string rate; // "4X EDR"
};

struct FabricNode {
    enum class Kind { host, node_switch, router };

    Kind kind = Kind::host;
    std::string id;
    std::string guid; // "0x0000000000100000"
    std::string name;
    unsigned int ports = 0;
    std::vector<FabricLink> links; // of connected ports only
};

// A link that could be wider or faster.
struct BadLink {
    std::string near; // "SW1/3"
    std::string far;
    std::string now;   // "4X 2.5 Gbps"
    std::string could; // "12X, 10.0 Gbps"
};

struct FabricPartition {
    unsigned int pkey = 0; // without the membership bit
    struct Member {
        unsigned int lid = 0;
        bool full = false;
    };
    std::vector<Member> members; // each LID occurs once
};

// A multicast group.
struct FabricGroup {
    std::string gid;
    unsigned int lid = 0;
    unsigned int pkey = 0;
    unsigned int mtu = 0; // bytes; 0: unknown
    double rate = 0;      // Gb/s; 0: unknown
};

// Parses the output of ibnetdiscover.
std::vector<FabricNode> parse_topology(std::string_view text);
// Parses the output of "iblinkinfo --line". Returns each link once, even if both ends list it.
std::vector<BadLink> parse_bad_links(std::string_view text);
// Parses the output of "saquery PKTR".
std::vector<FabricPartition> parse_pkey_tables(std::string_view text);
// Parses the output of "saquery -g".
std::vector<FabricGroup> parse_groups(std::string_view text);

} // namespace causeway
