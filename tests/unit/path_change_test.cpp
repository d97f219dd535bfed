// SPDX-License-Identifier: GPL-2.0-or-later
// The removal of paths, and paths that are added.
#include "tests/unit/client_paths.h"

namespace
{

using PathRemoval = ClientPaths;

TEST_F(PathRemoval, EndsAPathThatHasNothingToDo)
{
	EXPECT_EQ(remove(0), 0);
	EXPECT_EQ(story, (Story{ "withdraw 0", "grace period", "PATH_BYE", "end 0" }));
	EXPECT_EQ(first.state, CW_PATH_REMOVED);
	EXPECT_EQ(first.fence.epoch, 0U);
	EXPECT_LT(jiffies, 1100U);
	EXPECT_EQ(remove(0), -ENOENT);
}

TEST_F(PathRemoval, WaitsForTheCommandsOfThePath)
{
	unsigned waits = 0;

	links[0].commands = 3;
	first.answers = false;
	while_it_waits = [&] { first.answers = ++waits > 50; };
	EXPECT_EQ(remove(0), 0);
	EXPECT_GT(waits, 50U);
	EXPECT_EQ(story, (Story{ "withdraw 0", "grace period", "PATH_BYE", "end 0" }));
	EXPECT_EQ(first.fence.epoch, 0U);
}

// The rest of the batch goes by another path, and its end does not flush this one.
TEST_F(PathRemoval, SendsWhatWasGatheredForABatch)
{
	links[0].commands = 1;
	links[0].open = true;
	EXPECT_EQ(remove(0), 0);
	EXPECT_FALSE(links[0].open);
	EXPECT_EQ(first.fence.epoch, 0U);
	EXPECT_LT(jiffies, 1100U);
}

TEST_F(PathRemoval, FencesAPathWhoseCommandsHaveNoAnswer)
{
	links[0].commands = 1;
	first.answers = false;
	EXPECT_EQ(remove(0), 0);
	EXPECT_EQ(story, (Story{ "withdraw 0", "grace period", "fence 0", "stop 0", "end 0" }));
	EXPECT_EQ(first.state, CW_PATH_REMOVED);
	EXPECT_EQ(first.fence.epoch, 10U);
	EXPECT_GE(jiffies, 1000U + CW_REMOVAL_MS);
}

TEST_F(PathRemoval, FencesAPathAfterASignal)
{
	links[0].commands = 1;
	first.answers = false;
	while_it_waits = [&] { signalled = first.alives > 0 || !session.used[0]; };
	EXPECT_EQ(remove(0), 0);
	EXPECT_EQ(first.fence.epoch, 10U);
	EXPECT_LT(jiffies, 1100U);
}

// An answer that is malformed ends the link, and its request has none.
TEST_F(PathRemoval, FencesAPathWhoseRequestsWereTakenBack)
{
	first.malformed = true;
	EXPECT_EQ(remove(0), 0);
	EXPECT_EQ(story, (Story{ "withdraw 0", "grace period", "PATH_BYE", "end 0", "fence 0" }));
	EXPECT_EQ(first.fence.epoch, 10U);
}

TEST_F(PathRemoval, EndsWhenTheOtherPathIsLost)
{
	links[0].commands = 1;
	first.answers = false;
	while_it_waits = [&] {
		if (!session.used[0] && second.state == CW_PATH_LIVE)
			lose(second);
	};
	EXPECT_EQ(remove(0), -EBUSY);
	EXPECT_EQ(story, (Story{ "withdraw 0", "grace period", "fence 1", "up 0", "stop 1", "end 1" }));
	EXPECT_EQ(first.state, CW_PATH_LIVE);
	EXPECT_TRUE(session.used[0]);
	EXPECT_LT(jiffies, 1100U) << "it does not wait for the commands";
	EXPECT_STREQ(reason,
		     "path 0 of storage1/scratch stays: the other paths were lost meanwhile");
}

TEST_F(PathRemoval, IsRefusedIfNoOtherPathAnswers)
{
	second.answers = false;
	EXPECT_EQ(remove(0), -EBUSY);
	EXPECT_EQ(story, Story{}); // the disk goes on with the path
	EXPECT_EQ(first.state, CW_PATH_LIVE);
	EXPECT_STREQ(reason, "path 0 of storage1/scratch stays: no other path answers");
	EXPECT_GE(jiffies, 1000U + CW_REMOVAL_ASK_MS);
	EXPECT_LT(jiffies, 1000U + CW_REMOVAL_MS);
	second.answers = true;
	controls[1].dead = true;
	EXPECT_EQ(remove(0), -EBUSY);
	controls[1].dead = false;
	second.flags = 1UL << CW_PATH_LOST;
	EXPECT_EQ(remove(0), -EBUSY);
	EXPECT_EQ(story, Story{});
	second.flags = 0;
	EXPECT_EQ(remove(0), 0);
}

TEST_F(PathRemoval, OfAPathThatIsDownNeedsNoOther)
{
	second.answers = false;
	EXPECT_EQ(remove(2), 0);
	EXPECT_EQ(paths[2].state, CW_PATH_REMOVED);
	EXPECT_EQ(story, Story{});
}

TEST_F(PathRemoval, OfAPathThatIsLostMeanwhileEndsIt)
{
	links[0].commands = 1;
	first.answers = false;
	while_it_waits = [&] {
		if (!session.used[0] && first.state == CW_PATH_LIVE)
			lose(first);
	};
	EXPECT_EQ(remove(0), 0);
	EXPECT_EQ(first.state, CW_PATH_REMOVED);
	EXPECT_EQ(first.fence.epoch, 10U);
}

TEST_F(PathRemoval, LeavesTheRestToADetach)
{
	links[0].commands = 1;
	first.answers = false;
	while_it_waits = [&] {
		if (!session.used[0])
			session.flags = 1UL << CW_SESSION_CLOSE;
	};
	EXPECT_EQ(cw_session_remove_path(&session, 0, reason), -ENODEV);
	EXPECT_EQ(story, (Story{ "withdraw 0", "grace period" }));
	EXPECT_FALSE(first.lock.held);
	EXPECT_STREQ(reason, "storage1/scratch is being detached");
}

TEST_F(PathRemoval, KeepsTheLastPathAndTheOnlyLiveOne)
{
	EXPECT_EQ(remove(7), -ENOENT);
	second.state = CW_PATH_DOWN;
	second.used = session.used[1] = false;
	EXPECT_EQ(remove(0), -EBUSY);
	EXPECT_EQ(remove(1), 0);
	EXPECT_EQ(remove(2), 0);
	EXPECT_EQ(remove(0), -EBUSY);
	EXPECT_EQ(story, Story{});
}

TEST_F(PathRemoval, MakesRoomForAPathThatIsAdded)
{
	const cw_path_config wanted{ 7, 8, CW_TRANSPORT_TCP };
	cw_path_config found;

	second.fence.epoch = 11;
	EXPECT_EQ(remove(1), 0);
	EXPECT_FALSE(cw_session_path_config(&session, 1, &found));
	snprintf(second.reason, sizeof(second.reason), "of the earlier path");
	second.losses = 5;
	second.fences = 4;
	second.fence_ns = 3;
	snprintf(second.device, sizeof(second.device), "rxe1");
	EXPECT_EQ(cw_session_add_path(&session, &wanted, 1, reason), 0);
	EXPECT_EQ(session.paths[1], &second);
	EXPECT_EQ(second.state, CW_PATH_DOWN);
	EXPECT_EQ(second.fence.epoch, 11U) << "the server may have writes of the earlier path";
	EXPECT_TRUE(cw_session_path_config(&session, 1, &found));
	EXPECT_EQ(found.address, 7);
	EXPECT_EQ(found.local, 8);
	EXPECT_EQ(found.transport, CW_TRANSPORT_TCP) << "the earlier path had another";
	EXPECT_STREQ(second.reason, "the server knows a single path only");
	EXPECT_EQ(second.losses + second.fences + second.fence_ns, 0U) << "of the earlier path";
	EXPECT_STREQ(second.device, "");
	session.features = CW_FEATURE_PATHS;
	EXPECT_EQ(cw_session_add_path(&session, &wanted, 3, reason), 0);
	EXPECT_EQ(session.nr_paths, 4U);
	EXPECT_STREQ(session.paths[3]->reason, "");
	delete session.paths[3];
	session.flags = 1UL << CW_SESSION_CLOSE;
	EXPECT_EQ(cw_session_add_path(&session, &wanted, 4, reason), -ENODEV);
	session.flags = 0;
	session.state = CW_STATE_REVOKED;
	EXPECT_EQ(cw_session_add_path(&session, &wanted, 4, reason), -EKEYREVOKED);
	EXPECT_EQ(session.nr_paths, 4U);
}

TEST_F(PathRemoval, OfTwoAtATimeLeavesOne)
{
	int other = 0;

	links[0].commands = 1;
	first.answers = false;
	while_it_waits = [&] {
		if (!session.used[0] && !other)
			other = cw_session_remove_path(&session, 1, reason);
		first.answers = other;
	};
	EXPECT_EQ(remove(0), 0);
	EXPECT_EQ(other, -EBUSY);
	EXPECT_EQ(second.state, CW_PATH_LIVE);
}

} // namespace
