// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "kmod/core/session/client/backoff.h"

namespace
{

constexpr u32 ALL = 0xffffffff;

TEST(Backoff, DoublesUpToTheCap)
{
	u32 whole = 100;
	for (u32 attempt = 0; attempt < 100; attempt++) {
		u32 least = ALL, most = 0;
		for (u32 random = 0; random < 20000; random++) {
			const u32 ms = cw_backoff_ms(attempt, 100, 30000, random);
			least = std::min(least, ms);
			most = std::max(most, ms);
		}
		EXPECT_EQ(least, whole / 2) << attempt;
		EXPECT_EQ(most, whole) << attempt;
		whole = std::min(2 * whole, 30000U);
	}
}

TEST(Backoff, StaysBetweenHalfAndWholeAtTheEdges)
{
	for (u32 attempt : {0U, 1U, 5U, 30U, 31U, 32U, 33U, 64U, ALL})
		for (u32 base : {0U, 1U, 2U, 3U, 1000U, 0x80000000U, ALL})
			for (u32 cap : {0U, 1U, 2U, 999U, 0x7fffffffU, 0x80000000U, ALL})
				for (u32 random : {0U, 1U, 12345U, 0x80000000U, ALL}) {
					const u64 full =
						base && attempt >= 32
							? cap
							: std::min<u64>(
								  cap, u64(base) << (attempt & 31));
					const u64 ms = cw_backoff_ms(attempt, base, cap, random);
					EXPECT_GE(ms, base ? full / 2 : 0);
					EXPECT_LE(ms, base ? full : 0);
				}
}

TEST(Backoff, WhileIoWaitsALoginBeginsEveryThreeSeconds)
{
	EXPECT_EQ(cw_backoff_bounded_ms(10000, 0, true), 2900U);
	EXPECT_EQ(cw_backoff_bounded_ms(10000, 2000, true), 900U);
	EXPECT_EQ(cw_backoff_bounded_ms(500, 2000, true), 500U);
	EXPECT_EQ(cw_backoff_bounded_ms(10000, 2900, true), 0U);
	EXPECT_EQ(cw_backoff_bounded_ms(10000, ALL, true), 0U);
	EXPECT_EQ(cw_backoff_bounded_ms(10000, 0, false), 10000U);
	EXPECT_EQ(cw_backoff_bounded_ms(ALL, ALL, false), ALL);
}

TEST(Backoff, NoMoreThanTenLoginsBeginInASecond)
{
	for (u32 wanted : {0U, 1U, 50U, 99U, 100U, 101U, 2900U, ALL})
		for (u32 since : {0U, 1U, 50U, 99U, 100U, 101U, 2899U, 2900U, ALL})
			for (bool waits : {false, true}) {
				const u64 begin =
					u64(since) + cw_backoff_bounded_ms(wanted, since, waits);
				EXPECT_GE(begin, 100U) << wanted << ' ' << since << ' ' << waits;
				if (waits) {
					EXPECT_LE(begin, std::max(since, 2900U))
						<< wanted << ' ' << since;
				}
			}
}

TEST(Backoff, AttemptsTakeLongerAfterSixteenAndThenEachEight)
{
	for (u32 attempt = 0; attempt < 100; attempt++)
		EXPECT_EQ(cw_backoff_step_ms(attempt, 1000, 10000),
			  attempt < 16 ? 1000U : attempt < 24 ? 2000U : attempt < 32 ? 4000U : attempt < 40 ? 8000U : 10000U)
			<< attempt;
	EXPECT_EQ(cw_backoff_step_ms(0, 1000, 300), 300U);
	for (u32 attempt : {263U, 264U, 265U, ALL})
		EXPECT_EQ(cw_backoff_step_ms(attempt, 1, ALL), attempt < 264 ? 1U << 31 : ALL) << attempt;
	EXPECT_EQ(cw_backoff_step_ms(ALL, 0, 10000), 10000U);
}

TEST(Backoff, UsesItsRandomBits)
{
	EXPECT_NE(cw_backoff_ms(3, 1000, 60000, 1), cw_backoff_ms(3, 1000, 60000, 2));
	EXPECT_EQ(cw_backoff_ms(0, 1, 60000, 7), 1U); // never 0 while there is a time to wait
}

} // namespace
