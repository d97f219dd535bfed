// SPDX-License-Identifier: GPL-2.0-or-later
// The traffic of each connection between two readings of the kernel's counters, and the lines that
// show it on a screen.
#pragma once

#include "machine/terminal.h"
#include "show/metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// Rates are per second; none if the connection is new, or its counters started again.
struct LiveRow {
    std::string kind;      // "disk", "export", "mount", "nfsd"
    std::string name;      // "storage1/scratch", "scratch to client7"
    std::string transport; // "RDMA", "TCP" or ""
    std::string device;    // "rxe0/1"
    std::uint8_t state = 0;
    std::string paths; // "1/2": live ones of all; empty if there is one
    std::optional<double> reads;
    std::optional<double> writes;
    std::optional<double> read_bytes;
    std::optional<double> written_bytes;
    // Latency in nanoseconds of the I/O that ended between the two readings; only for disks.
    std::optional<double> median;
    std::optional<double> slowest; // the 99th percentile
};

// @seconds is the time between the two readings, more than 0.
std::vector<LiveRow> live_rows(const Figures &before, const Figures &now, double seconds);

enum class LiveOrder { throughput, latency, name };
// Sorts by descending throughput or median latency, and rows that are equal in it by name.
void sort_rows(std::vector<LiveRow> &rows, LiveOrder order);

struct ScreenLine {
    struct Part {
        std::string text;
        Tone tone = Tone::plain;
    };
    std::vector<Part> parts;
    bool reversed = false; // the line of column titles
};

// Returns at most @lines lines of at most @columns columns: a summary, titles, rows, the keys. One
// line counts the rows that do not fit.
std::vector<ScreenLine> live_screen(const std::vector<LiveRow> &rows, LiveOrder order,
                                    std::size_t columns, std::size_t lines);

} // namespace causeway
