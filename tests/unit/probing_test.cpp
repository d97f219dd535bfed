// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "kmod/core/link/probing.h"

namespace
{

TEST(Probing, ALinkIsDeadAfterTheRoundsThatBroughtNothing)
{
	u16 rounds = 0;

	for (unsigned round = 1; round < 8; round++)
		EXPECT_EQ(cw_probing_round(&rounds, false, false, 8), CW_PROBING_ASK) << round;
	EXPECT_EQ(cw_probing_round(&rounds, false, false, 8), CW_PROBING_DEAD);
}

TEST(Probing, AMessageOrALateRoundStartsTheCountAnew)
{
	for (bool late : {false, true}) {
		u16 rounds = 7;

		EXPECT_EQ(cw_probing_round(&rounds, true, late, 8), CW_PROBING_ALIVE);
		EXPECT_EQ(rounds, 0);
	}
	u16 rounds = 7;
	EXPECT_EQ(cw_probing_round(&rounds, false, true, 8), CW_PROBING_ASK);
	for (unsigned round = 1; round < 8; round++)
		EXPECT_EQ(cw_probing_round(&rounds, false, false, 8), CW_PROBING_ASK) << round;
	EXPECT_EQ(cw_probing_round(&rounds, false, false, 8), CW_PROBING_DEAD);
}

TEST(Probing, AHostThatStandsStillNeverEndsALink)
{
	u16 rounds = 0;

	for (unsigned round = 0; round < 100; round++)
		EXPECT_EQ(cw_probing_round(&rounds, false, true, 1), CW_PROBING_ASK);
}

TEST(Probing, ARoundIsLateBeyondHalfOfItsInterval)
{
	EXPECT_FALSE(cw_probing_is_late(0, 0));
	EXPECT_FALSE(cw_probing_is_late(0, 1));
	EXPECT_TRUE(cw_probing_is_late(1, 1));
	EXPECT_FALSE(cw_probing_is_late(12, 25));
	EXPECT_TRUE(cw_probing_is_late(13, 25));
}

} // namespace
