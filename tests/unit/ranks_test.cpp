// SPDX-License-Identifier: GPL-2.0-or-later
// The moves of a session's I/O between paths of different ranks. Path 0 is over RDMA, and path 1
// over TCP; path 2, which most tests leave down, is over RDMA.
#include "tests/unit/client_paths.h"

namespace
{

class Ranks : public ClientPaths
{
protected:
	unsigned long in; // jiffies until the work of the session looks again

	void SetUp() override
	{
		ClientPaths::SetUp();
		second.factory = &over_tcp;
		second.used = session.used[1] = false;
		first.live_since = second.live_since = now_ns;
	}

	void pass_ms(u64 ms)
	{
		now_ns += ms * NSEC_PER_MSEC;
	}

	// The work of the session looks.
	void look()
	{
		mutex_lock(&session.lock);
		in = cw_session_rank_again(&session);
		mutex_unlock(&session.lock);
		consistent();
	}

	// The work of a path finds it lost.
	void lose_for(cw_path &p, const char *why)
	{
		snprintf(p.reason, sizeof(p.reason), "%s", why);
		lose(p);
		consistent();
	}

	// A path joins, or logs in if no other path is live.
	void join(cw_path &p)
	{
		mutex_lock(&session.lock);
		p.fence.epoch = 0;
		const bool alone = std::none_of(std::begin(paths), std::end(paths), [](const cw_path &each) {
			return each.state == CW_PATH_LIVE;
		});
		p.state = CW_PATH_LIVE;
		p.live_since = now_ns;
		if (alone)
			cw_path_use(&p, false);
		cw_session_rank(&session);
		mutex_unlock(&session.lock);
		consistent();
	}

	// The works of paths that were queued run.
	void work()
	{
		for (cw_path *p : queued) {
			mutex_lock(&p->lock);
			if (p->state == CW_PATH_LIVE && test_and_clear_bit(CW_PATH_FLUSH, &p->flags))
				cw_path_flush(p);
			mutex_unlock(&p->lock);
		}
		queued.clear();
	}

	Story told()
	{
		return std::exchange(story, {});
	}
};

TEST_F(Ranks, AWorseOneStandsBy)
{
	look();
	EXPECT_EQ(in, MAX_JIFFY_OFFSET);
	EXPECT_EQ(told(), Story{});
	second.state = CW_PATH_DOWN;
	join(second);
	EXPECT_FALSE(second.used);
	EXPECT_EQ(told(), Story{});
	EXPECT_EQ(decisions, 0U);
	EXPECT_EQ(session.fallbacks, 0U);
	EXPECT_EQ(events, Story{});
}

// The disk has the new path before it gives the lost one up.
TEST_F(Ranks, AWorseOneCarriesIoAtOnce)
{
	lose_for(first, "no answer");
	EXPECT_EQ(told(), (Story{"fence 0", "up 1", "stop 0", "end 0"}));
	EXPECT_EQ(session.fallbacks, 1U);
	EXPECT_EQ(session.returns, 0U);
	EXPECT_STREQ(session.fallback_reason, "path 0 was lost: no answer");
	EXPECT_EQ(events, Story{"24 path 1 over TCP carries I/O now, because path 0 was lost: no answer"});
	look();
	EXPECT_EQ(in, MAX_JIFFY_OFFSET);
	EXPECT_EQ(session.fallbacks, 1U);
}

TEST_F(Ranks, ABetterOneReturnsWhenItHasSettled)
{
	lose_for(first, "no answer");
	told();
	events.clear();
	join(first);
	EXPECT_EQ(decisions, 1U);
	EXPECT_EQ(told(), Story{});
	look();
	EXPECT_EQ(in, 3001U);
	pass_ms(2999);
	look();
	EXPECT_EQ(in, 2U); // at least one jiffy passes
	EXPECT_EQ(told(), Story{});
	pass_ms(1);
	look();
	EXPECT_EQ(in, MAX_JIFFY_OFFSET);
	EXPECT_EQ(told(), (Story{"up 0", "withdraw 1"}));
	EXPECT_EQ(second.fence.epoch, 0U);
	EXPECT_EQ(session.fallbacks, 1U);
	EXPECT_EQ(session.returns, 1U);
	EXPECT_EQ(events, Story{"25 path 0 over RDMA carries I/O now, because it has been live for 3000 ms"});
}

TEST_F(Ranks, ARelapseDoublesTheTime)
{
	u64 settles = 3000;

	for (unsigned relapse = 1; relapse <= 7; relapse++) {
		lose_for(first, "no answer");
		join(first);
		pass_ms(settles - 1);
		look();
		EXPECT_FALSE(first.used) << settles;
		pass_ms(1);
		look();
		EXPECT_TRUE(first.used) << settles;
		EXPECT_EQ(session.returns, relapse);
		settles = std::min<u64>(2 * settles, 60'000);
	}
	pass_ms(300'000);
	lose_for(first, "no answer");
	join(first);
	pass_ms(3000);
	look();
	EXPECT_TRUE(first.used);
}

// The batch of the path ends on another one, which does not flush this one.
TEST_F(Ranks, APathThatStandsBySendsWhatItHasGathered)
{
	lose_for(first, "no answer");
	links[1].open = true;
	links[1].commands = 1;
	join(first);
	pass_ms(3000);
	look();
	EXPECT_EQ(queued, std::vector<cw_path *>{&second});
	EXPECT_TRUE(links[1].open);
	told();
	work();
	EXPECT_EQ(told(), Story{"grace period"});
	EXPECT_FALSE(links[1].open);
	EXPECT_EQ(second.state, CW_PATH_LIVE);
}

// Between the decision and the work of the path that stands by.
TEST_F(Ranks, TheBetterOneIsLostDuringTheMove)
{
	lose_for(first, "no answer");
	join(first);
	pass_ms(3000);
	look();
	EXPECT_FALSE(second.used);
	told();
	lose_for(first, "again");
	EXPECT_EQ(told(), (Story{"fence 0", "up 1", "stop 0", "end 0"}));
	work();
	EXPECT_TRUE(second.used);
	EXPECT_EQ(session.fallbacks, 2U);
	EXPECT_EQ(session.returns, 1U);
	EXPECT_STREQ(session.fallback_reason, "path 0 was lost: again");
	EXPECT_EQ(first.relapses, 2);
	join(first);
	pass_ms(6000);
	look();
	EXPECT_FALSE(second.used); // it stands by for a second time
	work();
	EXPECT_TRUE(first.used);
}

TEST_F(Ranks, APathThatStandsByOwesAFenceWhenItIsLost)
{
	lose_for(first, "no answer");
	links[1].commands = 2;
	second.answers = false;
	join(first);
	pass_ms(3000);
	look();
	told();
	lose_for(second, "no answer either");
	EXPECT_EQ(told(), (Story{"fence 1", "stop 1", "end 1"}));
	EXPECT_EQ(second.fence.epoch, 11U);
	EXPECT_EQ(session.fallbacks, 1U);
	work(); // of a path that is down
	EXPECT_EQ(told(), Story{});
}

TEST_F(Ranks, ABetterOneThatSettlesCarriesIoIfTheWorseIsLost)
{
	lose_for(first, "no answer");
	join(first);
	told();
	events.clear();
	lose_for(second, "a cable");
	EXPECT_EQ(told(), (Story{"fence 1", "up 0", "stop 1", "end 1"}));
	EXPECT_EQ(session.returns, 1U);
	EXPECT_EQ(events, Story{"25 path 0 over RDMA carries I/O now, because path 1 was lost: a cable"});
}

TEST_F(Ranks, ALoginByAWorseOneIsAFallback)
{
	stopping = true;
	lose_for(second, "a cable");
	lose_for(first, "the server is gone");
	EXPECT_EQ(session.fallbacks, 0U);
	told();
	join(second);
	EXPECT_EQ(told(), Story{"up 1"});
	EXPECT_EQ(session.fallbacks, 1U);
	EXPECT_STREQ(session.fallback_reason, "path 0 was lost: the server is gone");
}

TEST_F(Ranks, AFirstMoveToABetterOneIsNoReturn)
{
	first.state = CW_PATH_DOWN;
	second.state = CW_PATH_DOWN;
	first.used = session.used[0] = false;
	session.used_rank = 0;
	join(second);
	EXPECT_EQ(events, Story{});
	join(first);
	EXPECT_EQ(told(), (Story{"up 1", "up 0", "withdraw 1"}));
	EXPECT_EQ(session.fallbacks, 0U);
	EXPECT_EQ(session.returns, 0U);
	EXPECT_EQ(events, Story{"25 path 0 over RDMA carries I/O now, because it has been live for 0 ms"});
}

TEST_F(Ranks, TheLossOfOneOfTwoBetterOnesIsNoFallback)
{
	join(paths[2]);
	EXPECT_EQ(told(), Story{"up 2"});
	lose_for(first, "no answer");
	EXPECT_EQ(told(), (Story{"fence 0", "stop 0", "end 0"}));
	EXPECT_EQ(session.fallbacks, 0U);
	lose_for(paths[2], "a cable");
	EXPECT_STREQ(session.fallback_reason, "path 2 was lost: a cable");
}

TEST_F(Ranks, RemovalOfTheBetterOneIsAFallback)
{
	links[0].commands = 1;
	EXPECT_EQ(remove(0), 0);
	EXPECT_EQ(told(), (Story{"up 1", "withdraw 0", "grace period", "PATH_BYE", "end 0"}));
	EXPECT_EQ(session.fallbacks, 1U);
	EXPECT_STREQ(session.fallback_reason, "path 0 is being removed");
	// The path that is added in its place was never lost.
	const cw_path_config wanted{7, 8, CW_TRANSPORT_RDMA};

	first.relapses = 3;
	EXPECT_EQ(cw_session_add_path(&session, &wanted, 0, reason), 0);
	join(first);
	EXPECT_TRUE(first.used);
	EXPECT_EQ(session.returns, 1U);
}

// It is asked for while the other path has not answered.
TEST_F(Ranks, APathThatIsBeingRemovedCarriesIoUntilAnotherOneAnswers)
{
	second.answers = false;
	while_it_waits = [&] {
		look();
		EXPECT_TRUE(first.used);
	};
	EXPECT_EQ(remove(0), -EBUSY);
	EXPECT_EQ(told(), Story{});
	EXPECT_EQ(session.fallbacks, 0U);
}

TEST_F(Ranks, RemovalOfAPathThatStandsByMovesNothing)
{
	links[1].commands = 1;
	EXPECT_EQ(remove(1), 0);
	EXPECT_EQ(told(), (Story{"grace period", "PATH_BYE", "end 1"}));
	EXPECT_EQ(session.fallbacks, 0U);
}

TEST_F(Ranks, APathThatStandsByIsBackIfTheOtherIsLostDuringItsRemoval)
{
	links[1].commands = 1;
	second.answers = false;
	while_it_waits = [&] {
		second.alives++;
		if (second.leaving && first.state == CW_PATH_LIVE && first.alives)
			lose_for(first, "no answer");
	};
	EXPECT_EQ(remove(1), -EBUSY);
	EXPECT_TRUE(second.used);
	EXPECT_EQ(session.fallbacks, 1U);
}

// The removal of the path in use has withdrawn it when the path that follows it is lost.
TEST_F(Ranks, APathThatWasWithdrawnIsBackIfTheOtherIsLost)
{
	links[0].commands = 1;
	first.answers = false;
	while_it_waits = [&] {
		if (!session.used[0] && second.state == CW_PATH_LIVE)
			lose_for(second, "a cable");
	};
	EXPECT_EQ(remove(0), -EBUSY);
	EXPECT_TRUE(first.used);
	EXPECT_EQ(session.fallbacks, 1U);
	EXPECT_EQ(session.returns, 1U);
	EXPECT_EQ(told(), (Story{"up 1", "withdraw 0", "grace period", "fence 1", "up 0", "stop 1", "end 1"}));
}

// A path that stands by goes on being removed while the better one has I/O again.
TEST_F(Ranks, AMoveDuringARemovalLeavesThePathWithdrawn)
{
	unsigned waits = 0;

	lose_for(first, "no answer");
	join(first);
	links[1].commands = 1;
	second.answers = false;
	told();
	while_it_waits = [&] {
		pass_ms(1000);
		look();
		first.alives++;
		second.answers = ++waits > 8;
	};
	EXPECT_EQ(remove(1), 0);
	EXPECT_TRUE(first.used);
	EXPECT_EQ(second.state, CW_PATH_REMOVED);
	EXPECT_EQ(second.fence.epoch, 0U);
}

TEST_F(Ranks, NothingMovesWhileTheSessionCloses)
{
	lose_for(first, "no answer");
	join(first);
	told();
	session.flags = 1UL << CW_SESSION_CLOSE;
	pass_ms(60'000);
	look();
	EXPECT_EQ(in, MAX_JIFFY_OFFSET);
	EXPECT_EQ(told(), Story{});
	EXPECT_EQ(queued, std::vector<cw_path *>{});
}

} // namespace
