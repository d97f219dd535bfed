// SPDX-License-Identifier: GPL-2.0-or-later
// What is in a fabric of InfiniBand, from what the programs of infiniband-diags print. Names of
// nodes come from other machines: what is not printable in them is replaced.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct FabricEnd {
    std::string id; // "H-0000000000100000", as ibnetdiscover calls the node
    std::string name;
    unsigned int port = 0;
    unsigned int lid = 0; // 0: not told
};

// Seen from one end.
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
    std::vector<FabricLink> links; // of the ports that are connected
};

// A link that could be wider or faster than it is.
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
    std::vector<Member> members; // each LID once
};

// A multicast group.
struct FabricGroup {
    std::string gid;
    unsigned int lid = 0;
    unsigned int pkey = 0;
    unsigned int mtu = 0; // bytes, 0: not told
    double rate = 0;      // Gb/s, 0: not told
};

// ibnetdiscover.
std::vector<FabricNode> parse_topology(std::string_view text);
// iblinkinfo --line; each link once.
std::vector<BadLink> parse_bad_links(std::string_view text);
// saquery PKTR.
std::vector<FabricPartition> parse_pkey_tables(std::string_view text);
// saquery -g.
std::vector<FabricGroup> parse_groups(std::string_view text);

} // namespace causeway
