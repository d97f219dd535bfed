// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <set>

#include "kmod/core/verbs/rkey.h"

namespace
{

TEST(Keys, EveryOtherKeyMayBeNextAndTheLastNever)
{
	for (const u32 rkey : {0x12345600U, 0x123456ffU, 0x80U, 0xffffffffU}) {
		std::set<u8> seen;
		for (u32 random = 0; random < 255; random++)
			seen.insert(cw_next_key(rkey, random));
		EXPECT_EQ(seen.size(), 255U);
		EXPECT_FALSE(seen.contains(static_cast<u8>(rkey)));
	}
}

TEST(Keys, TheLargestRandomNumberGivesAnotherKeyToo)
{
	EXPECT_NE(cw_next_key(0xab, 0xffffffff), 0xab);
	EXPECT_NE(cw_next_key(0xff, 0xffffffff), 0xff);
}

} // namespace
