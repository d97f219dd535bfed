// SPDX-License-Identifier: GPL-2.0-or-later
// Percentiles from the kernel's power-of-two buckets.
#pragma once

#include "machine/kernel.h"

#include <cstdint>
#include <optional>

namespace causeway {

std::uint64_t sample_count(const Histogram &histogram);

// Nanoseconds below which the share (0..1) of the samples lies, interpolated linearly within its
// bucket: bucket i holds [2^i, 2^(i+1)) ns, so a figure is off by a factor of two at the very
// worst. None without samples.
std::optional<double> percentile(const Histogram &histogram, double share);

} // namespace causeway
