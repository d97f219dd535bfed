// SPDX-License-Identifier: GPL-2.0-or-later
// Records of the subnet administration, parsed from the output of saquery: partitions, multicast
// groups and the MTU of links.
#pragma once

#include "fabric/program_text.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace causeway {

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

// A port that has joined a multicast group.
struct GroupMember {
    std::string gid;  // of the group
    std::string guid; // of the port, "0x0000000000100001"; empty: not shown
    std::string name;
};

// Key: LID and port number; value: bytes of the largest packet of the link.
using LinkMtus = std::map<std::pair<unsigned int, unsigned int>, unsigned int>;

// Parse the output of "saquery PKTR", "saquery -g", "saquery -m" and "saquery PIR". Collect the
// lines that have another form in @unread.
std::vector<FabricPartition> parse_pkey_tables(std::string_view text, Unread &unread);
std::vector<FabricGroup> parse_groups(std::string_view text, Unread &unread);
std::vector<GroupMember> parse_members(std::string_view text, Unread &unread);
LinkMtus parse_link_mtus(std::string_view text, Unread &unread);

} // namespace causeway
