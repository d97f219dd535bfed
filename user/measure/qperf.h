// SPDX-License-Identifier: GPL-2.0-or-later
// Runs qperf(1), which measures what a link carries. One server process of it serves all tests, one
// after the other, and needs no options, unlike the programs of perftest.
#pragma once

#include "base/result.h"
#include "measure/report.h"

#include <map>
#include <string>
#include <vector>

namespace causeway {

struct Measurement {
    BenchTest test;
    BenchKind kind;
    std::uint64_t size;
};

// Returns the measurements of a test, in the order in which they are made.
std::vector<Measurement> measurements_of(BenchTest test);

// The way of a measurement by RDMA.
struct QperfWay {
    // True: the RDMA connection manager connects, and chooses device and GID by the address. It
    // connects RC only. False: qperf exchanges LIDs, which only InfiniBand has.
    bool by_manager = true;
    std::string local;  // "mlx5_0:1", without the manager; empty: the first device
    std::string remote; // the same of the server
};

// Returns the name of the test in qperf: "rc_bi_bw".
std::string qperf_test(const Measurement &one);
// Returns the command line of one measurement of @seconds seconds.
std::vector<std::string> qperf_words(const std::string &server, const Measurement &one,
                                     const QperfWay &way, std::uint64_t seconds);
std::vector<std::string> qperf_conf_words(const std::string &server);

// Parses lines "name = value". The value includes the unit: {"bw": "1234 bytes/sec"}.
std::map<std::string, std::string> parse_qperf(const std::string &output);

// Returns the measured value in the output, with its cost. Returns an error if the output is that
// of another test, if the value is missing, or if a value is no number of its unit.
Result<BenchPoint> qperf_point(const Measurement &one, const std::string &output);

} // namespace causeway
