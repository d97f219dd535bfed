// SPDX-License-Identifier: GPL-2.0-or-later
// ping: tests whether a peer can be reached by RDMA, and measures the response time.
//
// By IP address the RDMA connection manager sends a request, so the test works on InfiniBand, RoCE
// and iWARP, and needs no program on the peer: a refusal is a reply too. By LID or GUID the test is
// a query of subnet management, to which every InfiniBand port replies.
#include "base/units.h"
#include "command/verb.h"
#include "host/ib_address.h"
#include "host/infiniband_port.h"
#include "host/rdma_devices.h"
#include "show/progress.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::uint64_t most_pings = 1000;
constexpr std::uint64_t default_count = 3;
constexpr std::chrono::milliseconds step_limit{2000};
constexpr std::uint16_t nfs_port = 20049;
constexpr const char *by_address = "ping by address: causeway ping ADDRESS";

Json time_json(const std::optional<std::uint64_t> &time) {
    return time ? Json(*time) : Json(nullptr);
}

Json attempt_json(const SocketAddress &peer, const PathTry &attempt) {
    return {{"peer", peer.text()},
            {"device", attempt.device.empty() ? Json(nullptr) : Json(attempt.device)},
            {"device_port", attempt.port},
            {"local", attempt.local.empty() ? Json(nullptr) : Json(attempt.local.host_text())},
            {"address_ns", time_json(attempt.address)},
            {"route_ns", time_json(attempt.route)},
            {"answer_ns", time_json(attempt.answer)},
            {"accepted", attempt.accepted},
            {"listens", attempt.answer && !attempt.nobody_listens},
            {"reason", attempt.reason.empty() ? Json(nullptr) : Json(attempt.reason)}};
}

std::string milliseconds_text(std::uint64_t nanoseconds) {
    return latency_text(static_cast<double>(nanoseconds));
}

std::string attempt_text(const SocketAddress &peer, const PathTry &attempt) {
    if (attempt.answer) {
        return fmt::format("answer from {} in {}: {}\n", peer.text(),
                           milliseconds_text(*attempt.answer),
                           attempt.accepted ? "it accepts" : attempt.reason);
    }
    const char *step = !attempt.address ? "finding the way"
                       : !attempt.route ? "resolving the route"
                                        : "connecting";
    return fmt::format("{} to {} failed: {}\n", step, peer.text(), attempt.reason);
}

std::string way_text(const SocketAddress &peer, const PathTry &attempt) {
    if (attempt.device.empty()) {
        return {};
    }
    std::string text = fmt::format("{} from {} by {}/{}", peer.host_text(),
                                   attempt.local.host_text(), attempt.device, attempt.port);
    if (attempt.address) {
        text += fmt::format(", address {}", milliseconds_text(*attempt.address));
    }
    if (attempt.route) {
        text += fmt::format(", route {}", milliseconds_text(*attempt.route));
    }
    return text + "\n";
}

Result<Answer> ping_ip(World &world, const std::string &typed, std::uint64_t count,
                       std::optional<std::uint64_t> port) {
    auto server = TRY(parse_server(typed));
    auto addresses = TRY(world.resolver.resolve(server));
    SocketAddress peer = addresses.front();
    if (port) {
        peer.set_port(static_cast<std::uint16_t>(*port));
    }
    Answer answer;
    answer.json = {{"peer", peer.host_text()}, {"attempts", Json::array()}};
    std::uint64_t answers = 0;
    std::string last;
    bool listens = false;
    const auto once = [&](const SocketAddress &where) -> Result<void> {
        auto attempt = TRY(world.paths.attempt(where, step_limit));
        answer.text += answer.text.empty() ? way_text(where, attempt) : "";
        answer.text += attempt_text(where, attempt);
        answer.json["attempts"].push_back(attempt_json(where, attempt));
        answers += attempt.answer ? 1U : 0U;
        listens |= attempt.answer && !attempt.nobody_listens;
        last = attempt.reason;
        return {};
    };
    for (std::uint64_t i = 0; i < count; i++) {
        TRY(once(peer));
    }
    // The peer may serve only NFS.
    if (answers != 0 && !listens && !port && peer.port() == default_port) {
        peer.set_port(nfs_port);
        TRY(once(peer));
    }
    answer.json["reachable"] = answers != 0;
    if (answers == 0) {
        answer.text += fmt::format("{} cannot be reached by RDMA: {}\n", peer.host_text(), last);
        answer.code = ExitCode::try_again;
    } else {
        answer.text += fmt::format("{} can be reached by RDMA\n", peer.host_text());
    }
    return answer;
}

Error no_infiniband(const std::vector<RdmaDevice> &devices) {
    return Error{ExitCode::unavailable,
                 devices.empty()
                     ? "this machine has no RDMA device"
                     : "this machine has no port of InfiniBand: RoCE and iWARP have no LIDs and "
                       "no subnet management",
                 by_address};
}

// A port of InfiniBand, as smpquery and ibping name it.
struct PortAddress {
    std::string text;
    bool guid = false;
};

// Returns none if the text is neither a number of 16 bits nor a GUID.
std::optional<PortAddress> port_address(const std::string &typed) {
    if (const auto lid = parse_lid(typed)) {
        return PortAddress{fmt::format("{}", *lid), false};
    }
    const auto guid = parse_guid(typed);
    return guid ? std::optional(PortAddress{guid_number(*guid), true}) : std::nullopt;
}

Result<PortAddress> checked_address(const std::string &typed) {
    const auto lid = parse_lid(typed);
    const auto address = port_address(typed);
    if (!address || (lid && !is_unicast_lid(*lid))) {
        return Error{ExitCode::usage, fmt::format("'{}' is neither LID nor GUID of a port", typed),
                     "give a LID from 1 to 0xbfff, or a GUID such as 0x0002c90300101234"};
    }
    return *address;
}

Result<void> need_programs(World &world, const std::vector<std::string> &programs) {
    for (const std::string &program : programs) {
        if (!world.processes.there(program)) {
            return Error{ExitCode::unavailable,
                         fmt::format("the program {} is not installed", program),
                         "apt install infiniband-diags, or: dnf install infiniband-diags"};
        }
    }
    return {};
}

// Returns the port that --device names; none: the programs take the first active one.
Result<std::optional<InfinibandPort>> local_port(World &world,
                                                 const std::optional<std::string> &typed) {
    const auto devices = rdma_devices(world.files);
    if (typed) {
        auto port = TRY(find_infiniband_port(devices, *typed, by_address));
        return std::optional(port);
    }
    if (std::none_of(devices.begin(), devices.end(), has_infiniband)) {
        return no_infiniband(devices);
    }
    return std::optional<InfinibandPort>();
}

std::vector<std::string> program_from(const std::optional<InfinibandPort> &port,
                                      const std::string &program) {
    std::vector<std::string> words = {program};
    if (port) {
        const auto options = port->options();
        words.insert(words.end(), options.begin(), options.end());
    }
    return words;
}

Result<Answer> ping_ib(World &world, const std::string &typed, std::uint64_t count,
                       const std::optional<std::string> &device) {
    const auto port = TRY(local_port(world, device));
    auto address = TRY(checked_address(typed));
    TRY(need_programs(world, {"smpquery", "ibping"}));
    std::vector<std::string> words = program_from(port, "smpquery");
    if (address.guid) {
        words.emplace_back("-G");
    }
    words.insert(words.end(), {"nodedesc", address.text});
    auto node = TRY(world.processes.run(words, std::chrono::seconds(10)));
    const std::string from = port ? fmt::format(" from {}", port->text()) : "";
    if (!node.good()) {
        return Error{ExitCode::try_again,
                     fmt::format("no answer from {}{}: {}", typed, from, node.last_words()),
                     fmt::format("see what is in the fabric: causeway fabric{}",
                                 port ? " --device " + port->text() : "")};
    }
    // The output is "Node Description:........host1 mlx4_0".
    std::string name = node.out.substr(node.out.find(':') + 1);
    name.erase(0, name.find_first_not_of('.'));
    Answer answer;
    answer.json = {{"peer", typed},
                   {"device", port ? Json(port->text()) : Json(nullptr)},
                   {"reachable", true},
                   {"description", name}};
    answer.text = fmt::format("{} answers{}: {}\n", typed, from, name);
    words = program_from(port, "ibping");
    words.insert(words.end(),
                 {"-c", fmt::format("{}", count), address.guid ? "-G" : "-L", address.text});
    auto pong = world.processes.run(words, std::chrono::seconds(count + 10));
    if (pong && pong->good() && pong->out.find(" 0 received") == std::string::npos) {
        answer.text += pong->out + "\n";
        answer.json["ibping"] = pong->out;
    } else {
        answer.text += "no process answers ibping there, so the times are unknown; run there: "
                       "causeway ping --serve (or ibping -S)\n";
        answer.json["ibping"] = nullptr;
    }
    return answer;
}

/* ---- serving ---- */

// A port that can serve, with what a peer needs to address it.
struct ServingPort {
    InfinibandPort port;
    std::string lid;
};

Result<ServingPort> serving_port(World &world, const std::optional<std::string> &typed) {
    const auto chosen = TRY(local_port(world, typed));
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        for (const RdmaPort &port : device.ports) {
            const bool wanted = !chosen || (chosen->device == device.name &&
                                            (chosen->port == 0 || chosen->port == port.number));
            if (wanted && is_infiniband(port) && port.state == "ACTIVE") {
                const auto lid = parse_lid(port.lid);
                return ServingPort{{device.name, port.number},
                                   lid ? fmt::format("{}", *lid) : port.lid};
            }
        }
    }
    return Error{ExitCode::unavailable,
                 chosen ? fmt::format("{} has no active port", chosen->text())
                        : "no port of InfiniBand is active here",
                 "see the ports: causeway show; the subnet manager: causeway sm status"};
}

Result<Answer> serve_pings(World &world, const std::optional<std::string> &typed) {
    auto serving = TRY(serving_port(world, typed));
    TRY(need_programs(world, {"ibping"}));
    const Progress::Pause no_line; // the program has the terminal
    world.err << fmt::format("waiting for ibping at {}, until Ctrl-C; on the other host: causeway "
                             "ping {}\n"
                             "a ping by IP address needs nothing at this end: the kernel answers\n",
                             serving.port.text(), serving.lid)
              << std::flush;
    std::vector<std::string> words = program_from(serving.port, "ibping");
    words.emplace_back("-S");
    TRY(world.processes.become(words, {}));
    Answer answer;
    answer.printed = true;
    return answer;
}

/* ---- the verb ---- */

struct Peer {
    std::optional<std::string> ip;
    std::optional<std::string> ib;
};

Result<Peer> chosen_peer(const Arguments &arguments) {
    Peer peer{arguments.text("ip"), arguments.text("ib")};
    const int given =
        (peer.ip ? 1 : 0) + (peer.ib ? 1 : 0) + (arguments.operands().empty() ? 0 : 1);
    if (given != 1) {
        return Error{ExitCode::usage,
                     given == 0 ? "no peer is given" : "HOST, --ip and --ib exclude each other",
                     "give HOST: a name, an IP address, or LID or GUID of an InfiniBand port"};
    }
    if (!arguments.operands().empty()) {
        const std::string &host = arguments.operands().front();
        (port_address(host) ? peer.ib : peer.ip) = host;
    }
    return peer;
}

Result<Answer> run_serve(World &world, const Arguments &arguments) {
    for (const std::string option : {"ip", "ib", "port", "count"}) {
        if (arguments.has(option)) {
            return Error{ExitCode::usage,
                         fmt::format("--serve and --{} exclude each other", option),
                         "give one of them; the peer pings from its end"};
        }
    }
    const auto device = arguments.text("device");
    if (device && !arguments.operands().empty()) {
        return Error{ExitCode::usage, "the port is given twice",
                     "give DEVICE/PORT behind --serve, or --device DEVICE/PORT"};
    }
    return serve_pings(
        world, arguments.operands().empty() ? device : std::optional(arguments.operands().front()));
}

Result<Answer> run_ping(World &world, const Arguments &arguments) {
    if (arguments.has("serve")) {
        return run_serve(world, arguments);
    }
    auto peer = TRY(chosen_peer(arguments));
    auto count = TRY(arguments.number("count", 1, most_pings));
    auto port = TRY(arguments.number("port", 1, UINT16_MAX));
    const auto device = arguments.text("device");
    if (peer.ib && port) {
        return Error{ExitCode::usage, "--port goes with an IP address",
                     "a LID or GUID has no port of a service; for a device: --device DEVICE/PORT"};
    }
    if (peer.ip && device) {
        return Error{ExitCode::usage, "--device goes with a LID or GUID",
                     "the route to an IP address chooses the device: ip route get ADDRESS"};
    }
    const Progress progress(world,
                            fmt::format("waiting for {} to answer", peer.ip ? *peer.ip : *peer.ib));
    return peer.ip ? ping_ip(world, *peer.ip, count.value_or(default_count), port)
                   : ping_ib(world, *peer.ib, count.value_or(default_count), device);
}

const VerbRows ping_rows(Section::seeing, 8, [] {
    return std::vector<Verb>{
        {
            .words = "ping",
            .operands = "[HOST]",
            .summary = "test whether a peer can be reached by RDMA",
            .options = {{"ip", "ADDRESS",
                         "HOST is a name or IP address, even if it looks like a LID or GUID"},
                        {"ib", "LID|GUID", "HOST is the address of an InfiniBand port"},
                        {"device", "DEVICE[/PORT]",
                         "with a LID or GUID, or --serve: InfiniBand port of this machine; by "
                         "default the first active one"},
                        {"port", "N",
                         "with a name or IP address: port of the service; by default 4793, then "
                         "20049"},
                        {"count", "N", "number of pings; by default 3"},
                        {"serve", "",
                         "answer the pings by LID or GUID of other hosts, until Ctrl-C; the "
                         "operand is then DEVICE/PORT"}},
            .most_operands = 1,
            .run = run_ping,
        },
    };
});

} // namespace

} // namespace causeway
