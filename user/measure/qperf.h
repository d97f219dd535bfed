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

// Returns the command line of one measurement of @seconds seconds.
std::vector<std::string> qperf_words(const std::string &server, BenchKind kind, std::uint64_t size,
                                     std::uint64_t seconds);
std::vector<std::string> qperf_conf_words(const std::string &server);

// Parses lines "name = value". The value includes the unit: {"bw": "1234 bytes/sec"}.
std::map<std::string, std::string> parse_qperf(const std::string &output);

// Returns the measured value in the output. Returns an error if it is missing or no number.
Result<BenchPoint> qperf_point(BenchKind kind, std::uint64_t size, const std::string &output);

} // namespace causeway
