// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/histogram.h"

#include <cmath>
#include <numeric>

namespace causeway {

std::uint64_t sample_count(const Histogram &histogram) {
    return std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
}

std::optional<double> percentile(const Histogram &histogram, double share) {
    const auto total = static_cast<double>(sample_count(histogram));
    if (total == 0) {
        return std::nullopt;
    }
    const double rank = share * total;
    double below = 0;
    double end = 0;
    for (std::size_t i = 0; i < histogram.size(); i++) {
        const auto inside = static_cast<double>(histogram[i]);
        if (inside == 0) {
            continue;
        }
        const double start = std::ldexp(1.0, static_cast<int>(i));
        end = 2 * start;
        if (below + inside >= rank) {
            return start + (end - start) * (rank - below) / inside;
        }
        below += inside;
    }
    return end;
}

} // namespace causeway
