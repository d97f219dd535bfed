// SPDX-License-Identifier: GPL-2.0-or-later
// top: the present throughput and latency of each connection.
#include "command/verb.h"
#include "show/live.h"
#include "show/progress.h"
#include "show/screen.h"
#include "show/words.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace causeway {

namespace {

using Clock = std::chrono::steady_clock;

struct Sample {
    Figures figures;
    Clock::time_point time;
};

Result<Sample> take_sample(World &world) {
    auto figures = TRY(read_figures(world.kernel));
    return Sample{std::move(figures), Clock::now()};
}

std::vector<LiveRow> rows_between(const Sample &before, const Sample &now, LiveOrder order) {
    const double seconds = std::chrono::duration<double>(now.time - before.time).count();
    auto rows = live_rows(before.figures, now.figures, std::max(seconds, 1e-6));
    sort_rows(rows, order);
    return rows;
}

LiveOrder next_order(LiveOrder order) {
    return order == LiveOrder::throughput ? LiveOrder::latency
           : order == LiveOrder::latency  ? LiveOrder::name
                                          : LiveOrder::throughput;
}

Json rows_json(const std::vector<LiveRow> &rows) {
    Json json = Json::array();
    for (const LiveRow &row : rows) {
        json.push_back({{"kind", row.kind},
                        {"name", row.name},
                        {"transport", row.transport.empty() ? Json(nullptr) : Json(row.transport)},
                        {"device", row.device.empty() ? Json(nullptr) : Json(row.device)},
                        {"state", state_word(row.state)},
                        {"reads_per_s", or_null(row.reads)},
                        {"writes_per_s", or_null(row.writes)},
                        {"read_bytes_per_s", or_null(row.read_bytes)},
                        {"written_bytes_per_s", or_null(row.written_bytes)},
                        {"p50_ns", or_null(row.median)},
                        {"p99_ns", or_null(row.slowest)}});
    }
    return json;
}

std::string rows_text(const std::vector<LiveRow> &rows) {
    constexpr std::size_t wide_enough = 120;
    const auto lines = live_screen(rows, LiveOrder::throughput, wide_enough, rows.size() + 6);
    std::string text;
    for (std::size_t i = 0; i + 1 < lines.size(); i++) { // without the line of keys
        std::string line;
        for (const ScreenLine::Part &part : lines[i].parts) {
            line += part.text;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line.empty() ? "" : line + "\n";
    }
    return text;
}

// Prints a block for each interval. For output that is no terminal.
Result<Answer> print_live(World &world, std::chrono::seconds interval, std::uint64_t count) {
    Answer answer;
    answer.printed = true;
    const Progress::Pause no_line; // this verb prints while it waits
    auto before = take_sample(world);
    for (std::uint64_t i = 0; i < count && world.out; i++) {
        if (!before) {
            return before.error();
        }
        std::this_thread::sleep_for(interval);
        auto now = TRY(take_sample(world));
        const auto rows = rows_between(*before, now, LiveOrder::throughput);
        if (world.json) {
            world.out << Json{{"schema", json_schema}, {"connections", rows_json(rows)}}.dump()
                      << "\n";
        } else {
            world.out << rows_text(rows);
        }
        world.out.flush();
        before = std::move(now);
    }
    return answer;
}

// Reacts to keys at once, but reads the figures only at the end of an interval.
Result<Answer> show_live(World &world, std::chrono::seconds interval,
                         std::optional<std::uint64_t> count) {
    auto before = TRY(take_sample(world));
    const Progress::Pause no_line; // the screen has no room for it
    auto screen = TRY(Screen::open(world.terminal.colour));
    Answer answer;
    answer.printed = true;
    LiveOrder order = LiveOrder::throughput;
    auto rows = rows_between(before, before, order);
    for (std::uint64_t seen = 0; !count || seen < *count;) {
        screen.draw(live_screen(rows, order, screen.columns(), screen.lines()));
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(before.time + interval - Clock::now());
        const auto key = screen.key(std::max(left, std::chrono::milliseconds(0)));
        if (key == 'q') {
            break;
        }
        if (key == 's') {
            order = next_order(order);
            sort_rows(rows, order);
        }
        if (key) {
            continue;
        }
        auto now = TRY(take_sample(world));
        rows = rows_between(before, now, order);
        before = std::move(now);
        seen++;
    }
    return answer;
}

Result<Answer> run_top(World &world, const Arguments &arguments) {
    auto interval = TRY(arguments.number("interval", 1, 3600));
    auto count = TRY(arguments.number("count", 1, 1000000000));
    const std::chrono::seconds pause(interval.value_or(1));
    const bool someone_looks = world.terminal.columns != 0 && !world.json;
    return someone_looks ? show_live(world, pause, count)
                         : print_live(world, pause, count.value_or(1));
}

const VerbRows top_rows(Section::seeing, 5, [] {
    return std::vector<Verb>{
        {
            .words = "top",
            .summary = "watch throughput and latency of each connection as they change",
            .options = {{"interval", "SECONDS", "time between two displays; by default 1"},
                        {"count", "N",
                         "number of displays; by default 1 with --json or if the output is no "
                         "terminal, else no limit"}},
            .run = run_top,
        },
    };
});

} // namespace

} // namespace causeway
