// SPDX-License-Identifier: GPL-2.0-or-later
// The rate of a port, and its text for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct PortRate {
    double signalled = 0; // Gb/s, as the kernel reports it
    unsigned int lanes = 0;
    std::string speed; // "QDR", "EDR"
    double usable = 0; // Gb/s that remain for data after the line code
};

// A speed of InfiniBand on one lane.
struct LaneSpeed {
    std::string_view name;
    double signalled; // Gb/s on the wire
    double usable;    // Gb/s that remain for data after the line code
    std::string_view code;
    std::string_view latency; // microseconds for a short message; empty: unknown
};
const std::vector<LaneSpeed> &lane_speeds();

// Codes for rates in path records and in opensm's partitions.conf (enum ib_rate).
struct RateCode {
    unsigned int code;
    double gigabits;
};
const std::vector<RateCode> &rate_codes();
// Returns the highest of these rates that is not above @gigabits, in Gb/s; 0 if all are.
double rate_within(double gigabits);

// Returns "54.55" or "8": at most two decimal places.
std::string short_number(double number);

// Parses "100 Gb/sec (4X EDR)" of sysfs. Returns none for any other text.
std::optional<PortRate> parse_rate(const std::string &text);

// Returns "100 Gb/s, 4X EDR: 100 Gb/s of data", or "100 Gb/s" on Ethernet, where the line code of
// InfiniBand does not apply. Returns the kernel's text if it is not understood.
std::string rate_words(const std::string &text, bool infiniband);

} // namespace causeway
