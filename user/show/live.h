// SPDX-License-Identifier: GPL-2.0-or-later
// What went over each connection between two looks at the kernel, and how a screen shows it.
#pragma once

#include "machine/terminal.h"
#include "show/metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// Rates are per second; none where the connection was not there before, or counted anew.
struct LiveRow {
    std::string kind;      // "disk", "export", "mount", "nfsd"
    std::string name;      // "storage1/scratch", "scratch to client7"
    std::string transport; // "RDMA", "TCP" or empty
    std::string device;    // "rxe0/1"
    std::uint8_t state = 0;
    std::optional<double> reads;
    std::optional<double> writes;
    std::optional<double> read_bytes;
    std::optional<double> written_bytes;
    // Nanoseconds, of the I/O that ended in between; of disks alone.
    std::optional<double> median;
    std::optional<double> slowest; // the 99th of a hundred
};

// seconds: between the two, more than 0.
std::vector<LiveRow> live_rows(const Figures &before, const Figures &now, double seconds);

enum class LiveOrder { throughput, latency, name };
void sort_rows(std::vector<LiveRow> &rows, LiveOrder order);

struct ScreenLine {
    struct Part {
        std::string text;
        Tone tone = Tone::plain;
    };
    std::vector<Part> parts;
    bool reversed = false; // the line of titles
};

// Lines of at most so many columns, at most so many lines: a summary, titles, rows, the keys. What
// does not fit is counted.
std::vector<ScreenLine> live_screen(const std::vector<LiveRow> &rows, LiveOrder order,
                                    std::size_t columns, std::size_t lines);

} // namespace causeway
