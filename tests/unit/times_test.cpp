// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "kmod/core/session/server/times.h"

namespace
{

TEST(Times, AreAsConfiguredOnAServerWithFewPaths)
{
	for (u32 paths : {0U, 1U, CW_TIMES_FEW})
		for (u32 ms : {0U, 1U, 1000U, 5000U, 600000U})
			EXPECT_EQ(cw_times_grown_ms(ms, paths), ms) << paths;
}

TEST(Times, AreThreeTimesAsLongOnAServerWithMany)
{
	for (u32 paths : {CW_TIMES_MANY, CW_TIMES_MANY + 1, 0xffffffffU}) {
		EXPECT_EQ(cw_times_grown_ms(1000, paths), 3000U) << paths;
		EXPECT_EQ(cw_times_grown_ms(5000, paths), 15000U) << paths;
		EXPECT_EQ(cw_times_grown_ms(0x55555555, paths), 0xffffffffU) << paths;
	}
}

/* Compares with a computation in 64 bits. */
TEST(Times, GrowInProportionInBetween)
{
	for (u32 ms : {0U, 1U, 99U, 100U, 767U, 768U, 769U, 1000U, 5000U, 600000U, 0x55555555U})
		for (u32 paths = CW_TIMES_FEW; paths <= CW_TIMES_MANY; paths++) {
			const u64 more = u64(ms) * 2 * (paths - CW_TIMES_FEW) /
					 (CW_TIMES_MANY - CW_TIMES_FEW);
			ASSERT_EQ(cw_times_grown_ms(ms, paths), ms + more) << ms << " " << paths;
		}
}

}
