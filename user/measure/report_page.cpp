// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/report.h"

#include "base/units.h"
#include "measure/page.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>

namespace causeway {

namespace {

constexpr double chart_width = 640;
constexpr double chart_height = 300;
constexpr double margin_left = 90;
constexpr double margin_right = 20;
constexpr double margin_top = 20;
constexpr double margin_bottom = 40;

struct Line {
    std::string title;
    std::string colour;
    std::vector<BenchPoint> points;
};

constexpr int steps = 4; // lines of the grid above zero

// Returns a number at or above the value, chosen so that each step of the grid is a round number in
// the unit of the page.
double round_top(double value, BenchKind kind) {
    const double unit = kind == BenchKind::latency ? 1.0 : 1e9 / 8;
    const double least = std::max(value / unit / steps, 1e-3);
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double round : {1.0, 2.0, 2.5, 5.0}) {
        if (round * power >= least) {
            return round * power * steps * unit;
        }
    }
    return 10 * power * steps * unit;
}

// A plot with a logarithmic axis of sizes and an axis of values that starts at zero.
class Plot {
  public:
    Plot(BenchKind kind, const std::vector<Line> &lines, std::optional<double> limit) {
        for (const Line &line : lines) {
            for (const BenchPoint &point : line.points) {
                const double size = std::log2(static_cast<double>(point.size));
                least_ = std::min(least_, size);
                most_ = std::max(most_, size);
                highest_ = std::max(highest_, point.value);
            }
        }
        highest_ = round_top(std::max(highest_, limit.value_or(0)), kind);
    }

    double x(std::uint64_t size) const {
        const double span = std::max(most_ - least_, 1.0);
        return margin_left + (std::log2(static_cast<double>(size)) - least_) / span *
                                 (chart_width - margin_left - margin_right);
    }
    double y(double value) const {
        return chart_height - margin_bottom -
               value / std::max(highest_, 1e-9) * (chart_height - margin_top - margin_bottom);
    }
    double highest() const { return highest_; }

  private:
    double least_ = 64;
    double most_ = 0;
    double highest_ = 0;
};

std::string grid(const Plot &plot, BenchKind kind) {
    std::string svg;
    for (int i = 0; i <= steps; i++) {
        const double value = plot.highest() * i / steps;
        svg +=
            fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
                        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                        margin_left, chart_width - margin_right, plot.y(value), margin_left - 8,
                        plot.y(value) + 4, bench_value({kind, 1, value}));
    }
    return svg;
}

std::string draw(const Plot &plot, const Line &line) {
    std::string points;
    std::string dots;
    for (const BenchPoint &point : line.points) {
        const double x = plot.x(point.size);
        const double y = plot.y(point.value);
        points += fmt::format("{:.1f},{:.1f} ", x, y);
        dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"><title>{}: "
                            "{}</title></circle>\n",
                            x, y, line.colour, size_text(point.size), bench_value(point));
    }
    return fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
                       "points=\"{}\"/>\n{}",
                       line.colour, points, dots);
}

std::string plot_of(const std::string &title, BenchKind kind, const std::vector<Line> &lines,
                    std::optional<double> limit) {
    const Plot plot(kind, lines, limit);
    std::string svg = grid(plot, kind);
    std::vector<std::uint64_t> sizes;
    std::string legend;
    for (const Line &line : lines) {
        svg += draw(plot, line);
        legend +=
            fmt::format("<span style=\"color:{}\">&#9679;</span> {} ", line.colour, line.title);
        for (const BenchPoint &point : line.points) {
            sizes.push_back(point.size);
        }
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    for (const std::uint64_t size : sizes) {
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                           plot.x(size), chart_height - margin_bottom + 20, size_text(size));
    }
    if (limit) {
        svg +=
            fmt::format("<line class=\"limit\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\">"
                        "<title>usable: {3}</title></line>\n",
                        margin_left, chart_width - margin_right, plot.y(*limit),
                        bench_value({kind, 1, *limit}));
        legend += "- - what the link leaves for data";
    }
    return fmt::format("<h2>{}</h2>\n<p>{}</p>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" "
                       "aria-label=\"{}\">\n{}</svg>\n",
                       title, legend, chart_width, chart_height, title, svg);
}

std::vector<BenchPoint> points_of(const BenchResult &result, BenchKind kind, BenchTest test) {
    std::vector<BenchPoint> points;
    std::copy_if(result.points.begin(), result.points.end(), std::back_inserter(points),
                 [&](const BenchPoint &point) { return point.kind == kind && point.test == test; });
    return points;
}

// Returns a line for each test that has such measurements.
std::vector<Line> lines_of(const BenchResult &result, BenchKind kind, const std::string &title) {
    const std::map<BenchTest, std::pair<std::string, std::string>> colours = {
        {BenchTest::rc, {"#2471a3", "#1e8449"}},  {BenchTest::uc, {"#b9770e", "#784212"}},
        {BenchTest::ud, {"#76448a", "#4a235a"}},  {BenchTest::tcp, {"#c0392b", "#78281f"}},
        {BenchTest::udp, {"#717d7e", "#2e4053"}},
    };
    std::vector<Line> lines;
    for (const BenchTest test : all_bench_tests()) {
        const auto &[one, two] = colours.at(test);
        Line line{fmt::format("{} {}", test_word(test), title),
                  kind == BenchKind::two_way ? two : one, points_of(result, kind, test)};
        if (!line.points.empty()) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

// Returns the table of all measurements with what they cost the processors.
std::string figures_table(const BenchResult &result) {
    std::vector<std::vector<std::string>> rows;
    for (const BenchPoint &point : result.points) {
        rows.push_back({test_word(point.test), bench_title(point.kind), size_text(point.size),
                        bench_value(point), cpu_text(point.cost.local), cpu_text(point.cost.remote),
                        cost_text(point.cost.sending), cost_text(point.cost.receiving)});
    }
    return html_table({"test", "what", "message", "measured", "CPU here", "CPU there", "sending",
                       "receiving"},
                      rows) +
           "<p>CPU: 100 % is one processor. Sending and receiving: time of a processor for "
           "10<sup>9</sup> bytes.</p>\n";
}

} // namespace

std::string bench_page(const BenchResult &result) {
    std::vector<Line> bandwidth = lines_of(result, BenchKind::one_way, "one way");
    for (Line &line : lines_of(result, BenchKind::two_way, "two ways")) {
        bandwidth.push_back(std::move(line));
    }
    const bool rdma = std::any_of(result.points.begin(), result.points.end(),
                                  [](const BenchPoint &point) { return by_rdma(point.test); });
    const auto limit = rdma ? result.usable : std::nullopt;
    std::string html;
    if (limit) {
        html +=
            fmt::format("<p>{} leaves {} for data, each way.</p>\n", escaped_html(result.device),
                        bench_value({BenchKind::one_way, 1, *limit}));
    }
    html += plot_of("Bandwidth by size of message", BenchKind::one_way, bandwidth, limit);
    html += plot_of("Latency by size of message", BenchKind::latency,
                    lines_of(result, BenchKind::latency, "one way"), std::nullopt);
    html += "<h2>Figures</h2>\n" + figures_table(result);
    html += "<h2>Machines</h2>\n" + html_pairs(result.machines);
    return html_page(fmt::format("{} to {}", rdma ? "RDMA" : "TCP and UDP", result.server), html);
}

} // namespace causeway
