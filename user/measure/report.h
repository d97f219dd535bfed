// SPDX-License-Identifier: GPL-2.0-or-later
// What a measurement of the link found, as tables and as a page with plots.
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
    std::uint64_t size = 0; // bytes of a message
    double value = 0;       // bytes per second; nanoseconds; messages per second
};

struct BenchResult {
    std::string server;
    std::string device;           // "mlx5_0/1"; empty where it is not known
    std::optional<double> usable; // bytes per second that the link leaves for data
    std::vector<std::pair<std::string, std::string>> machines; // "local cpu", "48 Cores: ..."
    std::vector<BenchPoint> points;
};

// "one-way bandwidth", and its word in JSON: "one_way".
std::string bench_title(BenchKind kind);
std::string bench_key(BenchKind kind);

// "9.8 Gb/s", "1.9 us", "1,234,567 /s".
std::string bench_value(const BenchPoint &point);

// The best bandwidth of its kind by the usable rate, 0 to 1; two ways have twice that rate.
std::optional<double> bench_share(const BenchResult &result, BenchKind kind);

std::string bench_text(const BenchResult &result, const Terminal &terminal);

// One HTML file that needs no other: plots as SVG, and the figures as tables.
std::string bench_page(const BenchResult &result);

} // namespace causeway
