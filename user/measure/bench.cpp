// SPDX-License-Identifier: GPL-2.0-or-later
// bench: measures what the link to a server carries, and compares it with the link's rate. With
// --disk, measures a disk.
#include "command/verb.h"
#include "measure/report.h"

#include "base/disk_name.h"
#include "base/durable_file.h"
#include "host/infiniband_port.h"
#include "host/rdma_devices.h"
#include "measure/bench_disk.h"
#include "measure/link_rate.h"
#include "measure/qperf.h"
#include "show/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <sstream>

namespace causeway {

namespace {

constexpr std::chrono::seconds qperf_grace{20}; // in addition to the duration of a measurement
constexpr std::chrono::milliseconds route_limit{2000};
constexpr int tries = 3; // attempts for each measurement

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

using Link = std::pair<RdmaDevice, RdmaPort>;

std::string link_text(const Link &link) {
    return fmt::format("{}/{}", link.first.name, link.second.number);
}

// Returns the active ports; those that "mlx5_0" or "mlx5_0/1" names, if it is given.
Result<std::vector<Link>> active_links(World &world, const std::optional<std::string> &typed) {
    std::vector<Link> links;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        for (const RdmaPort &port : device.ports) {
            const Link link(device, port);
            if (active(port) && (!typed || *typed == device.name || *typed == link_text(link))) {
                links.push_back(link);
            }
        }
    }
    if (links.empty()) {
        return Error{ExitCode::unavailable,
                     typed ? fmt::format("no port of {} is active", *typed)
                           : "no port of an RDMA device is active here",
                     "see: causeway show"};
    }
    return links;
}

// By RoCE and iWARP the device is that of the route, and qperf cannot choose another.
Result<void> check_route(World &world, const ServerName &server, const Link &wanted) {
    auto addresses = TRY(world.resolver.resolve(server));
    auto attempt = TRY(world.paths.attempt(addresses.front(), route_limit));
    if (attempt.device == wanted.first.name && attempt.port == wanted.second.number) {
        return {};
    }
    return Error{ExitCode::unavailable,
                 attempt.device.empty()
                     ? fmt::format("no RDMA device leads to {}: {}", server.host, attempt.reason)
                     : fmt::format("the route to {} goes by {}/{}, not by {}", server.host,
                                   attempt.device, attempt.port, link_text(wanted)),
                 fmt::format("over Ethernet the address chooses the device: give the address that "
                             "{} has in the network of {}",
                             server.host, link_text(wanted))};
}

std::string qperf_id(const std::string &device_and_port) {
    std::string id = device_and_port;
    std::replace(id.begin(), id.end(), '/', ':');
    return id;
}

// Chooses the device of measurements by RDMA, and sets the link of the result if it is known.
Result<QperfWay> find_way(World &world, const Arguments &arguments, const ServerName &server,
                          const std::vector<BenchTest> &tests, BenchResult &result) {
    const auto typed = arguments.text("device");
    const auto remote = arguments.text("remote-device");
    auto links = TRY(active_links(world, typed));
    const Link &link = links.front();
    const bool infiniband = is_infiniband(link.second);
    const bool by_lid = std::any_of(tests.begin(), tests.end(), [](BenchTest test) {
        return test == BenchTest::uc || test == BenchTest::ud;
    });
    if (links.size() > 1 && !typed && (by_lid || remote)) {
        return Error{ExitCode::usage, "several ports are active here",
                     fmt::format("choose one: --device {}", link_text(link))};
    }
    if (!infiniband && (by_lid || remote)) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} is no port of InfiniBand: qperf needs LIDs for {}",
                                 link_text(link), remote ? "--remote-device" : "uc and ud"),
                     "measure with --tests rc, tcp or udp, without --remote-device"};
    }
    if (typed || links.size() == 1) {
        result.device = link_text(link);
        result.usable = usable_rate(link.first, link.second);
    }
    QperfWay way;
    if (typed && !infiniband) {
        TRY(check_route(world, server, link));
    } else if (infiniband && (typed || remote || by_lid)) {
        way.by_manager = !typed && !remote;
        way.local = qperf_id(link_text(link));
        way.remote = qperf_id(remote.value_or(""));
    }
    return way;
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

// One run of several measurements between the same two hosts.
struct Run {
    std::string server;
    QperfWay way;
    std::uint64_t seconds = 0;
    std::vector<Measurement> measurements;
};

Result<BenchPoint> measure_once(World &world, const Run &run, const Measurement &one) {
    auto end = TRY(world.processes.run(qperf_words(run.server, one, run.way, run.seconds),
                                       qperf_grace + std::chrono::seconds(run.seconds)));
    // qperf also exits with 0 if the test failed.
    auto point = qperf_point(one, end.out);
    if (end.good() && point) {
        return point;
    }
    Error error = no_answer(run.server, end);
    if (end.good() && end.err.empty()) {
        error.what = fmt::format("measuring {} to {} failed: {}", qperf_test(one), run.server,
                                 point.error().what);
    }
    return error;
}

// Each measurement makes its own connection. A failed one is repeated, so that the results of the
// earlier measurements are not lost.
Result<BenchPoint> measure(World &world, const Run &run, const Measurement &one) {
    auto point = measure_once(world, run, one);
    for (int again = 1; !point && again < tries; again++) {
        point = measure_once(world, run, one);
    }
    return point;
}

std::string progress_text(const Run &run, std::size_t number) {
    const Measurement &one = run.measurements.at(number);
    return fmt::format("[{}/{}] {} {}, messages of {} bytes", number + 1, run.measurements.size(),
                       test_word(one.test), bench_title(one.kind), one.size);
}

Result<void> measure_all(World &world, const Run &run, BenchResult &result) {
    Progress progress(world, fmt::format("waiting for {} to answer", run.server));
    auto conf = TRY(world.processes.run(qperf_conf_words(run.server), qperf_grace));
    if (!conf.good()) {
        return no_answer(run.server, conf);
    }
    for (const auto &[name, value] : parse_qperf(conf.out)) {
        result.machines.emplace_back(name, value);
    }
    for (std::size_t i = 0; i < run.measurements.size(); i++) {
        progress.now(progress_text(run, i));
        result.points.push_back(TRY(measure(world, run, run.measurements.at(i))));
    }
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
        Json one = {{"test", test_word(point.test)},
                    {"kind", bench_key(point.kind)},
                    {"message_bytes", point.size},
                    {time   ? "ns"
                     : rate ? "messages_per_s"
                            : "bytes_per_s",
                     point.value},
                    {"local_cpu_percent", or_null(point.cost.local)},
                    {"remote_cpu_percent", or_null(point.cost.remote)},
                    {"send_cost_ns_per_gb", or_null(point.cost.sending)},
                    {"receive_cost_ns_per_gb", or_null(point.cost.receiving)}};
        if (point.sent) {
            one["sent_bytes_per_s"] = *point.sent;
        }
        json["points"].push_back(std::move(one));
    }
    return json;
}

Result<Answer> serve(World &world) {
    const Progress::Pause no_line; // the program has the terminal
    world.err << "serving measurements until it is interrupted; on the other machine: causeway "
                 "bench SERVER\n"
              << std::flush;
    TRY(world.processes.become({"qperf"}, {}));
    Answer answer;
    answer.printed = true;
    return answer;
}

// Returns the tests that --tests names, each once; "rc" without it.
Result<std::vector<BenchTest>> chosen_tests(const Arguments &arguments) {
    if (!arguments.has("tests")) {
        return std::vector{BenchTest::rc};
    }
    std::vector<BenchTest> chosen;
    const auto words = arguments.list("tests");
    for (const std::string &word : words) {
        const auto &all = all_bench_tests();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](BenchTest test) { return test_word(test) == word; });
        if (found == all.end()) {
            return Error{ExitCode::usage, fmt::format("there is no test '{}'", word),
                         "give rc, uc, ud, tcp or udp, with commas between them"};
        }
        if (std::find(chosen.begin(), chosen.end(), *found) == chosen.end()) {
            chosen.push_back(*found);
        }
    }
    return chosen;
}

// Checks options whose meaning depends on others.
Result<void> check_options(const Arguments &arguments, const std::vector<BenchTest> &tests) {
    if (const auto remote = arguments.text("remote-device")) {
        static const std::regex form("[A-Za-z0-9_.-]+(/[1-9][0-9]*)?");
        if (!std::regex_match(*remote, form)) {
            return Error{ExitCode::usage, fmt::format("'{}' is no RDMA device", *remote),
                         "give DEVICE or DEVICE/PORT of the server, such as mlx5_0/1"};
        }
    }
    const bool rdma = std::any_of(tests.begin(), tests.end(), by_rdma);
    for (const std::string option : {"device", "remote-device"}) {
        if (!rdma && arguments.has(option)) {
            return Error{ExitCode::usage,
                         fmt::format("--{} goes with the tests rc, uc and ud", option),
                         "TCP and UDP go by the route to the server's address"};
        }
    }
    return {};
}

// The options of a link mean nothing for a disk.
Result<void> check_disk_options(const Arguments &arguments) {
    for (const std::string option : {"serve", "tests", "device", "remote-device"}) {
        if (arguments.has(option)) {
            return Error{ExitCode::usage,
                         fmt::format("--{} is for a link, and --disk measures a disk", option),
                         "leave one of them out"};
        }
    }
    if (!arguments.operands().empty()) {
        return Error{ExitCode::usage,
                     fmt::format("'{}' is a server, and --disk measures a disk of this machine",
                                 arguments.operands().front()),
                     fmt::format("to measure the link to it: causeway bench {}",
                                 arguments.operands().front())};
    }
    return {};
}

Answer show_commands(const Run &run) {
    std::vector<std::vector<std::string>> commands{qperf_conf_words(run.server)};
    for (const Measurement &one : run.measurements) {
        commands.push_back(qperf_words(run.server, one, run.way, run.seconds));
    }
    return commands_answer(commands);
}

constexpr std::uint64_t usual_seconds = 2;

Result<Answer> bench_link(World &world, const Arguments &arguments,
                          const std::vector<BenchTest> &tests, std::uint64_t seconds) {
    auto server = TRY(parse_server(arguments.operands().front()));
    BenchResult result;
    result.server = server.host;
    Run run{server.host, {}, seconds, {}};
    if (std::any_of(tests.begin(), tests.end(), by_rdma)) {
        run.way = TRY(find_way(world, arguments, server, tests, result));
    }
    for (const BenchTest test : tests) {
        const auto more = measurements_of(test);
        run.measurements.insert(run.measurements.end(), more.begin(), more.end());
    }
    if (arguments.dry_run()) {
        return show_commands(run);
    }
    TRY(measure_all(world, run, result));
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

Result<Answer> run_bench(World &world, const Arguments &arguments) {
    if (arguments.has("disk")) {
        TRY(check_disk_options(arguments));
        auto seconds = TRY(arguments.number("time", 1, 600));
        return bench_disk(world, arguments, seconds.value_or(usual_seconds));
    }
    if (arguments.has("serve") == !arguments.operands().empty()) {
        return Error{ExitCode::usage, "either a server is measured or this machine serves",
                     "give SERVER, and on that machine: causeway bench --serve"};
    }
    auto seconds = TRY(arguments.number("time", 1, 600));
    auto tests = TRY(chosen_tests(arguments));
    TRY(check_options(arguments, tests));
    TRY(need_qperf(world));
    if (arguments.has("serve")) {
        if (arguments.dry_run()) {
            return commands_answer({{"qperf"}});
        }
        return serve(world);
    }
    return bench_link(world, arguments, tests, seconds.value_or(usual_seconds));
}

const VerbRows bench_rows(Section::seeing, 7, [] {
    return std::vector<Verb>{
        {
            .words = "bench",
            .operands = "[SERVER]",
            .summary = "measure the link to a server by qperf, or reads of a disk by fio",
            .options = {{"disk", "DISK",
                         "measure reads of an attached disk SERVER/NAME, of the device behind an "
                         "export, or of a device /dev/...; never writes"},
                        {"serve", "",
                         "let other machines measure to this machine, until interrupted"},
                        {"tests", "TEST,...",
                         "transports to measure: rc, uc, ud, tcp, udp; by default rc", true},
                        {"time", "SECONDS", "time of each measurement; by default 2"},
                        {"device", "DEVICE[/PORT]",
                         "port of this machine that is measured, for rc, uc and ud"},
                        {"remote-device", "DEVICE[/PORT]",
                         "port of the server that is measured; InfiniBand only"},
                        {"report", "FILE",
                         "write a page with plots: HTML that needs no other file"},
                        {"dry-run", "", "show the commands that would measure, and run none"}},
            .most_operands = 1,
            .run = run_bench,
        },
    };
});

} // namespace

} // namespace causeway
