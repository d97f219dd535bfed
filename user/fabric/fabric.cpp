// SPDX-License-Identifier: GPL-2.0-or-later
// fabric: hosts, switches, links and partitions of InfiniBand, from the programs of
// infiniband-diags.
#include "base/nearest.h"
#include "command/verb.h"
#include "fabric/topology.h"
#include "host/rate.h"
#include "host/rdma_devices.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::chrono::seconds patience{120};

bool has_infiniband(const RdmaDevice &device) {
    return std::any_of(device.ports.begin(), device.ports.end(),
                       [](const RdmaPort &port) { return port.link_layer == "InfiniBand"; });
}

Error no_fabric(const std::vector<RdmaDevice> &devices) {
    Error error{ExitCode::unavailable, "this machine has no RDMA device",
                "see what there is: causeway show"};
    if (!devices.empty()) {
        error.what = fmt::format("{} is no device of InfiniBand: RoCE and iWARP go over Ethernet, "
                                 "whose switches have no subnet management to be asked by",
                                 devices.front().name);
        error.fix = "ask the switch, or: lldpctl; a peer: causeway ping --ip ADDRESS";
    }
    return error;
}

Result<void> check_device(const std::vector<RdmaDevice> &devices,
                          const std::optional<std::string> &wanted) {
    std::vector<std::string> names;
    for (const RdmaDevice &device : devices) {
        if (wanted && device.name == *wanted) {
            return has_infiniband(device) ? Result<void>() : no_fabric({device});
        }
        names.push_back(device.name);
    }
    if (wanted) {
        const auto close = nearest(*wanted, names);
        return Error{ExitCode::unavailable, fmt::format("there is no RDMA device {}", *wanted),
                     close ? fmt::format("did you mean {}?", *close)
                           : "see which there are: causeway show"};
    }
    return std::any_of(devices.begin(), devices.end(), has_infiniband) ? Result<void>()
                                                                       : no_fabric(devices);
}

class Diagnostics {
  public:
    Diagnostics(World &world, std::optional<std::string> device)
        : world_(world), device_(std::move(device)) {}

    Result<std::string> run(std::vector<std::string> words) {
        if (!world_.processes.there(words.front())) {
            return Error{ExitCode::unavailable,
                         fmt::format("the program {} is not installed", words.front()),
                         "apt install infiniband-diags, or: dnf install infiniband-diags"};
        }
        if (device_) {
            words.insert(words.end(), {"-C", *device_});
        }
        auto end = TRY(world_.processes.run(words, patience));
        if (!end.good()) {
            return Error{ExitCode::try_again,
                         fmt::format("{} failed: {}", words.front(),
                                     end.timed_out ? "no answer" : end.last_words()),
                         "causeway doctor says what is wrong with the port"};
        }
        return end.out;
    }

  private:
    World &world_;
    std::optional<std::string> device_;
};

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

void add_nodes(const std::vector<FabricNode> &nodes, const Terminal &terminal, Answer &answer) {
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
            const std::string near = fmt::format("{}/{}", link.near.name, link.near.port);
            const std::string far = fmt::format("{}/{}", link.far.name, link.far.port);
            if (host) {
                hosts.row({node.name, fmt::format("{}", link.near.port),
                           link.near.lid == 0 ? "" : fmt::format("{}", link.near.lid), link.rate,
                           far});
            }
            // Both ends list a link, and it is reported once: at the host if it leads to a switch,
            // else at the end with the lower id and port.
            const bool far_host = link.far.id.compare(0, 2, "H-") == 0;
            const bool first =
                std::pair(link.near.id, link.near.port) < std::pair(link.far.id, link.far.port);
            if (host ? !far_host || first : !far_host && first) {
                answer.json["links"].push_back({{"from", end_json(link.near)},
                                                {"to", end_json(link.far)},
                                                {"rate", link.rate}});
                link_count++;
                if (!host) {
                    between.row({near, far, link.rate});
                }
            }
        }
    }
    answer.text = fmt::format("{} hosts, {} switches, {} links\n", host_count,
                              nodes.size() - host_count, link_count);
    for (const Table *table : {&hosts, &switches, &between}) {
        answer.text += table->text().empty() ? "" : "\n" + table->text(terminal);
    }
}

void add_bad_links(Diagnostics &diagnostics, const Terminal &terminal, Answer &answer) {
    answer.json["bad_links"] = Json::array();
    const auto said = diagnostics.run({"iblinkinfo", "--line"});
    if (!said) {
        answer.warnings.push_back(said.error().what);
        return;
    }
    Table table({{"BAD LINK"}, {"TO"}, {"IS"}, {"COULD BE"}});
    for (const BadLink &bad : parse_bad_links(*said)) {
        answer.json["bad_links"].push_back(
            {{"from", bad.near}, {"to", bad.far}, {"is", bad.now}, {"could_be", bad.could}});
        table.row({bad.near, bad.far, bad.now, bad.could});
    }
    answer.text += table.text().empty() ? "\nevery link is as wide and fast as it can be\n"
                                        : "\n" + table.text(terminal);
}

void add_partitions(Diagnostics &diagnostics, const Terminal &terminal, Answer &answer) {
    answer.json["partitions"] = Json::array();
    answer.json["groups"] = Json::array();
    // The P_Key tables of other ports are reported only with the key of the subnet manager, which
    // is 1 by default.
    const auto tables = diagnostics.run({"saquery", "--smkey", "1", "PKTR"});
    const auto said = diagnostics.run({"saquery", "-g"});
    if (!tables || !said) {
        answer.warnings.push_back("no partitions: " +
                                  (tables ? said.error().what : tables.error().what));
        return;
    }
    Table partitions(
        {{"PARTITION"}, {"FULL", Table::Align::right}, {"LIMITED", Table::Align::right}});
    for (const FabricPartition &each : parse_pkey_tables(*tables)) {
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
    Table groups(
        {{"GROUP"}, {"PARTITION"}, {"MTU", Table::Align::right}, {"GBPS", Table::Align::right}});
    for (const FabricGroup &each : parse_groups(*said)) {
        const std::string pkey = fmt::format("0x{:04x}", each.pkey);
        answer.json["groups"].push_back({{"gid", each.gid},
                                         {"lid", each.lid},
                                         {"pkey", pkey},
                                         {"mtu", each.mtu},
                                         {"rate_gbps", each.rate}});
        groups.row({each.gid, pkey, fmt::format("{}", each.mtu), short_number(each.rate)});
    }
    for (const Table *table : {&partitions, &groups}) {
        answer.text += table->text().empty() ? "" : "\n" + table->text(terminal);
    }
}

Result<Answer> run_fabric(World &world, const Arguments &arguments) {
    const auto device = arguments.text("device");
    TRY(check_device(rdma_devices(world.files), device));
    Diagnostics diagnostics(world, device);
    auto topology = TRY(diagnostics.run({"ibnetdiscover"}));
    Answer answer;
    add_nodes(parse_topology(topology), world.terminal, answer);
    add_bad_links(diagnostics, world.terminal, answer);
    add_partitions(diagnostics, world.terminal, answer);
    return answer;
}

const VerbRows fabric_rows(Section::seeing, 9, [] {
    return std::vector<Verb>{
        {
            .words = "fabric",
            .summary = "show hosts, switches, links, bad links and partitions of InfiniBand",
            .options = {{"device", "DEVICE",
                         "device to look from; by default the first active one"}},
            .run = run_fabric,
        },
    };
});

} // namespace

} // namespace causeway
