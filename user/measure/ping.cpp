// SPDX-License-Identifier: GPL-2.0-or-later
// ping --ip, ping --ib: tests whether a peer can be reached by RDMA, and measures the response
// time.
//
// By IP address the RDMA connection manager sends a request, so the test works on InfiniBand, RoCE
// and iWARP, and needs no program on the peer: a refusal is a reply too. By LID or GUID the test is
// a query of subnet management, to which every InfiniBand port replies.
#include "base/units.h"
#include "command/verb.h"
#include "host/ib_address.h"
#include "host/rdma_devices.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::uint64_t most_pings = 1000;
constexpr std::uint64_t default_count = 3;
constexpr std::chrono::milliseconds step_limit{2000};
constexpr std::uint16_t nfs_port = 20049;

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
                 "ping by address: causeway ping --ip ADDRESS"};
}

Result<Answer> ping_ib(World &world, const std::string &typed, std::uint64_t count) {
    const auto devices = rdma_devices(world.files);
    const bool any = std::any_of(devices.begin(), devices.end(), [](const RdmaDevice &device) {
        return std::any_of(device.ports.begin(), device.ports.end(),
                           [](const RdmaPort &port) { return port.link_layer == "InfiniBand"; });
    });
    if (!any) {
        return no_infiniband(devices);
    }
    const auto guid = parse_guid(typed);
    const auto lid = parse_lid(typed);
    if (!guid && (!lid || !is_unicast_lid(*lid))) {
        return Error{ExitCode::usage, fmt::format("'{}' is neither LID nor GUID of a port", typed),
                     "give a LID from 1 to 0xbfff, or a GUID such as 0x0002c90300101234"};
    }
    for (const std::string program : {"smpquery", "ibping"}) {
        if (!world.processes.there(program)) {
            return Error{ExitCode::unavailable,
                         fmt::format("the program {} is not installed", program),
                         "apt install infiniband-diags, or: dnf install infiniband-diags"};
        }
    }
    const std::string where = guid ? guid_number(*guid) : fmt::format("{}", *lid);
    std::vector<std::string> words = {"smpquery"};
    if (guid) {
        words.emplace_back("-G");
    }
    words.insert(words.end(), {"nodedesc", where});
    auto node = TRY(world.processes.run(words, std::chrono::seconds(10)));
    if (!node.good()) {
        return Error{ExitCode::try_again,
                     fmt::format("no answer from {}: {}", typed, node.last_words()),
                     "see what is in the fabric: causeway fabric"};
    }
    // The output is "Node Description:........host1 mlx4_0".
    std::string name = node.out.substr(node.out.find(':') + 1);
    name.erase(0, name.find_first_not_of('.'));
    Answer answer;
    answer.json = {{"peer", typed}, {"reachable", true}, {"description", name}};
    answer.text = fmt::format("{} answers: {}\n", typed, name);
    auto pong =
        world.processes.run({"ibping", "-c", fmt::format("{}", count), guid ? "-G" : "-L", where},
                            std::chrono::seconds(count + 10));
    if (pong && pong->good() && pong->out.find(" 0 received") == std::string::npos) {
        answer.text += pong->out + "\n";
        answer.json["ibping"] = pong->out;
    } else {
        answer.text += "no process answers ibping there, so the times are unknown; run there: "
                       "ibping -S\n";
        answer.json["ibping"] = nullptr;
    }
    return answer;
}

Result<Answer> run_ping(World &world, const Arguments &arguments) {
    const auto ip = arguments.text("ip");
    const auto ib = arguments.text("ib");
    if (ip.has_value() == ib.has_value()) {
        return Error{ExitCode::usage, ip ? "--ip and --ib exclude each other" : "no peer is given",
                     "give --ip ADDRESS, or --ib LID or GUID"};
    }
    auto count = TRY(arguments.number("count", 1, most_pings));
    auto port = TRY(arguments.number("port", 1, UINT16_MAX));
    if (ib && port) {
        return Error{ExitCode::usage, "--port goes with --ip",
                     "a LID or GUID has no port of a service"};
    }
    return ip ? ping_ip(world, *ip, count.value_or(default_count), port)
              : ping_ib(world, *ib, count.value_or(default_count));
}

const VerbRows ping_rows(Section::seeing, 8, [] {
    return std::vector<Verb>{
        {
            .words = "ping",
            .summary = "test whether a peer can be reached by RDMA",
            .options = {{"ip", "ADDRESS", "IP address of the peer, on InfiniBand, RoCE and iWARP"},
                        {"ib", "LID|GUID", "address of an InfiniBand port of the peer"},
                        {"port", "N",
                         "with --ip: port of the service; by default 4793, then 20049"},
                        {"count", "N", "number of pings; by default 3"}},
            .run = run_ping,
        },
    };
});

} // namespace

} // namespace causeway
