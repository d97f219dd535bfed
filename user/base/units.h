// SPDX-License-Identifier: GPL-2.0-or-later
// Sizes, numbers and times: parsers of what users type, and formatting for people.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace causeway {

// Parses "4096", "4K", "4KiB", "512M", "1G", "2TiB", in powers of 1024. @subject names the argument
// in an error.
Result<std::uint64_t> parse_size(std::string_view subject, std::string_view text);

// Parses a decimal integer from @least to @most.
Result<std::uint64_t> parse_number(std::string_view subject, std::string_view text,
                                   std::uint64_t least, std::uint64_t most);

// Returns "512 MiB", "1.4 GiB" or "100 B".
std::string size_text(std::uint64_t bytes);

// Returns "512M", "4K" or "1000": the shortest form that parse_size() reads as the same number.
std::string size_exact(std::uint64_t bytes);

// Returns "850 ms", "12 s", "3 min 20 s", "2 h 5 min" or "4 d 3 h".
std::string duration_text(std::uint64_t nanoseconds);

// Returns a latency as "812 ns", "12.4 us" or "3.1 ms".
std::string latency_text(double nanoseconds);

// Returns a number with separators: "1,234,567".
std::string count_text(std::uint64_t count);

} // namespace causeway
