// SPDX-License-Identifier: GPL-2.0-or-later
// The results of measuring a link, as tables and as a page with plots.
#pragma once

#include "machine/terminal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace causeway {

enum class BenchKind { one_way, two_way, latency, messages };

// The transport that is measured: reliable connection, unreliable connection and datagram of RDMA;
// TCP and UDP.
enum class BenchTest { rc, uc, ud, tcp, udp };

// The use of processors by a measurement. None: qperf has not reported the value.
struct BenchCost {
    // In percent of one processor: 200 if two were busy all the time.
    std::optional<double> local;
    std::optional<double> remote;
    // Nanoseconds of a processor for 10^9 bytes.
    std::optional<double> sending;
    std::optional<double> receiving;
};

struct BenchPoint {
    BenchKind kind = BenchKind::one_way;
    std::uint64_t size = 0; // bytes of one message
    double value = 0;       // by kind: bytes per second, nanoseconds, or messages per second
    BenchTest test = BenchTest::rc;
    BenchCost cost{};
    // Bytes per second that were sent, where the transport may lose messages. The value is what
    // arrived.
    std::optional<double> sent{};
};

struct BenchResult {
    std::string server;
    std::string device;           // "mlx5_0/1"; empty: unknown
    std::optional<double> usable; // bytes per second that the link can carry as data
    std::vector<std::pair<std::string, std::string>> machines; // "local cpu", "48 Cores: ..."
    std::vector<BenchPoint> points;
};

// Return "one-way bandwidth", and its key in JSON, "one_way".
std::string bench_title(BenchKind kind);
std::string bench_key(BenchKind kind);

// Return "rc", the word of --tests, and true for the transports of RDMA.
std::string test_word(BenchTest test);
bool by_rdma(BenchTest test);
const std::vector<BenchTest> &all_bench_tests();

// Returns "9.8 Gb/s", "1.9 us" or "1,234,567 /s".
std::string bench_value(const BenchPoint &point);
// Returns "199 %" or "1.2 s/GB"; empty if it is not known.
std::string cpu_text(const std::optional<double> &percent);
std::string cost_text(const std::optional<double> &nanoseconds);

// Returns the best bandwidth by RDMA of this kind divided by the usable rate, 0 to 1. Two-way
// measurements are divided by twice the rate.
std::optional<double> bench_share(const BenchResult &result, BenchKind kind);

std::string bench_text(const BenchResult &result, const Terminal &terminal);

// Returns one HTML file that needs no other files: plots as SVG, and the values as tables.
std::string bench_page(const BenchResult &result);

} // namespace causeway
