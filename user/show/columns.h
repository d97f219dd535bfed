// SPDX-License-Identifier: GPL-2.0-or-later
// Text in two columns: terms, and their explanations in lines that fit a terminal.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace causeway {

inline constexpr std::size_t page_width = 80;

// Breaks a text into lines of at most @width characters. A longer word gets a line of its own.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// Returns the pairs in lines of 80 characters, with the second column aligned. A first part that is
// wider than `left` gets a line of its own.
std::string two_columns(const std::vector<std::pair<std::string, std::string>> &pairs,
                        std::size_t left);

} // namespace causeway
