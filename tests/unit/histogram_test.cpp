// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "kmod/core/link/histogram.h"

namespace
{

TEST(Histogram, EveryBucketBeginsAtItsPowerOfTwo)
{
	for (u32 i = 1; i < CW_HISTOGRAM; i++) {
		EXPECT_EQ(cw_histogram_bucket((1ULL << i) - 1), i - 1);
		EXPECT_EQ(cw_histogram_bucket(1ULL << i), i);
		EXPECT_EQ(cw_histogram_bucket((1ULL << i) + 1), i);
	}
}

TEST(Histogram, TheEndsAreOpen)
{
	EXPECT_EQ(cw_histogram_bucket(0), 0U);
	EXPECT_EQ(cw_histogram_bucket(1), 0U);
	for (u32 i = CW_HISTOGRAM - 1; i < 64; i++)
		EXPECT_EQ(cw_histogram_bucket(1ULL << i), u32(CW_HISTOGRAM - 1));
	EXPECT_EQ(cw_histogram_bucket(~0ULL), u32(CW_HISTOGRAM - 1));
}

} // namespace
