// SPDX-License-Identifier: GPL-2.0-or-later
// Sizes, numbers and times: from what people type, and back into what people read.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace causeway {

// "4096", "4K", "4KiB", "512M", "1G", "2TiB": powers of 1024. The subject names the argument in an
// error.
Result<std::uint64_t> parse_size(std::string_view subject, std::string_view text);

// A whole decimal number from least to most.
Result<std::uint64_t> parse_number(std::string_view subject, std::string_view text,
                                   std::uint64_t least, std::uint64_t most);

// "512 MiB", "1.4 GiB", "100 B".
std::string size_text(std::uint64_t bytes);

// "512M", "4K", "1000": the shortest form that parse_size() reads back as the same number.
std::string size_exact(std::uint64_t bytes);

// "850 ms", "12 s", "3 min 20 s", "2 h 5 min", "4 d 3 h".
std::string duration_text(std::uint64_t nanoseconds);

// "812 ns", "12.4 us", "3.1 ms": for latencies.
std::string latency_text(double nanoseconds);

// "1,234,567".
std::string count_text(std::uint64_t count);

} // namespace causeway
