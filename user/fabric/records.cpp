// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabric/records.h"

#include "host/ib_address.h"
#include "host/rate.h"

#include <algorithm>
#include <optional>
#include <regex>

namespace causeway {

namespace {

constexpr std::uint64_t code_bits = 0x3f;        // of a rate or MTU; the selector is above the code
constexpr std::uint64_t partition_bits = 0x7fff; // of a P_Key, without the membership bit
constexpr std::uint64_t membership_bit = 0x8000; // set: full member; else limited
constexpr std::uint64_t most_16_bits = 0xffff;
constexpr std::uint64_t most_8_bits = 0xff;
constexpr std::uint64_t most_mtu = 4096;

using Names = std::vector<std::string_view>;

bool is_one_of(const std::string &name, const Names &names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

unsigned int mtu_of_code(std::uint64_t code) {
    return code >= 1 && code <= 5 ? 128U << code : 0;
}

double rate_of_code(std::uint64_t code) {
    for (const RateCode &each : rate_codes()) {
        if (each.code == code) {
            return each.gigabits;
        }
    }
    return 0;
}

// A table of P_Keys by partition and LID. True: full member.
using Memberships = std::map<unsigned int, std::map<unsigned int, bool>>;

// Parses a row of a table: "0xffff 0x8001 0x0000 ...".
bool parse_row(const std::string &line, unsigned int lid, Memberships &memberships) {
    static const std::regex form("0x[0-9a-f]{4}(?: 0x[0-9a-f]{4}){7}");
    constexpr std::size_t word = 7; // characters of a P_Key and the blank behind it
    if (!std::regex_match(line, form)) {
        return false;
    }
    for (std::size_t start = 0; start < line.size(); start += word) {
        const std::uint64_t pkey =
            whole_number(std::string_view(line).substr(start, word - 1), most_16_bits).value_or(0);
        if ((pkey & partition_bits) != 0) {
            memberships[static_cast<unsigned int>(pkey & partition_bits)][lid] |=
                (pkey & membership_bit) != 0;
        }
    }
    return true;
}

// Sets a member of the group. Returns false if the value is malformed.
bool set_in_group(const std::string &name, const std::string &value, FabricGroup &group) {
    const auto number =
        whole_number(value, name == "Mlid" || name == "pkey" ? most_16_bits : most_8_bits);
    if (!number) {
        return false;
    }
    if (name == "Mlid") {
        group.lid = static_cast<unsigned int>(*number);
    } else if (name == "pkey") {
        group.pkey = static_cast<unsigned int>(*number & partition_bits);
    } else if (name == "Mtu") {
        group.mtu = mtu_of_code(*number & code_bits);
    } else if (name == "Rate") {
        group.rate = rate_of_code(*number & code_bits);
    }
    return true;
}

// Returns the GUID in the lower half of a GID; empty for the GID that stands for "not shown".
std::optional<std::string> guid_of_gid(const std::string &text) {
    const auto gid = parse_gid(text);
    if (!gid) {
        return std::nullopt;
    }
    Guid guid{};
    std::copy(gid->end() - static_cast<std::ptrdiff_t>(guid.size()), gid->end(), guid.begin());
    return guid == Guid{} ? "" : guid_number(guid);
}

// Takes a line of a member. Returns false for a line that is not understood.
template <typename Pair> bool take_member_line(const Pair &pair, GroupMember &member) {
    if (pair.first == "MGID" && parse_gid(pair.second)) {
        member.gid = pair.second;
        return true;
    }
    if (pair.first == "PortGid") {
        const auto guid = guid_of_gid(pair.second);
        member.guid = guid.value_or(member.guid);
        return guid.has_value();
    }
    if (pair.first == "NodeDescription") {
        member.name = pair.second;
        return true;
    }
    return is_one_of(pair.first, {"Mlid", "ScopeState", "ProxyJoin"});
}

} // namespace

std::vector<FabricPartition> parse_pkey_tables(std::string_view text, Unread &unread) {
    Memberships memberships;
    unsigned int lid = 0; // 0: the table of no port has begun
    for (const std::string &line : program_lines(text, unread)) {
        const auto pair = dotted_line(line);
        if (pair && pair->first == "LID") {
            lid = static_cast<unsigned int>(whole_number(pair->second, most_16_bits).value_or(0));
            if (lid == 0) {
                unread.add(line);
            }
        } else if (line == "PKeyTableRecord dump:") {
            lid = 0;
        } else {
            const bool known = (pair && is_one_of(pair->first, {"Port", "Block"})) ||
                               line == "PKey Table:" ||
                               (lid != 0 && parse_row(line, lid, memberships));
            if (!known) {
                unread.add(line);
            }
        }
    }
    std::vector<FabricPartition> out;
    for (const auto &[pkey, members] : memberships) {
        FabricPartition partition{pkey, {}};
        for (const auto &[member, full] : members) {
            partition.members.push_back({member, full});
        }
        out.push_back(partition);
    }
    return out;
}

std::vector<FabricGroup> parse_groups(std::string_view text, Unread &unread) {
    std::vector<FabricGroup> groups;
    for (const std::string &line : program_lines(text, unread)) {
        const auto pair = dotted_line(line);
        if (line == "MCMemberRecord group dump:") {
            groups.emplace_back();
        } else if (pair && !groups.empty() && pair->first == "MGID" && parse_gid(pair->second)) {
            groups.back().gid = pair->second;
        } else if (!pair || groups.empty() ||
                   !is_one_of(pair->first, {"Mlid", "Mtu", "pkey", "Rate", "SL"}) ||
                   !set_in_group(pair->first, pair->second, groups.back())) {
            unread.add(line);
        }
    }
    groups.erase(std::remove_if(groups.begin(), groups.end(),
                                [](const FabricGroup &group) { return group.gid.empty(); }),
                 groups.end());
    return groups;
}

std::vector<GroupMember> parse_members(std::string_view text, Unread &unread) {
    std::vector<GroupMember> members;
    for (const std::string &line : program_lines(text, unread)) {
        const auto pair = dotted_line(line);
        if (line == "MCMemberRecord member dump:") {
            members.emplace_back();
        } else if (!pair || members.empty() || !take_member_line(*pair, members.back())) {
            unread.add(line);
        }
    }
    return members;
}

LinkMtus parse_link_mtus(std::string_view text, Unread &unread) {
    static const std::regex heading("PortInfoRecord dump:|PortInfo dump:|RID|[A-Za-z0-9]+");
    LinkMtus mtus;
    constexpr unsigned int none = ~0U;
    std::pair<unsigned int, unsigned int> port{none, none}; // LID and number
    const auto number = [none](const std::string &value, std::uint64_t most) {
        return static_cast<unsigned int>(whole_number(value, most).value_or(none));
    };
    for (const std::string &line : program_lines(text, unread)) {
        const auto pair = dotted_line(line);
        bool good = pair || std::regex_match(line, heading);
        if (line == "PortInfoRecord dump:") {
            port = {none, none};
        } else if (pair && pair->first == "EndPortLid") {
            port.first = number(pair->second, most_16_bits);
            good = port.first != none;
        } else if (pair && pair->first == "PortNum") {
            port.second = number(pair->second, most_8_bits);
            good = port.second != none;
        } else if (pair && pair->first == "NeighborMTU") {
            const unsigned int mtu = number(pair->second, most_mtu);
            good = mtu != none && port.first != none && port.second != none;
            if (good) {
                mtus[port] = mtu;
            }
        }
        if (!good) {
            unread.add(line);
        }
    }
    return mtus;
}

} // namespace causeway
