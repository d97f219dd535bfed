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

struct BenchPoint {
    BenchKind kind = BenchKind::one_way;
    std::uint64_t size = 0; // bytes of one message
    double value = 0;       // by kind: bytes per second, nanoseconds, or messages per second
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

// Returns "9.8 Gb/s", "1.9 us" or "1,234,567 /s".
std::string bench_value(const BenchPoint &point);

// Returns the best bandwidth of this kind divided by the usable rate, 0 to 1. Two-way measurements
// are divided by twice the rate.
std::optional<double> bench_share(const BenchResult &result, BenchKind kind);

std::string bench_text(const BenchResult &result, const Terminal &terminal);

// Returns one HTML file that needs no other files: plots as SVG, and the values as tables.
std::string bench_page(const BenchResult &result);

} // namespace causeway
