// SPDX-License-Identifier: GPL-2.0-or-later
// The program qperf(1), which measures what a link carries. One server of it serves every test in
// turn and needs no options, unlike those of perftest.
#pragma once

#include "base/result.h"
#include "measure/report.h"

#include <map>
#include <string>
#include <vector>

namespace causeway {

// The words of one measurement. seconds: how long it takes.
std::vector<std::string> qperf_words(const std::string &server, BenchKind kind, std::uint64_t size,
                                     std::uint64_t seconds);
std::vector<std::string> qperf_conf_words(const std::string &server);

// "name = value" of each line, the unit with it: {"bw": "1234 bytes/sec"}.
std::map<std::string, std::string> parse_qperf(const std::string &output);

// What of its output is the measurement; an error where it is not there or no number.
Result<BenchPoint> qperf_point(BenchKind kind, std::uint64_t size, const std::string &output);

} // namespace causeway
