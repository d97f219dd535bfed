// SPDX-License-Identifier: GPL-2.0-or-later
// Two columns for people: what is explained, and its explanation in lines that fit a terminal.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace causeway {

inline constexpr std::size_t page_width = 80;

// Words in lines of at most so many characters; a longer word stands alone.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// Each pair in lines of 80 characters, the second column aligned. A first part that is wider than
// `left` gets a line of its own.
std::string two_columns(const std::vector<std::pair<std::string, std::string>> &pairs,
                        std::size_t left);

} // namespace causeway
