// SPDX-License-Identifier: GPL-2.0-or-later
// Percentiles from the kernel's histograms with power-of-two buckets.
#pragma once

#include "machine/kernel.h"

#include <cstdint>
#include <optional>

namespace causeway {

std::uint64_t sample_count(const Histogram &histogram);

// Returns the time in nanoseconds below which the share (0..1) of the samples lies, interpolated
// linearly within its bucket. Bucket i holds [2^i, 2^(i+1)) ns, so the result is wrong by a factor
// of two at most. Returns none without samples.
std::optional<double> percentile(const Histogram &histogram, double share);

} // namespace causeway
