// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/rate.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace causeway {

std::string short_number(double number) {
    std::string text = fmt::format("{:.2f}", number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text;
}

// The line code is 8b/10b up to QDR and 64b/66b up to EDR (InfiniBand volume 2). From HDR on, the
// signalled rate includes forward error correction: 256b/257b, and 514 of 544 symbols by
// Reed-Solomon. The latencies are figures of manufacturers.
const std::vector<LaneSpeed> &lane_speeds() {
    static const std::vector<LaneSpeed> speeds = {
        {"SDR", 2.5, 2.0, "8b/10b", "5"},
        {"DDR", 5.0, 4.0, "8b/10b", "2.5"},
        {"QDR", 10.0, 8.0, "8b/10b", "1.3"},
        {"FDR10", 10.3125, 10.0, "64b/66b", "0.7"},
        {"FDR", 14.0625, 13.636, "64b/66b", "0.7"},
        {"EDR", 25.78125, 25.0, "64b/66b", "0.5"},
        {"HDR", 53.125, 50.0, "256b/257b", "less than 0.5"},
        {"NDR", 106.25, 100.0, "256b/257b", ""},
    };
    return speeds;
}

const std::vector<RateCode> &rate_codes() {
    static const std::vector<RateCode> codes = {
        {2, 2.5},  {3, 10},  {4, 30},  {5, 5},    {6, 20},   {7, 40},   {8, 60},   {9, 80},
        {10, 120}, {11, 14}, {12, 56}, {13, 112}, {14, 168}, {15, 25},  {16, 100}, {17, 200},
        {18, 300}, {19, 28}, {20, 50}, {21, 400}, {22, 600}, {23, 800},
    };
    return codes;
}

double rate_within(double gigabits) {
    double highest = 0;
    for (const RateCode &each : rate_codes()) {
        if (each.gigabits <= gigabits) {
            highest = std::max(highest, each.gigabits);
        }
    }
    return highest;
}

std::optional<PortRate> parse_rate(const std::string &text) {
    PortRate rate;
    std::array<char, 16> name{};
    if (std::sscanf(text.c_str(), "%lf Gb/sec (%uX %15[A-Z0-9])", &rate.signalled, &rate.lanes,
                    name.data()) != 3) {
        return std::nullopt;
    }
    rate.speed = name.data();
    for (const LaneSpeed &speed : lane_speeds()) {
        if (speed.name == rate.speed) {
            rate.usable = speed.usable * rate.lanes;
        }
    }
    return rate;
}

std::string rate_words(const std::string &text, bool infiniband) {
    const auto rate = parse_rate(text);
    if (!rate) {
        return text;
    }
    std::string plain = short_number(rate->signalled) + " Gb/s";
    if (!infiniband || rate->usable == 0) {
        return plain;
    }
    return fmt::format("{}, {}X {}: {} Gb/s of data", plain, rate->lanes, rate->speed,
                       short_number(rate->usable));
}

} // namespace causeway
