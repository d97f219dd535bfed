// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace causeway {

namespace {

constexpr std::string_view size_letters = "KMGTP";

Error bad_size(std::string_view subject, std::string_view text, std::string_view why) {
    return Error{ExitCode::usage, fmt::format("{} '{}' is not a size: {}", subject, text, why),
                 "give bytes, or a number with K, M, G, T or P, which are powers of 1024, such as "
                 "4096, 512M or 1G"};
}

struct Digits {
    std::uint64_t value = 0;
    std::size_t length = 0;
    bool overflow = false;
};

Digits leading_digits(std::string_view text) {
    Digits digits;
    const auto end =
        std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
    digits.length = static_cast<std::size_t>(end - text.begin());
    const auto parsed = std::from_chars(text.data(), text.data() + digits.length, digits.value);
    digits.overflow = parsed.ec == std::errc::result_out_of_range;
    return digits;
}

} // namespace

Result<std::uint64_t> parse_size(std::string_view subject, std::string_view text) {
    const Digits digits = leading_digits(text);
    if (digits.length == 0) {
        return bad_size(subject, text, "it does not start with a number");
    }
    const std::string_view unit = text.substr(digits.length);
    if (!unit.empty() && unit.front() == '.') {
        return bad_size(subject, text,
                        "it must be a whole number, such as 1536M for one and a half G");
    }
    unsigned int shift = 0;
    if (!unit.empty() && unit != "B") {
        const std::size_t letter = size_letters.find(unit.front());
        const std::string_view rest = unit.substr(1);
        if (letter == std::string_view::npos) {
            return bad_size(subject, text, fmt::format("the unit '{}' is unknown", unit));
        }
        if (!rest.empty() && rest != "iB") {
            return bad_size(subject, text,
                            fmt::format("the unit '{}' is unknown, {}iB would be 1024-based", unit,
                                        unit.front()));
        }
        shift = 10 * static_cast<unsigned int>(letter + 1);
    }
    if (digits.overflow || digits.value > (std::numeric_limits<std::uint64_t>::max() >> shift)) {
        Error error = bad_size(subject, text, "it does not fit into 64 bits");
        error.fix = "give less than 16384P";
        return error;
    }
    return digits.value << shift;
}

Result<std::uint64_t> parse_number(std::string_view subject, std::string_view text,
                                   std::uint64_t least, std::uint64_t most) {
    const Digits digits = leading_digits(text);
    if (digits.length == 0 || digits.length != text.size()) {
        return Error{ExitCode::usage, fmt::format("{} '{}' is not a whole number", subject, text),
                     fmt::format("give a number from {} to {}", least, most)};
    }
    if (digits.overflow || digits.value < least || digits.value > most) {
        return Error{ExitCode::usage, fmt::format("{} {} is out of range", subject, text),
                     fmt::format("give a number from {} to {}", least, most)};
    }
    return digits.value;
}

std::string size_text(std::uint64_t bytes) {
    if (bytes < 1024) {
        return fmt::format("{} B", bytes);
    }
    std::size_t unit = 0;
    while (unit + 1 < size_letters.size() && (bytes >> (10 * (unit + 2))) != 0) {
        unit++;
    }
    const unsigned int shift = 10 * static_cast<unsigned int>(unit + 1);
    const std::uint64_t whole = bytes >> shift;
    if ((whole << shift) == bytes) {
        return fmt::format("{} {}iB", whole, size_letters[unit]);
    }
    const double value =
        static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << shift);
    return fmt::format("{:.1f} {}iB", value, size_letters[unit]);
}

std::string size_exact(std::uint64_t bytes) {
    std::size_t units = 0;
    while (bytes != 0 && units < size_letters.size() && bytes % 1024 == 0) {
        bytes /= 1024;
        units++;
    }
    return units == 0 ? fmt::format("{}", bytes)
                      : fmt::format("{}{}", bytes, size_letters[units - 1]);
}

std::string duration_text(std::uint64_t nanoseconds) {
    constexpr std::uint64_t second = 1000000000;
    if (nanoseconds < second) {
        return fmt::format("{} ms", nanoseconds / 1000000);
    }
    const std::uint64_t seconds = nanoseconds / second;
    if (seconds < 60) {
        return fmt::format("{} s", seconds);
    }
    if (seconds < 3600) {
        return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    }
    if (seconds < 86400) {
        return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
    }
    return fmt::format("{} d {} h", seconds / 86400, seconds / 3600 % 24);
}

std::string latency_text(double nanoseconds) {
    if (nanoseconds < 1e3) {
        return fmt::format("{:.0f} ns", nanoseconds);
    }
    if (nanoseconds < 1e6) {
        return fmt::format("{:.1f} us", nanoseconds / 1e3);
    }
    if (nanoseconds < 1e9) {
        return fmt::format("{:.1f} ms", nanoseconds / 1e6);
    }
    return fmt::format("{:.1f} s", nanoseconds / 1e9);
}

std::string count_text(std::uint64_t count) {
    std::string text = fmt::format("{}", count);
    for (std::size_t at = text.size(); at > 3; at -= 3) {
        text.insert(at - 3, 1, ',');
    }
    return text;
}

} // namespace causeway
