// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabric/topology.h"

#include <fmt/format.h>
#include <optional>
#include <regex>

namespace causeway {

namespace {

constexpr std::uint64_t most_lmc = 7;

// Returns "4X EDR" for "4xEDR".
std::string rate_of(const std::string &word) {
    const std::size_t x = word.find('x');
    return x == std::string::npos ? word : word.substr(0, x) + "X " + word.substr(x + 1);
}

std::string long_guid(const std::string &digits) {
    return fmt::format("0x{:0>16}", digits);
}

// Reads the numbers of a match. Keeps that one was out of its range.
class Numbers {
  public:
    explicit Numbers(const std::smatch &match) : match_(match) {}

    // Returns 0 for a part that the line does not have.
    unsigned int operator()(std::size_t part, std::uint64_t most) {
        if (!match_[part].matched) {
            return 0;
        }
        const auto number = whole_number(match_[part].str(), most);
        good_ &= number.has_value();
        return static_cast<unsigned int>(number.value_or(0));
    }
    bool good() const { return good_; }

  private:
    const std::smatch &match_;
    bool good_ = true;
};

// Parses a line such as:
// Switch	8 "S-0000000000200000"		# "SW1" base port 0 lid 2 lmc 0
std::optional<FabricNode> parse_node(const std::string &line) {
    static const std::regex form("(Switch|Ca|Rt)\\s+(\\d+) \"([SHR]-([0-9a-f]{16}))\"\\s+# \"(.*)\""
                                 "(?: (?:base|enhanced) port 0 lid (\\d+) lmc (\\d+))?");
    std::smatch match;
    if (!std::regex_match(line, match, form)) {
        return std::nullopt;
    }
    Numbers number(match);
    FabricNode node;
    node.kind = match[1] == "Switch" ? FabricNode::Kind::node_switch
                : match[1] == "Rt"   ? FabricNode::Kind::router
                                     : FabricNode::Kind::host;
    node.ports = number(2, most_ports);
    node.id = match[3];
    node.guid = "0x" + match[4].str();
    node.name = printable(match[5].str());
    node.lid = number(6, most_lid);
    node.lmc = number(7, most_lmc);
    return number.good() ? std::optional(node) : std::nullopt;
}

// Parses a line such as:
// [3]	"S-0000000000200001"[3]		# "SW2" lid 4 4xSDR
// [1](100006) 	"S-0000000000200001"[1]		# lid 5 lmc 0 "SW2" lid 4 4xSDR
std::optional<FabricLink> parse_link(const std::string &line, const FabricNode &node) {
    static const std::regex form(
        "\\[(\\d+)\\](?:\\[ext \\d+\\])?(?:\\(([0-9a-f]{1,16})\\))?\\s+"
        "\"([SHR]-[0-9a-f]{16})\"\\[(\\d+)\\](?:\\[ext \\d+\\])?\\s*(?:\\([0-9a-f]{1,16}\\))?\\s+"
        "# (?:lid (\\d+) lmc (\\d+) )?\"(.*)\" lid (\\d+) ([0-9?]+x[A-Za-z0-9?]+)");
    std::smatch match;
    if (!std::regex_match(line, match, form)) {
        return std::nullopt;
    }
    Numbers number(match);
    FabricLink link;
    link.near = {node.id, node.name, number(1, most_ports), number(5, most_lid)};
    link.guid = match[2].matched ? long_guid(match[2].str()) : "";
    link.lmc = number(6, most_lmc);
    link.far = {match[3].str(), printable(match[7].str()), number(4, most_ports),
                number(8, most_lid)};
    link.rate = rate_of(match[9].str());
    return number.good() ? std::optional(link) : std::nullopt;
}

// Lines that hold nothing that is needed here.
bool is_remark(const std::string &line) {
    static const std::regex form("#.*|(?:vendid|devid|sysimgguid|caguid|rtguid)=0x[0-9a-f]+|"
                                 "switchguid=0x[0-9a-f]+\\([0-9a-f]+\\)");
    return std::regex_match(line, form);
}

} // namespace

std::string FabricEnd::text() const {
    return fmt::format("{}/{}", name, port);
}

std::vector<FabricNode> parse_topology(std::string_view text, Unread &unread) {
    std::vector<FabricNode> nodes;
    for (const std::string &line : program_lines(text, unread)) {
        if (auto node = parse_node(line)) {
            nodes.push_back(*std::move(node));
            continue;
        }
        auto link = nodes.empty() ? std::nullopt : parse_link(line, nodes.back());
        if (link) {
            nodes.back().links.push_back(*std::move(link));
        } else if (!is_remark(line)) {
            unread.add(line);
        }
    }
    return nodes;
}

} // namespace causeway
