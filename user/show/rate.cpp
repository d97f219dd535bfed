// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/rate.h"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <string_view>

namespace causeway {

namespace {

// Gb/s of data on one lane: 8b/10b up to QDR, 64b/66b from FDR on (InfiniBand volume 2).
struct Speed {
    std::string_view name;
    double lane;
};
constexpr std::array speeds = {
    Speed{"SDR", 2.0},    Speed{"DDR", 4.0},     Speed{"QDR", 8.0},     Speed{"FDR10", 10.0},
    Speed{"FDR", 13.636}, Speed{"EDR", 24.2425}, Speed{"HDR", 48.4848}, Speed{"NDR", 96.9697},
};

// "96.97", "8", "54.54".
std::string short_number(double number) {
    std::string text = fmt::format("{:.2f}", number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text;
}

} // namespace

std::optional<PortRate> parse_rate(const std::string &text) {
    PortRate rate;
    std::array<char, 16> name{};
    if (std::sscanf(text.c_str(), "%lf Gb/sec (%uX %15[A-Z0-9])", &rate.signalled, &rate.lanes,
                    name.data()) != 3) {
        return std::nullopt;
    }
    rate.speed = name.data();
    for (const Speed &speed : speeds) {
        if (speed.name == rate.speed) {
            rate.usable = speed.lane * rate.lanes;
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
