// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/diff.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

constexpr std::size_t around = 3;

// A last line without a newline gets the mark that patch(1) knows, so that it differs from the same
// line with a newline.
std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    if (!text.empty() && text.back() != '\n') {
        lines.back() += "\n\\ No newline at end of file";
    }
    return lines;
}

// Returns "3,4", or "3" for one line, or "0,0" for a file without lines.
std::string range_text(std::size_t start, std::size_t count) {
    if (count == 1) {
        return fmt::format("{}", start + 1);
    }
    return fmt::format("{},{}", count == 0 ? start : start + 1, count);
}

std::string hunk_text(const std::vector<DiffLine> &lines, std::size_t first, std::size_t last) {
    const auto count = [&](std::size_t from, std::size_t to, char other) {
        return static_cast<std::size_t>(
            std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(from),
                          lines.begin() + static_cast<std::ptrdiff_t>(to),
                          [&](const DiffLine &line) { return line.mark != other; }));
    };
    std::string text =
        fmt::format("@@ -{} +{} @@\n", range_text(count(0, first, '+'), count(first, last, '+')),
                    range_text(count(0, first, '-'), count(first, last, '-')));
    for (std::size_t i = first; i < last; i++) {
        text += fmt::format("{}{}\n", lines[i].mark, lines[i].text);
    }
    return text;
}

} // namespace

std::vector<DiffLine> diff_lines(const std::string &before, const std::string &after) {
    const auto old_lines = lines_of(before);
    const auto new_lines = lines_of(after);
    const std::size_t width = new_lines.size() + 1;
    // Entry (i, j): the length of the longest common subsequence of the old lines from i on and the
    // new lines from j on.
    std::vector<std::size_t> common((old_lines.size() + 1) * width);
    for (std::size_t i = old_lines.size(); i-- > 0;) {
        for (std::size_t j = new_lines.size(); j-- > 0;) {
            common[i * width + j] =
                old_lines[i] == new_lines[j]
                    ? common[(i + 1) * width + j + 1] + 1
                    : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
        }
    }
    std::vector<DiffLine> diff;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < old_lines.size() || j < new_lines.size()) {
        if (i < old_lines.size() && j < new_lines.size() && old_lines[i] == new_lines[j]) {
            diff.push_back({' ', old_lines[i++]});
            j++;
        } else if (i < old_lines.size() &&
                   (j == new_lines.size() ||
                    common[(i + 1) * width + j] >= common[i * width + j + 1])) {
            diff.push_back({'-', old_lines[i++]});
        } else {
            diff.push_back({'+', new_lines[j++]});
        }
    }
    return diff;
}

std::string unified_diff(const std::string &place, const std::optional<std::string> &before,
                         const std::optional<std::string> &after) {
    if (before == after) {
        return {};
    }
    std::string text =
        fmt::format("--- {}\n+++ {}\n", before ? place : "/dev/null", after ? place : "/dev/null");
    const auto lines = diff_lines(before.value_or(""), after.value_or(""));
    std::size_t shown = 0; // lines before this index need no more output
    for (std::size_t i = 0; i < lines.size(); i++) {
        if (lines[i].mark == ' ' || i < shown) {
            continue;
        }
        std::size_t last = i;
        for (std::size_t j = i; j < lines.size() && j <= last + 2 * around; j++) {
            last = lines[j].mark == ' ' ? last : j;
        }
        const std::size_t first = i > around ? i - around : 0;
        shown = std::min(last + around + 1, lines.size());
        text += hunk_text(lines, first, shown);
    }
    return text;
}

} // namespace causeway
