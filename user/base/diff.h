// SPDX-License-Identifier: GPL-2.0-or-later
// The differences between two texts, line by line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct DiffLine {
    char mark = ' '; // ' ': in both texts; '-': only in the old one; '+': only in the new one
    std::string text;
};

// Returns a shortest list of changes from one text to the other. Suitable for small files only:
// memory and time grow with the product of the numbers of lines.
std::vector<DiffLine> diff_lines(const std::string &before, const std::string &after);

// Returns a diff in the form that patch(1) reads, with three lines of context. An empty optional
// stands for a file that does not exist (/dev/null). Returns "" if both texts are the same.
std::string unified_diff(const std::string &place, const std::optional<std::string> &before,
                         const std::optional<std::string> &after);

} // namespace causeway
