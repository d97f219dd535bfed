// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "kmod/core/verbs/queue_size.h"

namespace
{

constexpr u32 PLENTY = 1 << 20;

TEST(Queues, TheLargestTransferFitsWhateverTheFragmentsOfARequest)
{
	for (u32 sges = 1; sges <= 17; sges++) {
		const u32 requests = (CW_FRAGMENTS_MAX + sges - 1) / sges;
		const u32 size = cw_send_queue(8, 1, sges, PLENTY);
		// Two more: the answer of the transfer, and one request to invalidate.
		EXPECT_LE(requests + 2, cw_send_queue_longest(size)) << sges;
	}
}

TEST(Queues, AQueueWithoutTransfersIsNotSizedForThem)
{
	EXPECT_EQ(cw_send_queue(100, 0, 1, PLENTY), 100U);
	EXPECT_EQ(cw_send_queue(1, 0, 1, PLENTY), 2 * CW_SIGNAL_EVERY);
}

TEST(Queues, EachTransferHasRoomBesideTheSends)
{
	EXPECT_EQ(cw_send_queue(100, 32, 17, PLENTY), 100U + 9 * 32);
}

TEST(Queues, TheDeviceHasTheLastWord)
{
	EXPECT_EQ(cw_send_queue(1000, 32, 1, 254), 254U);
}

} // namespace
