// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabric/topology.h"

#include "host/rate.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace causeway {

namespace {

// The code in a record's rate or MTU; the selector is above it.
constexpr unsigned int code_bits = 0x3f;
constexpr unsigned int partition_bits = 0x7fff; // of a P_Key, without the membership bit
constexpr unsigned int membership_bit = 0x8000; // set: full member; else limited

std::string printable(std::string_view text) {
    std::string out(text);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    const std::size_t start = out.find_first_not_of(' ');
    return start == std::string::npos ? ""
                                      : out.substr(start, out.find_last_not_of(' ') - start + 1);
}

std::vector<std::string> lines_in(std::string_view text) {
    std::vector<std::string> lines;
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> words_in(const std::string &text) {
    std::vector<std::string> words;
    std::istringstream stream{text};
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

// Moves along a line. Each step reports whether it found what it looked for.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : text_(text) {}

    // Moves behind the next occurrence of a character.
    bool past(char wanted) {
        const std::size_t found = text_.find(wanted, at_);
        at_ = found == std::string_view::npos ? text_.size() : found + 1;
        return found != std::string_view::npos;
    }
    std::optional<std::string> until(char wanted) {
        const std::size_t found = text_.find(wanted, at_);
        if (found == std::string_view::npos) {
            return std::nullopt;
        }
        std::string part(text_.substr(at_, found - at_));
        at_ = found + 1;
        return part;
    }
    std::optional<std::string> quoted() { return past('"') ? until('"') : std::nullopt; }
    std::optional<unsigned int> bracketed() {
        if (!past('[')) {
            return std::nullopt;
        }
        const auto digits = until(']');
        return digits ? std::optional(
                            static_cast<unsigned int>(std::strtoul(digits->c_str(), nullptr, 10)))
                      : std::nullopt;
    }
    std::string rest() const { return std::string(text_.substr(at_)); }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

// Returns the number after a word, as in "lid 4"; 0 if there is none.
unsigned int number_after(const std::vector<std::string> &words, std::string_view word) {
    const auto found = std::find(words.begin(), words.end(), word);
    return found == words.end() || found + 1 == words.end()
               ? 0
               : static_cast<unsigned int>(std::strtoul((found + 1)->c_str(), nullptr, 0));
}

// Returns "4X EDR" for "4xEDR".
std::string rate_of(const std::string &word) {
    const std::size_t x = word.find('x');
    return x == std::string::npos ? printable(word)
                                  : printable(word.substr(0, x) + "X " + word.substr(x + 1));
}

// Parses a line such as:
// Switch	8 "S-0000000000200000"		# "SW1" base port 0 lid 2 lmc 0
std::optional<FabricNode> parse_node(const std::string &line) {
    const auto words = words_in(line);
    if (words.size() < 3) {
        return std::nullopt;
    }
    FabricNode node;
    if (words[0] == "Switch") {
        node.kind = FabricNode::Kind::node_switch;
    } else if (words[0] == "Rt") {
        node.kind = FabricNode::Kind::router;
    } else if (words[0] != "Ca") {
        return std::nullopt;
    }
    Cursor cursor(line);
    const auto id = cursor.quoted();
    const auto name = cursor.quoted();
    node.id = printable(id.value_or(""));
    if (node.id.size() < 3) {
        return std::nullopt;
    }
    node.guid = "0x" + node.id.substr(2);
    node.name = printable(name.value_or(""));
    node.ports = static_cast<unsigned int>(std::strtoul(words[1].c_str(), nullptr, 10));
    return node;
}

// Parses a line such as:
// [3]	"S-0000000000200001"[3]		# "SW2" lid 4 4xSDR
// [1](100006) 	"S-0000000000200001"[1]		# lid 5 lmc 0 "SW2" lid 4 4xSDR
std::optional<FabricLink> parse_link(const std::string &line, const FabricNode &node) {
    Cursor cursor(line);
    FabricLink link;
    link.near.id = node.id;
    link.near.name = node.name;
    const auto near = cursor.bracketed();
    const auto id = cursor.quoted();
    const auto far = cursor.bracketed();
    if (!near || !id || !far || !cursor.past('#')) {
        return std::nullopt;
    }
    const std::string remark = cursor.rest();
    Cursor comment(remark);
    const auto before = comment.until('"');
    const auto name = comment.until('"');
    if (!before || !name) {
        return std::nullopt;
    }
    const auto behind = words_in(comment.rest());
    link.near.port = *near;
    link.near.lid = number_after(words_in(*before), "lid");
    link.far = {printable(*id), printable(*name), *far, number_after(behind, "lid")};
    link.rate = behind.empty() ? "" : rate_of(behind.back());
    return link;
}

// Returns the value of a line such as "MGID....................ff12:...", or "" for a line with
// another name.
std::string dotted_value(const std::string &line, std::string_view name) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos || line.compare(start, name.size(), name) != 0 ||
        start + name.size() >= line.size() || line[start + name.size()] != '.') {
        return {};
    }
    const std::size_t value = line.find_first_not_of('.', start + name.size());
    return value == std::string::npos ? "" : printable(line.substr(value));
}

unsigned int number_of(const std::string &text) {
    return static_cast<unsigned int>(std::strtoul(text.c_str(), nullptr, 0));
}

} // namespace

std::vector<FabricNode> parse_topology(std::string_view text) {
    std::vector<FabricNode> nodes;
    for (const std::string &line : lines_in(text)) {
        if (auto node = parse_node(line)) {
            nodes.push_back(*std::move(node));
        } else if (!nodes.empty() && !line.empty() && line.front() == '[') {
            if (auto link = parse_link(line, nodes.back())) {
                nodes.back().links.push_back(*std::move(link));
            }
        }
    }
    return nodes;
}

// Parses lines such as:
// 0x... "SW1"  2  3[  ] ==( 4X  2.5 Gbps Active/  LinkUp)==>  0x... 4 3[  ] "SW2" (Could be 12X
// ...)
std::vector<BadLink> parse_bad_links(std::string_view text) {
    std::vector<BadLink> bad;
    std::set<std::string> seen;
    for (const std::string &line : lines_in(text)) {
        const std::size_t arrow = line.find(" ==(");
        const std::size_t end = line.find(")==>");
        const std::size_t could = line.rfind("(Could be ");
        if (arrow == std::string::npos || end == std::string::npos || end < arrow + 4 ||
            could == std::string::npos || could < end) {
            continue;
        }
        // A name can contain any character but a quote, so quotes separate the two ends.
        const std::string left = line.substr(0, arrow);
        const std::string right = line.substr(end + 4, could - end - 4);
        Cursor near(left);
        const auto near_name = near.quoted();
        const auto near_words = words_in(near.rest());
        const auto far_words = words_in(right.substr(0, right.find('"')));
        Cursor far(right);
        const auto far_name = far.quoted();
        const auto now = words_in(line.substr(arrow + 4, end - arrow - 4));
        if (!near_name || !far_name || near_words.size() < 2 || far_words.size() < 3 ||
            now.size() < 3) {
            continue;
        }
        const std::string one =
            fmt::format("{}/{}", printable(*near_name), number_of(near_words[1]));
        const std::string other =
            fmt::format("{}/{}", printable(*far_name), number_of(far_words[2]));
        if (!seen.insert(std::min(one, other) + " " + std::max(one, other)).second) {
            continue;
        }
        std::string wish = printable(line.substr(could + 10));
        const std::string_view again = " Could be ";
        for (auto at = wish.find(again); at != std::string::npos; at = wish.find(again)) {
            wish.replace(at, again.size(), ", ");
        }
        bad.push_back({one, other, printable(fmt::format("{} {} {}", now[0], now[1], now[2])),
                       wish.substr(0, wish.find(')'))});
    }
    return bad;
}

std::vector<FabricPartition> parse_pkey_tables(std::string_view text) {
    std::map<unsigned int, std::map<unsigned int, bool>> partitions;
    unsigned int lid = 0;
    for (const std::string &line : lines_in(text)) {
        if (const std::string value = dotted_value(line, "LID"); !value.empty()) {
            lid = number_of(value);
            continue;
        }
        const auto words = words_in(line);
        for (const std::string &word : words) {
            const unsigned int pkey = word.size() == 6 ? number_of(word) : 0;
            if (word.compare(0, 2, "0x") == 0 && (pkey & partition_bits) != 0 &&
                words.size() == 8) {
                partitions[pkey & partition_bits][lid] |= (pkey & membership_bit) != 0;
            }
        }
    }
    std::vector<FabricPartition> out;
    for (const auto &[pkey, members] : partitions) {
        FabricPartition partition{pkey, {}};
        for (const auto &[member, full] : members) {
            partition.members.push_back({member, full});
        }
        out.push_back(partition);
    }
    return out;
}

std::vector<FabricGroup> parse_groups(std::string_view text) {
    std::vector<FabricGroup> groups;
    for (const std::string &line : lines_in(text)) {
        if (const std::string gid = dotted_value(line, "MGID"); !gid.empty()) {
            groups.emplace_back();
            groups.back().gid = gid;
            continue;
        }
        if (groups.empty()) {
            continue;
        }
        FabricGroup &group = groups.back();
        if (const std::string lid = dotted_value(line, "Mlid"); !lid.empty()) {
            group.lid = number_of(lid);
        } else if (const std::string pkey = dotted_value(line, "pkey"); !pkey.empty()) {
            group.pkey = number_of(pkey) & partition_bits;
        } else if (const std::string mtu = dotted_value(line, "Mtu"); !mtu.empty()) {
            const unsigned int code = number_of(mtu) & code_bits;
            group.mtu = code >= 1 && code <= 5 ? 128U << code : 0;
        } else if (const std::string rate = dotted_value(line, "Rate"); !rate.empty()) {
            for (const RateCode &each : rate_codes()) {
                group.rate =
                    each.code == (number_of(rate) & code_bits) ? each.gigabits : group.rate;
            }
        }
    }
    return groups;
}

} // namespace causeway
