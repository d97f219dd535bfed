// SPDX-License-Identifier: GPL-2.0-or-later
// bench: measures what the link to a server carries, and compares it with the link's rate.
#include "command/verb.h"
#include "measure/report.h"

#include "base/disk_name.h"
#include "base/durable_file.h"
#include "host/rate.h"
#include "host/rdma_devices.h"
#include "measure/qperf.h"

#include <array>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

struct Measurement {
    BenchKind kind;
    std::uint64_t size;
};

constexpr std::array measurements = {
    Measurement{BenchKind::one_way, 4096},    Measurement{BenchKind::one_way, 16384},
    Measurement{BenchKind::one_way, 65536},   Measurement{BenchKind::one_way, 262144},
    Measurement{BenchKind::one_way, 1048576}, Measurement{BenchKind::two_way, 4096},
    Measurement{BenchKind::two_way, 65536},   Measurement{BenchKind::two_way, 1048576},
    Measurement{BenchKind::latency, 8},       Measurement{BenchKind::latency, 512},
    Measurement{BenchKind::latency, 4096},    Measurement{BenchKind::latency, 65536},
    Measurement{BenchKind::messages, 8},
};

constexpr std::chrono::seconds qperf_grace{20}; // in addition to the duration of a measurement
constexpr int tries = 3;                        // attempts for each measurement

Result<void> need_qperf(World &world) {
    if (world.processes.there("qperf")) {
        return {};
    }
    return Error{ExitCode::unavailable, "the program qperf is not installed here",
                 "apt install qperf, or: dnf install qperf"};
}

/* ---- the rate of the link ---- */

bool active(const RdmaPort &port) {
    return port.state == "ACTIVE";
}

// Returns bytes per second. Returns none for a software device, whose rate means nothing.
std::optional<double> usable_rate(const RdmaDevice &device, const RdmaPort &port) {
    const auto rate = parse_rate(port.rate);
    if (!rate || !device.soft.empty()) {
        return std::nullopt;
    }
    const bool coded = port.link_layer == "InfiniBand" && rate->usable > 0;
    constexpr double bytes_of_gigabit = 1e9 / 8;
    return (coded ? rate->usable : rate->signalled) * bytes_of_gigabit;
}

// Sets the link of the result if exactly one port is active, counting only the named device if one
// is named. Returns an error if no port is active.
Result<void> find_link(World &world, const Arguments &arguments, BenchResult &result) {
    const auto typed = arguments.text("device");
    std::vector<std::pair<RdmaDevice, RdmaPort>> links;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        for (const RdmaPort &port : device.ports) {
            if (active(port) && (!typed || device.name == *typed)) {
                links.emplace_back(device, port);
            }
        }
    }
    if (links.empty()) {
        return Error{ExitCode::unavailable,
                     typed ? fmt::format("no port of {} is active", *typed)
                           : "no port of an RDMA device is active here",
                     "see: causeway show"};
    }
    if (links.size() == 1) {
        const auto &[device, port] = links.front();
        result.device = fmt::format("{}/{}", device.name, port.number);
        result.usable = usable_rate(device, port);
    }
    return {};
}

/* ---- measuring ---- */

// Joins the lines of the error output. The first states the failure, the last the event that qperf
// waited for.
std::string words_of(const ProcessEnd &end) {
    std::string words;
    std::istringstream lines(end.err);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t start = line.find_first_not_of(" \t");
        if (start != std::string::npos) {
            words += (words.empty() ? "" : "; ") + line.substr(start);
        }
    }
    return words.empty() ? end.last_words() : words;
}

Error no_answer(const std::string &server, const ProcessEnd &end) {
    const std::string said = end.timed_out ? "no answer in time" : words_of(end);
    return Error{end.timed_out ? ExitCode::try_again : ExitCode::failed,
                 fmt::format("measuring to {} failed: {}", server, said),
                 "run this there, and let TCP port 19765 and what it agrees on through the "
                 "firewall: causeway bench --serve"};
}

Result<BenchPoint> measure_once(World &world, const std::string &server, const Measurement &one,
                                std::uint64_t seconds) {
    auto end = TRY(world.processes.run(qperf_words(server, one.kind, one.size, seconds),
                                       qperf_grace + std::chrono::seconds(seconds)));
    // qperf also exits with 0 if the test failed.
    auto point = qperf_point(one.kind, one.size, end.out);
    return end.good() && point ? point : no_answer(server, end);
}

// Each measurement makes its own connection. A failed one is repeated, so that the results of the
// earlier measurements are not lost.
Result<BenchPoint> measure(World &world, const std::string &server, const Measurement &one,
                           std::uint64_t seconds) {
    auto point = measure_once(world, server, one, seconds);
    for (int again = 1; !point && again < tries; again++) {
        point = measure_once(world, server, one, seconds);
    }
    return point;
}

void show_progress(World &world, std::size_t number, const Measurement &one) {
    if (world.terminal.columns != 0 && !world.json) {
        world.err << fmt::format("\r\033[K[{}/{}] {}, messages of {} bytes", number + 1,
                                 measurements.size(), bench_title(one.kind), one.size)
                  << std::flush;
    }
}

void end_progress(World &world) {
    if (world.terminal.columns != 0 && !world.json) {
        world.err << "\r\033[K" << std::flush;
    }
}

Result<void> measure_all(World &world, std::uint64_t seconds, BenchResult &result) {
    auto conf = TRY(world.processes.run(qperf_conf_words(result.server), qperf_grace));
    if (!conf.good()) {
        return no_answer(result.server, conf);
    }
    for (const auto &[name, value] : parse_qperf(conf.out)) {
        result.machines.emplace_back(name, value);
    }
    for (std::size_t i = 0; i < measurements.size(); i++) {
        show_progress(world, i, measurements.at(i));
        auto point = measure(world, result.server, measurements.at(i), seconds);
        if (!point) {
            end_progress(world);
            return point.error();
        }
        result.points.push_back(*point);
    }
    end_progress(world);
    return {};
}

Json result_json(const BenchResult &result) {
    Json json = {{"server", result.server},
                 {"device", result.device.empty() ? Json(nullptr) : Json(result.device)},
                 {"usable_bytes_per_s", result.usable ? Json(*result.usable) : Json(nullptr)}};
    for (const BenchKind kind : {BenchKind::one_way, BenchKind::two_way}) {
        const auto share = bench_share(result, kind);
        json[bench_key(kind) + "_share"] = share ? Json(*share) : Json(nullptr);
    }
    json["machines"] = Json::object();
    for (const auto &[name, value] : result.machines) {
        json["machines"][name] = value;
    }
    json["points"] = Json::array();
    for (const BenchPoint &point : result.points) {
        const bool time = point.kind == BenchKind::latency;
        const bool rate = point.kind == BenchKind::messages;
        json["points"].push_back({{"kind", bench_key(point.kind)},
                                  {"message_bytes", point.size},
                                  {time   ? "ns"
                                   : rate ? "messages_per_s"
                                          : "bytes_per_s",
                                   point.value}});
    }
    return json;
}

Result<Answer> serve(World &world) {
    world.err << "serving measurements until it is interrupted; on the other machine: causeway "
                 "bench SERVER\n"
              << std::flush;
    TRY(world.processes.become({"qperf"}, {}));
    Answer answer;
    answer.printed = true;
    return answer;
}

Result<Answer> run_bench(World &world, const Arguments &arguments) {
    if (arguments.has("serve") == !arguments.operands().empty()) {
        return Error{ExitCode::usage, "either a server is measured or this machine serves",
                     "give SERVER, and on that machine: causeway bench --serve"};
    }
    auto seconds = TRY(arguments.number("time", 1, 600));
    TRY(need_qperf(world));
    if (arguments.has("serve")) {
        return serve(world);
    }
    auto server = TRY(parse_server(arguments.operands().front()));
    BenchResult result;
    result.server = server.host;
    TRY(find_link(world, arguments, result));
    TRY(measure_all(world, seconds.value_or(2), result));
    Answer answer;
    answer.json = result_json(result);
    answer.text = bench_text(result, world.terminal);
    if (const auto place = arguments.text("report")) {
        TRY(write_durably(*place, bench_page(result), 0644));
        answer.text += fmt::format("the report is in {}\n", *place);
        answer.json["report"] = *place;
    }
    return answer;
}

const VerbRows bench_rows(Section::seeing, 7, [] {
    return std::vector<Verb>{
        {
            .words = "bench",
            .operands = "[SERVER]",
            .summary = "measure bandwidth, latency and message rate to a server, by qperf",
            .options = {{"serve", "",
                         "let other machines measure to this machine, until interrupted"},
                        {"time", "SECONDS", "time of each measurement; by default 2"},
                        {"device", "DEVICE",
                         "device with whose rate the result is compared, if several are active"},
                        {"report", "FILE",
                         "write a page with plots: HTML that needs no other file"}},
            .most_operands = 1,
            .run = run_bench,
        },
    };
});

} // namespace

} // namespace causeway
