// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabric/view.h"

#include "host/rate.h"
#include "show/paragraph.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace causeway {

namespace {

std::string_view kind_word(FabricNode::Kind kind) {
    return kind == FabricNode::Kind::host          ? "host"
           : kind == FabricNode::Kind::node_switch ? "switch"
                                                   : "router";
}

Json end_json(const FabricEnd &end) {
    return {{"node", end.id},
            {"name", end.name},
            {"port", end.port},
            {"lid", end.lid == 0 ? Json(nullptr) : Json(end.lid)}};
}

// Returns true for one of the two ends of a link: the host if the link leads to a switch, else the
// end with the lower id and port.
bool is_first_end(const FabricLink &link, bool host) {
    const bool far_host = link.far.id.compare(0, 2, "H-") == 0;
    const bool lower =
        std::pair(link.near.id, link.near.port) < std::pair(link.far.id, link.far.port);
    return host ? !far_host || lower : !far_host && lower;
}

Json port_json(const LinkPort &port) {
    return {{"name", port.near.name},
            {"guid", port.near.guid},
            {"port", port.near.port},
            {"lid", port.near.lid == 0 ? Json(nullptr) : Json(port.near.lid)},
            {"to", port.connected ? Json(port.far.text()) : Json(nullptr)},
            {"state", port.state},
            {"physical_state", port.physical},
            {"width", or_null(port.width)},
            {"speed", port.speed.empty() ? Json(nullptr) : Json(speed_name(port.speed))}};
}

std::string could_be(const LinkPort &port) {
    return port.could_width.empty() || port.could_speed.empty()
               ? port.could_width + port.could_speed
               : fmt::format("{}, {}", port.could_width, port.could_speed);
}

void add_table(const Table &table, const Terminal &terminal, Answer &answer) {
    const std::string text = table.text(terminal);
    answer.text += text.empty() ? "" : "\n" + text;
}

} // namespace

void show_nodes(const std::vector<FabricNode> &nodes, const Terminal &terminal, Answer &answer) {
    answer.json["nodes"] = Json::array();
    answer.json["links"] = Json::array();
    Table hosts(
        {{"HOST"}, {"PORT", Table::Align::right}, {"LID", Table::Align::right}, {"RATE"}, {"AT"}});
    Table switches(
        {{"SWITCH"}, {"GUID"}, {"PORTS", Table::Align::right}, {"USED", Table::Align::right}});
    Table between({{"BETWEEN SWITCHES"}, {"AND"}, {"RATE"}});
    std::size_t host_count = 0;
    std::size_t link_count = 0;
    for (const FabricNode &node : nodes) {
        answer.json["nodes"].push_back({{"kind", kind_word(node.kind)},
                                        {"node", node.id},
                                        {"guid", node.guid},
                                        {"name", node.name},
                                        {"ports", node.ports}});
        const bool host = node.kind == FabricNode::Kind::host;
        host_count += host ? 1U : 0U;
        if (!host) {
            switches.row({node.name, node.guid, fmt::format("{}", node.ports),
                          fmt::format("{}", node.links.size())});
        }
        for (const FabricLink &link : node.links) {
            if (host) {
                hosts.row({node.name, fmt::format("{}", link.near.port),
                           link.near.lid == 0 ? "" : fmt::format("{}", link.near.lid), link.rate,
                           link.far.text()});
            }
            if (is_first_end(link, host)) {
                answer.json["links"].push_back({{"from", end_json(link.near)},
                                                {"to", end_json(link.far)},
                                                {"rate", link.rate}});
                link_count++;
                if (!host) {
                    between.row({link.near.text(), link.far.text(), link.rate});
                }
            }
        }
    }
    answer.text = fmt::format("{} hosts, {} switches, {} links\n", host_count,
                              nodes.size() - host_count, link_count);
    for (const Table *table : {&hosts, &switches, &between}) {
        add_table(*table, terminal, answer);
    }
}

void show_links(const std::vector<LinkPort> &ports, const Terminal &terminal, Answer &answer) {
    answer.json["ports"] = Json::array();
    answer.json["bad_links"] = Json::array();
    for (const LinkPort &port : ports) {
        answer.json["ports"].push_back(port_json(port));
    }
    Table states({{"LINK"}, {"TO"}, {"STATE"}, {"PHYSICAL"}, {"WIDTH"}, {"SPEED"}});
    Table bad({{"BAD LINK"}, {"TO"}, {"IS"}, {"COULD BE"}});
    for (const LinkPort &link : links_once(ports)) {
        states.row({link.near.text(), link.far.text(), link.state, link.physical, link.width,
                    speed_name(link.speed)});
        if (const std::string could = could_be(link); !could.empty()) {
            const std::string now = link.width + " " + link.speed;
            answer.json["bad_links"].push_back({{"from", link.near.text()},
                                                {"to", link.far.text()},
                                                {"is", now},
                                                {"could_be", could}});
            bad.row({link.near.text(), link.far.text(), now, could});
        }
    }
    add_table(states, terminal, answer);
    answer.text += bad.text().empty() ? "\nevery link is as wide and fast as it can be\n" : "";
    add_table(bad, terminal, answer);
}

void show_partitions(const GroupsView &view, const Terminal &terminal, Answer &answer) {
    Table partitions(
        {{"PARTITION"}, {"FULL", Table::Align::right}, {"LIMITED", Table::Align::right}});
    for (const FabricPartition &each : view.partitions.value_or(std::vector<FabricPartition>())) {
        Json members = Json::array();
        std::size_t full = 0;
        for (const auto &member : each.members) {
            members.push_back({{"lid", member.lid}, {"full", member.full}});
            full += member.full ? 1U : 0U;
        }
        const std::string name = fmt::format("0x{:04x}", each.pkey);
        answer.json["partitions"].push_back({{"pkey", name}, {"members", members}});
        partitions.row(
            {name, fmt::format("{}", full), fmt::format("{}", each.members.size() - full)});
    }
    answer.json["partitions_shown"] = view.partitions.has_value();
    Table groups(
        {{"GROUP"}, {"PARTITION"}, {"MTU", Table::Align::right}, {"GBPS", Table::Align::right}});
    for (const FabricGroup &each : view.groups) {
        const std::string pkey = fmt::format("0x{:04x}", each.pkey);
        answer.json["groups"].push_back({{"gid", each.gid},
                                         {"lid", each.lid},
                                         {"pkey", pkey},
                                         {"mtu", each.mtu},
                                         {"rate_gbps", each.rate}});
        groups.row({each.gid, pkey, fmt::format("{}", each.mtu), short_number(each.rate)});
    }
    for (const Table *table : {&partitions, &groups}) {
        add_table(*table, terminal, answer);
    }
}

Json counters_json(const PortCounters &port) {
    Json values = Json::object();
    for (const CounterValue &each : port.values) {
        values[each.name] = each.value;
    }
    return {{"node", port.node}, {"guid", port.guid}, {"port", port.port}, {"values", values}};
}

void show_counters(const FabricCounters &counters, const Terminal &terminal, Answer &answer) {
    answer.json["counters"] = Json::array();
    Table table({{"PORT"}, {"COUNTER"}, {"VALUE", Table::Align::right}});
    for (const PortCounters &port : counters.ports) {
        answer.json["counters"].push_back(counters_json(port));
        for (const CounterValue &each : port.values) {
            table.row({port.text(), each.name, fmt::format("{}", each.value)});
        }
    }
    if (counters.ports.empty()) {
        answer.text +=
            fmt::format("\nthe error counters of {} ports are 0\n", counters.ports_checked);
    }
    add_table(table, terminal, answer);
}

void show_findings(const std::vector<FabricFinding> &found, Answer &answer) {
    answer.json["findings"] = Json::array();
    answer.text += found.empty() ? "\nno problem was found\n" : "\n";
    std::string_view last;
    for (const FabricFinding &each : found) {
        answer.json["findings"].push_back({{"id", each.id},
                                           {"severity", severity_word(each.severity)},
                                           {"subject", each.subject},
                                           {"what", each.what},
                                           {"fix", each.fix}});
        if (each.id != last) {
            answer.text += fmt::format("{}: {}\n", severity_word(each.severity), each.id);
        }
        last = each.id;
        answer.text += paragraph(each.what, 2);
        answer.text += fmt::format("    {}\n", each.fix);
    }
}

Result<SeenCounters> fabric_counters(const Diagnostics &diagnostics) {
    // Exit status 1: there are counters above zero.
    auto end = TRY(diagnostics.end_of(counters_command()));
    SeenCounters seen;
    const auto counters = parse_counters(end.out, seen.unread);
    if (!counters) {
        return Error{
            ExitCode::try_again,
            fmt::format("ibqueryerrors did not read the fabric: {}",
                        end.last_words().empty() ? "it printed nothing" : end.last_words()),
            "the counters are read through the subnet manager: causeway sm status"};
    }
    seen.counters = *counters;
    return seen;
}

} // namespace causeway
