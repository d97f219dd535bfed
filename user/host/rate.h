// SPDX-License-Identifier: GPL-2.0-or-later
// A port's rate in words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct PortRate {
    double signalled = 0; // Gb/s, as the kernel says
    unsigned int lanes = 0;
    std::string speed; // "QDR", "EDR"
    double usable = 0; // Gb/s that are left for data after the line code
};

// A speed of InfiniBand, on one lane.
struct LaneSpeed {
    std::string_view name;
    double signalled; // Gb/s on the wire
    double usable;    // Gb/s that are left for data after the line code
    std::string_view code;
    std::string_view latency; // of a short message, microseconds; empty where none is known
};
const std::vector<LaneSpeed> &lane_speeds();

// The numbers that path records and opensm's partitions.conf have for rates (enum ib_rate).
struct RateCode {
    unsigned int code;
    double gigabits;
};
const std::vector<RateCode> &rate_codes();

// "54.55", "8": at most two digits behind the point.
std::string short_number(double number);

// Of sysfs' "100 Gb/sec (4X EDR)"; none where it is something else.
std::optional<PortRate> parse_rate(const std::string &text);

// "100 Gb/s, 4X EDR: 100 Gb/s of data"; on Ethernet "100 Gb/s": InfiniBand's line code says
// nothing there. The kernel's own words where they are not understood.
std::string rate_words(const std::string &text, bool infiniband);

} // namespace causeway
