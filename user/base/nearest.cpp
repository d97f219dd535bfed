// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/nearest.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

std::size_t edit_distance(std::string_view left, std::string_view right) {
    const std::size_t width = right.size() + 1;
    std::vector<std::size_t> cost((left.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t & {
        return cost[i * width + j];
    };

    for (std::size_t i = 0; i <= left.size(); i++) {
        at(i, 0) = i;
    }
    for (std::size_t j = 0; j <= right.size(); j++) {
        at(0, j) = j;
    }
    for (std::size_t i = 1; i <= left.size(); i++) {
        for (std::size_t j = 1; j <= right.size(); j++) {
            const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
            }
        }
    }
    return at(left.size(), right.size());
}

std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string> &known) {
    std::optional<std::string> best;
    std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
    for (const std::string &word : known) {
        const std::size_t distance = edit_distance(typed, word);
        if (distance < best_distance) {
            best_distance = distance;
            best = word;
        }
    }
    return best;
}

std::string nearest_or_all(std::string_view typed, const std::vector<std::string> &names,
                           std::string_view none) {
    if (const auto close = nearest(typed, names)) {
        return fmt::format("did you mean {}?", *close);
    }
    return names.empty() ? std::string(none) : fmt::format("there are {}", fmt::join(names, ", "));
}

} // namespace causeway
