// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/qperf.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sstream>
#include <system_error>

namespace causeway {

namespace {

std::string trimmed(const std::string &text) {
    const std::size_t start = text.find_first_not_of(" \t");
    const std::size_t end = text.find_last_not_of(" \t\r");
    return start == std::string::npos ? "" : text.substr(start, end - start + 1);
}

const char *test_of(BenchKind kind) {
    switch (kind) {
    case BenchKind::two_way:
        return "rc_bi_bw";
    case BenchKind::latency:
        return "rc_lat";
    case BenchKind::one_way:
    case BenchKind::messages:
        break;
    }
    return "rc_bw";
}

struct Figure {
    const char *name;
    const char *unit;
};

Figure figure_of(BenchKind kind) {
    switch (kind) {
    case BenchKind::latency:
        return {"latency", "ns"};
    case BenchKind::messages:
        return {"msg_rate", "/sec"};
    case BenchKind::one_way:
    case BenchKind::two_way:
        break;
    }
    return {"bw", "bytes/sec"};
}

} // namespace

std::vector<std::string> qperf_words(const std::string &server, BenchKind kind, std::uint64_t size,
                                     std::uint64_t seconds) {
    // -cm1: the RDMA connection manager connects, and chooses device and GID by the address. -uu:
    // the unit does not depend on the value.
    return {"qperf",
            server,
            "-cm1",
            "-uu",
            "-v",
            "-t",
            fmt::format("{}", seconds),
            "-m",
            fmt::format("{}", size),
            test_of(kind)};
}

std::vector<std::string> qperf_conf_words(const std::string &server) {
    return {"qperf", server, "conf"};
}

std::map<std::string, std::string> parse_qperf(const std::string &output) {
    std::map<std::string, std::string> values;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t equals = line.find('=');
        if (equals != std::string::npos) {
            values[trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
        }
    }
    return values;
}

Result<BenchPoint> qperf_point(BenchKind kind, std::uint64_t size, const std::string &output) {
    const auto values = parse_qperf(output);
    const Figure figure = figure_of(kind);
    const auto found = values.find(figure.name);
    if (found == values.end()) {
        return Error{ExitCode::failed, fmt::format("qperf reported no {}", figure.name)};
    }
    const std::string &text = found->second;
    const std::size_t space = text.find(' ');
    std::uint64_t number = 0;
    const char *end = text.data() + std::min(space, text.size());
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || space == std::string::npos ||
        text.substr(space + 1) != figure.unit) {
        return Error{ExitCode::failed, fmt::format("qperf reported \"{} = {}\", not a whole number "
                                                   "of {}",
                                                   figure.name, text, figure.unit)};
    }
    return BenchPoint{kind, size, static_cast<double>(number)};
}

} // namespace causeway
