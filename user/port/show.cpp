// SPDX-License-Identifier: GPL-2.0-or-later
// show: the RDMA devices of this machine, their ports and addresses.
#include "base/nearest.h"
#include "command/verb.h"
#include "host/rate.h"
#include "host/rdma_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

bool is_infiniband(const RdmaPort &port) {
    return port.link_layer == "InfiniBand";
}

// Returns the state of a port in words, with the reason why it carries no data if the state shows
// it.
std::string state_words(const RdmaPort &port) {
    if (port.state == "ACTIVE") {
        return "active";
    }
    if (port.state == "INIT") {
        return is_infiniband(port) ? "initialized: it waits for a subnet manager" : "initialized";
    }
    if (port.state == "ARMED") {
        return "armed: the subnet manager is about to make it active";
    }
    if (port.state == "DOWN" && port.phys_state == "Polling") {
        return "down: no port answers at the other end of the cable";
    }
    if (port.state == "DOWN" && port.phys_state == "Disabled") {
        return is_infiniband(port) ? "down: the port is disabled"
                                   : "down: its network device is down or has no link";
    }
    if (port.state == "DOWN") {
        return fmt::format("down ({})", port.phys_state);
    }
    return port.state;
}

Json port_json(const RdmaPort &port) {
    const auto rate = parse_rate(port.rate);
    Json json = {{"port", port.number},
                 {"state", port.state},
                 {"phys_state", port.phys_state},
                 {"link_layer", port.link_layer},
                 {"rate", port.rate},
                 {"rate_gbps", rate ? Json(rate->signalled) : Json(nullptr)},
                 {"usable_gbps", rate && is_infiniband(port) ? Json(rate->usable) : Json(nullptr)},
                 {"lid", or_null(port.lid)},
                 {"sm_lid", or_null(port.sm_lid)},
                 {"gids", Json::array()}};
    for (const RdmaGid &gid : port.gids) {
        json["gids"].push_back({{"index", gid.index},
                                {"gid", gid.gid},
                                {"type", is_infiniband(port) ? Json("IB") : or_null(gid.type)},
                                {"netdev", or_null(gid.netdev)}});
    }
    return json;
}

Tone tone_of_port(const RdmaPort &port) {
    if (port.state == "ACTIVE") {
        return Tone::good;
    }
    return port.state == "DOWN" ? Tone::bad : Tone::doubtful;
}

// Joins both parts. The second part gets a line of its own if both do not fit the terminal.
std::string joined(const std::string &line, const std::string &rest, std::size_t indent,
                   const Terminal &terminal) {
    const bool fits = terminal.columns == 0 || line.size() + 2 + rest.size() <= terminal.columns;
    return rest.empty() ? line + "\n"
           : fits       ? fmt::format("{}, {}\n", line, rest)
                        : fmt::format("{},\n{:{}}{}\n", line, "", indent, rest);
}

std::string port_text(const RdmaPort &port, const Terminal &terminal) {
    const std::string state = state_words(port);
    std::string text = joined(fmt::format("  port {}  {}", port.number, state),
                              rate_words(port.rate, is_infiniband(port)), 10, terminal);
    if (terminal.colour) {
        const std::string word = state.substr(0, state.find(':'));
        text.replace(text.find(word, text.find("port ") + 5), word.size(),
                     painted(word, tone_of_port(port)));
    }
    if (is_infiniband(port)) {
        text += fmt::format("          LID {}, {}\n", port.lid,
                            port.sm_lid == "0x0" ? "no subnet manager was seen"
                                                 : "subnet manager at LID " + port.sm_lid);
    }
    for (const RdmaGid &gid : port.gids) {
        text += fmt::format("          GID {}  {}{}{}\n", gid.index, gid.gid,
                            is_infiniband(port) || gid.type.empty() ? "" : "  " + gid.type,
                            gid.netdev.empty() ? "" : "  " + gid.netdev);
    }
    return text;
}

std::string device_text(const RdmaDevice &device, const Terminal &terminal) {
    std::string kind = device.model;
    if (!device.soft.empty()) {
        kind = device.soft == "rxe" ? "Soft-RoCE (rxe)" : "Soft-iWARP (siw)";
    }
    std::string text = device.name;
    text += kind.empty() ? "" : "  " + kind;
    text += device.netdev.empty() ? "" : " on " + device.netdev;
    text = joined(text, device.firmware.empty() ? "" : "firmware " + device.firmware, 2, terminal);
    text += fmt::format("  node GUID {}\n", device.node_guid);
    for (const RdmaPort &port : device.ports) {
        text += port_text(port, terminal);
    }
    return text;
}

Json device_json(const RdmaDevice &device) {
    Json json = {{"name", device.name},
                 {"node_type", device.node_type},
                 {"node_guid", device.node_guid},
                 {"model", or_null(device.model)},
                 {"firmware", or_null(device.firmware)},
                 {"soft", or_null(device.soft)},
                 {"netdev", or_null(device.netdev)},
                 {"ports", Json::array()}};
    for (const RdmaPort &port : device.ports) {
        json["ports"].push_back(port_json(port));
    }
    return json;
}

Result<Answer> run_show(World &world, const Arguments &arguments) {
    std::vector<std::string> names;
    Answer answer;
    answer.json["devices"] = Json::array();
    const std::string wanted = arguments.operands().empty() ? "" : arguments.operands().front();
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        names.push_back(device.name);
        if (!wanted.empty() && wanted != device.name) {
            continue;
        }
        answer.json["devices"].push_back(device_json(device));
        answer.text += (answer.text.empty() ? "" : "\n") + device_text(device, world.terminal);
    }
    if (!wanted.empty() && answer.text.empty()) {
        const auto close = nearest(wanted, names);
        return Error{ExitCode::unavailable, fmt::format("there is no RDMA device {}", wanted),
                     close           ? fmt::format("did you mean {}?", *close)
                     : names.empty() ? "this machine has none"
                                     : fmt::format("there are {}", fmt::join(names, ", "))};
    }
    if (answer.text.empty()) {
        answer.text = "this machine has no RDMA device; software makes one of a network device: "
                      "causeway soft add rxe DEV\n";
    }
    return answer;
}

const VerbRows show_rows(Section::seeing, 1, [] {
    return std::vector<Verb>{
        {
            .words = "show",
            .operands = "[DEVICE]",
            .summary = "show RDMA devices: ports, state, rate, addresses, firmware",
            .most_operands = 1,
            .run = run_show,
        },
    };
});

} // namespace

} // namespace causeway
