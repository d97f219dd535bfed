// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/qperf.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

namespace causeway {

namespace {

using Values = std::map<std::string, std::string>;

std::string trimmed(const std::string &text) {
    const std::size_t start = text.find_first_not_of(" \t");
    const std::size_t end = text.find_last_not_of(" \t\r");
    return start == std::string::npos ? "" : text.substr(start, end - start + 1);
}

struct Figure {
    const char *name;
    const char *unit;
};

// RC and TCP lose nothing, so qperf reports one bandwidth for both ends.
bool may_lose(BenchTest test) {
    return test != BenchTest::rc && test != BenchTest::tcp;
}

Figure figure_of(const Measurement &one) {
    switch (one.kind) {
    case BenchKind::latency:
        return {"latency", "ns"};
    case BenchKind::messages:
        return {"msg_rate", "/sec"};
    case BenchKind::one_way:
    case BenchKind::two_way:
        break;
    }
    return {may_lose(one.test) ? "recv_bw" : "bw", "bytes/sec"};
}

// Parses digits with at most one point between them: "1234", "1.98".
std::optional<double> plain_number(const std::string &text) {
    constexpr std::size_t most_decimals = 9;
    const std::size_t point = std::min(text.find('.'), text.size());
    std::array<std::uint64_t, 2> parts{};
    const std::array<std::string, 2> texts = {text.substr(0, point),
                                              point == text.size() ? "0" : text.substr(point + 1)};
    for (std::size_t i = 0; i < texts.size(); i++) {
        const char *end = texts.at(i).data() + texts.at(i).size();
        const auto read = std::from_chars(texts.at(i).data(), end, parts.at(i));
        if (read.ec != std::errc() || read.ptr != end) {
            return std::nullopt;
        }
    }
    if (texts[1].size() > most_decimals) {
        return std::nullopt;
    }
    return static_cast<double>(parts[0]) +
           static_cast<double>(parts[1]) / std::pow(10.0, static_cast<double>(texts[1].size()));
}

// Parses "1234 bytes/sec" or "1.98 % cpus". Returns none if qperf has not reported the figure.
Result<std::optional<double>> number_of(const Values &values, const Figure &figure) {
    const auto found = values.find(figure.name);
    if (found == values.end()) {
        return std::optional<double>();
    }
    const std::string &text = found->second;
    const std::size_t space = std::min(text.find(' '), text.size());
    const auto number = plain_number(text.substr(0, space));
    if (!number || space == text.size() || text.substr(space + 1) != figure.unit) {
        return Error{ExitCode::failed, fmt::format("qperf reported \"{} = {}\", not a number of {}",
                                                   figure.name, text, figure.unit)};
    }
    return number;
}

Result<BenchCost> cost_of(const Values &values) {
    constexpr const char *percent = "% cpus";
    constexpr const char *cost = "ns/GB";
    BenchCost costs;
    costs.local = TRY(number_of(values, {"loc_cpus_used", percent}));
    costs.remote = TRY(number_of(values, {"rem_cpus_used", percent}));
    costs.sending = TRY(number_of(values, {"send_cost", cost}));
    costs.receiving = TRY(number_of(values, {"recv_cost", cost}));
    return costs;
}

// Returns true if a line of the output is the name of the test, with a colon.
bool is_output_of(const std::string &output, const std::string &test) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (trimmed(line) == test + ":") {
            return true;
        }
    }
    return false;
}

} // namespace

std::vector<Measurement> measurements_of(BenchTest test) {
    using Kind = BenchKind;
    struct Row {
        Kind kind;
        std::vector<std::uint64_t> sizes;
    };
    std::vector<Row> rows;
    switch (test) {
    case BenchTest::rc:
        rows = {{Kind::one_way, {4096, 16384, 65536, 262144, 1048576}},
                {Kind::two_way, {4096, 65536, 1048576}},
                {Kind::latency, {8, 512, 4096, 65536}},
                {Kind::messages, {8}}};
        break;
    case BenchTest::uc:
        rows = {{Kind::one_way, {4096, 65536, 1048576}},
                {Kind::latency, {8, 4096}},
                {Kind::messages, {8}}};
        break;
    case BenchTest::ud:
        // A datagram is one packet; every InfiniBand link carries 2048 bytes.
        rows = {{Kind::one_way, {256, 2048}}, {Kind::latency, {8, 2048}}, {Kind::messages, {8}}};
        break;
    case BenchTest::tcp:
        rows = {{Kind::one_way, {4096, 65536, 1048576}},
                {Kind::latency, {8, 4096, 65536}},
                {Kind::messages, {8}}};
        break;
    case BenchTest::udp:
        rows = {{Kind::one_way, {1024, 8192, 32768}},
                {Kind::latency, {8, 1024}},
                {Kind::messages, {8}}};
        break;
    }
    std::vector<Measurement> all;
    for (const Row &row : rows) {
        for (const std::uint64_t size : row.sizes) {
            all.push_back({test, row.kind, size});
        }
    }
    return all;
}

std::string qperf_test(const Measurement &one) {
    const char *suffix = one.kind == BenchKind::latency   ? "lat"
                         : one.kind == BenchKind::two_way ? "bi_bw"
                                                          : "bw";
    return fmt::format("{}_{}", test_word(one.test), suffix);
}

std::vector<std::string> qperf_words(const std::string &server, const Measurement &one,
                                     const QperfWay &way, std::uint64_t seconds) {
    std::vector<std::string> words = {"qperf", server};
    if (one.test == BenchTest::rc && way.by_manager) {
        words.emplace_back("-cm1");
    } else if (by_rdma(one.test)) {
        for (const auto &[option, device] :
             {std::pair("-li", way.local), std::pair("-ri", way.remote)}) {
            if (!device.empty()) {
                words.insert(words.end(), {option, device});
            }
        }
    }
    // -uu: the unit does not depend on the value. -un: the names of figures do not depend on who
    // sends.
    words.insert(words.end(), {"-uu", "-un", "-v", "-t", fmt::format("{}", seconds), "-m",
                               fmt::format("{}", one.size), qperf_test(one)});
    return words;
}

std::vector<std::string> qperf_conf_words(const std::string &server) {
    return {"qperf", server, "conf"};
}

std::map<std::string, std::string> parse_qperf(const std::string &output) {
    Values values;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t equals = line.find('=');
        if (equals != std::string::npos) {
            values[trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
        }
    }
    return values;
}

Result<BenchPoint> qperf_point(const Measurement &one, const std::string &output) {
    const std::string test = qperf_test(one);
    if (!is_output_of(output, test)) {
        return Error{ExitCode::failed, fmt::format("qperf printed no result of {}", test)};
    }
    const auto values = parse_qperf(output);
    const Figure figure = figure_of(one);
    const auto number = TRY(number_of(values, figure));
    if (!number) {
        return Error{ExitCode::failed, fmt::format("qperf reported no {}", figure.name)};
    }
    BenchPoint point{one.kind, one.size, *number, one.test};
    point.cost = TRY(cost_of(values));
    if (may_lose(one.test) && one.kind == BenchKind::one_way) {
        point.sent = TRY(number_of(values, {"send_bw", "bytes/sec"}));
    }
    return point;
}

} // namespace causeway
