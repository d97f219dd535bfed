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
        best = point.kind == kind && by_rdma(point.test) ? std::max(best, point.value) : best;
    }
    const double ways = kind == BenchKind::two_way ? 2 : 1;
    return best > 0 ? std::optional(best / (ways * *result.usable)) : std::nullopt;
}

std::string test_word(BenchTest test) {
    switch (test) {
    case BenchTest::rc:
        return "rc";
    case BenchTest::uc:
        return "uc";
    case BenchTest::ud:
        return "ud";
    case BenchTest::tcp:
        return "tcp";
    case BenchTest::udp:
        break;
    }
    return "udp";
}

bool by_rdma(BenchTest test) {
    return test != BenchTest::tcp && test != BenchTest::udp;
}

const std::vector<BenchTest> &all_bench_tests() {
    static const std::vector<BenchTest> tests = {BenchTest::rc, BenchTest::uc, BenchTest::ud,
                                                 BenchTest::tcp, BenchTest::udp};
    return tests;
}

std::string cpu_text(const std::optional<double> &percent) {
    return percent ? fmt::format("{:.3g} %", *percent) : "";
}

std::string cost_text(const std::optional<double> &nanoseconds) {
    return nanoseconds ? latency_text(*nanoseconds) + "/GB" : "";
}

std::string bench_text(const BenchResult &result, const Terminal &terminal) {
    constexpr auto right = Table::Align::right;
    Table table({{"TEST"},
                 {"WHAT"},
                 {"MESSAGE", right},
                 {"MEASURED", right},
                 {"CPU HERE", right},
                 {"CPU THERE", right},
                 {"SENDING", right},
                 {"RECEIVING", right}});
    for (const BenchTest test : all_bench_tests()) {
        for (const BenchKind kind : kinds) {
            for (const BenchPoint &point : result.points) {
                if (point.kind != kind || point.test != test) {
                    continue;
                }
                table.row({test_word(test), bench_title(kind), size_text(point.size),
                           bench_value(point), cpu_text(point.cost.local),
                           cpu_text(point.cost.remote), cost_text(point.cost.sending),
                           cost_text(point.cost.receiving)});
                if (point.sent && *point.sent > point.value) {
                    table.note(fmt::format("{:.1f} % of {} were lost",
                                           (1 - point.value / *point.sent) * 100,
                                           gigabits(*point.sent)));
                }
            }
        }
    }
    std::string text = table.text(terminal);
    const bool rdma = std::any_of(result.points.begin(), result.points.end(),
                                  [](const BenchPoint &point) { return by_rdma(point.test); });
    if (result.usable && rdma) {
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
