// SPDX-License-Identifier: GPL-2.0-or-later
// What distinguishes two texts, line by line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct DiffLine {
    char mark = ' '; // ' ' in both, '-' in the old one only, '+' in the new one only
    std::string text;
};

// The shortest way from one text to the other. Memory and time grow with the product of the numbers
// of lines: for small files.
std::vector<DiffLine> diff_lines(const std::string &before, const std::string &after);

// As patch(1) reads it, with three lines around each change; none stands for a file that is not
// there (/dev/null). Empty where both are the same.
std::string unified_diff(const std::string &place, const std::optional<std::string> &before,
                         const std::optional<std::string> &after);

} // namespace causeway
