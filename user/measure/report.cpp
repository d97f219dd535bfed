// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/report.h"

#include "base/units.h"
#include "show/table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::array kinds = {BenchKind::one_way, BenchKind::two_way, BenchKind::latency,
                              BenchKind::messages};

std::string gigabits(double bytes_per_second) {
    return fmt::format("{:.4g} Gb/s", bytes_per_second * 8e-9);
}

} // namespace

std::string bench_title(BenchKind kind) {
    switch (kind) {
    case BenchKind::one_way:
        return "one-way bandwidth";
    case BenchKind::two_way:
        return "two-way bandwidth";
    case BenchKind::latency:
        return "latency";
    case BenchKind::messages:
        break;
    }
    return "message rate";
}

std::string bench_key(BenchKind kind) {
    switch (kind) {
    case BenchKind::one_way:
        return "one_way";
    case BenchKind::two_way:
        return "two_way";
    case BenchKind::latency:
        return "latency";
    case BenchKind::messages:
        break;
    }
    return "messages";
}

std::string bench_value(const BenchPoint &point) {
    switch (point.kind) {
    case BenchKind::latency:
        return latency_text(point.value);
    case BenchKind::messages:
        return count_text(static_cast<std::uint64_t>(point.value)) + " /s";
    case BenchKind::one_way:
    case BenchKind::two_way:
        break;
    }
    return gigabits(point.value);
}

std::optional<double> bench_share(const BenchResult &result, BenchKind kind) {
    if (!result.usable || *result.usable <= 0) {
        return std::nullopt;
    }
    double best = 0;
    for (const BenchPoint &point : result.points) {
        best = point.kind == kind ? std::max(best, point.value) : best;
    }
    const double ways = kind == BenchKind::two_way ? 2 : 1;
    return best > 0 ? std::optional(best / (ways * *result.usable)) : std::nullopt;
}

std::string bench_text(const BenchResult &result, const Terminal &terminal) {
    Table table({{"WHAT"}, {"MESSAGE", Table::Align::right}, {"MEASURED", Table::Align::right}});
    for (const BenchKind kind : kinds) {
        for (const BenchPoint &point : result.points) {
            if (point.kind == kind) {
                table.row({bench_title(kind), size_text(point.size), bench_value(point)});
            }
        }
    }
    std::string text = table.text(terminal);
    if (result.usable) {
        text += fmt::format("\n{} leaves {} for data, each way\n", result.device,
                            gigabits(*result.usable));
        for (const BenchKind kind : {BenchKind::one_way, BenchKind::two_way}) {
            if (const auto share = bench_share(result, kind)) {
                text += fmt::format("{} reaches {:.0f} % of {}\n", bench_title(kind), *share * 100,
                                    kind == BenchKind::two_way ? "both ways" : "it");
            }
        }
    }
    return text;
}

} // namespace causeway
