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
		p.control->dead = false;
		const bool alone = std::none_of(std::begin(paths), std::end(paths), [](const cw_path &each) {
			return each.state == CW_PATH_LIVE;
		});
		p.state = CW_PATH_LIVE;
		cw_path_begin_settling(&p);
		if (alone)
			cw_path_use(&p, false);
		cw_session_rank(&session);
		mutex_unlock(&session.lock);
		consistent();
	}

	// The server answers the probes of a path, and the work of the path calls the session.
	void answer(cw_path &p)
	{
		p.alives += std::exchange(p.probes, 0);
		mutex_lock(&p.lock);
		mutex_lock(&session.lock);
		cw_session_rank(&session);
		mutex_unlock(&session.lock);
		mutex_unlock(&p.lock);
		consistent();
	}

	// A path that is back has settled after this time, and answers.
	void settle(cw_path &p, u64 ms)
	{
		pass_ms(ms);
		look();
		answer(p);
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
	EXPECT_EQ(first.probes, 0U);
	pass_ms(1);
	look();
	EXPECT_EQ(in, MAX_JIFFY_OFFSET);
	EXPECT_EQ(first.probes, 1U);
	EXPECT_EQ(told(), Story{});
	answer(first);
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
		settle(first, 1);
		EXPECT_TRUE(first.used) << settles;
		EXPECT_EQ(session.returns, relapse);
		settles = std::min<u64>(2 * settles, 60'000);
	}
	pass_ms(300'000);
	lose_for(first, "no answer");
	join(first);
	settle(first, 3000);
	EXPECT_TRUE(first.used);
}

// The batch of the path ends on another one, which does not flush this one.
TEST_F(Ranks, APathThatStandsBySendsWhatItHasGathered)
{
	lose_for(first, "no answer");
	links[1].open = true;
	links[1].commands = 1;
	join(first);
	settle(first, 3000);
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
	settle(first, 3000);
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
	settle(first, 6000);
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
	settle(first, 3000);
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
	EXPECT_EQ(events, Story{});
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

// The silence of a path is noticed after more than 3 s if it has no commands.
TEST_F(Ranks, APathThatDoesNotAnswerDoesNotReturn)
{
	lose_for(first, "no answer");
	join(first);
	told();
	pass_ms(3000);
	look();
	first.probes = 0; // the network loses it
	pass_ms(2000);
	look();
	EXPECT_EQ(in, MAX_JIFFY_OFFSET);
	EXPECT_EQ(first.probes, 0U); // the watch sends more
	EXPECT_EQ(told(), Story{});
	lose_for(first, "no answer again");
	EXPECT_TRUE(second.used);
	EXPECT_EQ(session.fallbacks, 1U);
	EXPECT_EQ(session.returns, 0U);
	// The answer to a probe of the earlier connection is none.
	join(first);
	first.alives++;
	pass_ms(6000);
	look();
	EXPECT_FALSE(first.used);
	EXPECT_EQ(first.probes, 1U);
	answer(first);
	EXPECT_TRUE(first.used);
}

// The thread that removes the path over TCP waits for the answers of its commands.
TEST_F(Ranks, AReturnDuringTheRemovalOfTheWorseOneHasItsOwnReason)
{
	lose_for(first, "no answer");
	join(first);
	pass_ms(3000);
	events.clear();
	links[1].commands = 1;
	second.answers = false;
	look(); // sends the probe
	while_it_waits = [&] {
		answer(first);
		second.answers = first.used;
	};
	first.answers = false;
	EXPECT_EQ(remove(1), 0);
	EXPECT_EQ(events[0], "25 path 0 over RDMA carries I/O now, because it has been live for 3000 ms");
}

TEST_F(Ranks, TheLossOfTheWorseOneIsTheReasonOfTheReturn)
{
	lose_for(first, "no answer");
	paths[2].factory = &over_tcp;
	paths[2].relapses = 1;
	join(paths[2]);
	join(first);
	events.clear();
	EXPECT_FALSE(paths[2].used);
	lose_for(second, "a cable");
	EXPECT_TRUE(first.used);
	EXPECT_EQ(events, Story{"25 path 0 over RDMA carries I/O now, because path 1 was lost: a cable"});
}

// Both are on a network that has just failed, and only the loss of one was noticed.
TEST_F(Ranks, APathThatHasSettledComesBeforeABetterOneThatHasNot)
{
	join(paths[2]);
	lose_for(first, "no answer");
	join(first);
	told();
	lose_for(paths[2], "no answer");
	EXPECT_EQ(told(), (Story{"fence 2", "up 1", "stop 2", "end 2"}));
	settle(first, 3000);
	EXPECT_EQ(told(), (Story{"up 0", "withdraw 1"}));
}

// The work of the path has not handled its loss yet.
TEST_F(Ranks, APathThatIsKnownToBeDeadIsNotUsed)
{
	join(paths[2]);
	told();
	paths[2].used = session.used[2] = false;
	controls[2].dead = true;
	lose_for(first, "the port went down");
	EXPECT_EQ(told(), (Story{"fence 0", "up 1", "stop 0", "end 0"}));
}

// Another path was chosen before the answer came.
TEST_F(Ranks, APathIsNotAskedForLongerThanTheDecisionWaits)
{
	lose_for(first, "no answer");
	join(first);
	pass_ms(3000);
	look();
	EXPECT_TRUE(first.asked);
	join(paths[2]); // it was never lost
	EXPECT_TRUE(first.asked); // to carry I/O beside it
	paths[2].factory = &over_tcp;
	first.factory = &over_tcp;
	second.factory = &over_rdma;
	look();
	EXPECT_FALSE(first.asked);
}

TEST_F(Ranks, APathOverTcpHasABetterOne)
{
	mutex_lock(&session.lock);
	EXPECT_FALSE(cw_path_has_better(&first));
	EXPECT_TRUE(cw_path_has_better(&second));
	first.state = CW_PATH_REMOVED;
	EXPECT_TRUE(cw_path_has_better(&second)); // the third one, which is down
	paths[2].factory = &over_tcp;
	EXPECT_FALSE(cw_path_has_better(&second));
	mutex_unlock(&session.lock);
}

TEST_F(Ranks, AProbeThatWasNotSentIsSentAgain)
{
	lose_for(first, "no answer");
	join(first);
	pass_ms(3000);
	room = false;
	look();
	EXPECT_EQ(in, 21U);
	EXPECT_EQ(first.probes, 0U);
	first.alives++; // of a probe that it was sent before
	look();
	EXPECT_FALSE(first.used);
	room = true;
	look();
	EXPECT_EQ(in, MAX_JIFFY_OFFSET);
	answer(first);
	EXPECT_TRUE(first.used);
}

// Otherwise each return of a path that fails again and again would make its writes wait.
TEST_F(Ranks, APathThatIsBackSettlesBesideOneOfItsRank)
{
	join(paths[2]);
	lose_for(first, "no answer");
	join(first);
	told();
	EXPECT_FALSE(first.used);
	settle(first, 3000);
	EXPECT_EQ(told(), Story{"up 0"});
	EXPECT_TRUE(paths[2].used);
	EXPECT_EQ(session.fallbacks, 0U);
	EXPECT_EQ(session.returns, 0U);
	// It is used at once if it is the only one.
	lose_for(second, "a cable");
	lose_for(first, "no answer");
	join(first);
	told();
	lose_for(paths[2], "a cable");
	EXPECT_EQ(told(), (Story{"fence 2", "up 0", "stop 2", "end 2"}));
	EXPECT_EQ(session.fallbacks, 0U);
}

TEST_F(Ranks, RemovalOfTheWorseOneIsTheReasonOfTheReturn)
{
	lose_for(first, "no answer");
	join(first);
	told();
	events.clear();
	EXPECT_EQ(remove(1), 0);
	EXPECT_EQ(told(), (Story{"up 0", "withdraw 1", "grace period", "PATH_BYE", "end 1"}));
	EXPECT_EQ(session.returns, 1U);
	EXPECT_EQ(events, (Story{"25 path 0 over RDMA carries I/O now, because path 1 is being removed",
				 "23 path 1: removed"}));
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

// Another thread begins to remove the path, which this removal has given back to the disk.
TEST_F(Ranks, APathThatIsUsedAgainIsNotEndedByAnEarlierRemoval)
{
	links[0].commands = 1;
	first.answers = false;
	while_it_waits = [&] {
		if (!session.used[0] && second.state == CW_PATH_LIVE) {
			lose_for(second, "a cable");
			join(second);
			first.leaving = true;
			links[0].commands = 0;
		}
	};
	EXPECT_EQ(cw_session_remove_path(&session, 0, reason), -EBUSY);
	EXPECT_TRUE(first.used);
	EXPECT_EQ(first.state, CW_PATH_LIVE);
}

// Its work, which would give the path back to the disk, has not run.
TEST_F(Ranks, APathIsNotEndedIfTheOtherIsDead)
{
	links[0].commands = 1;
	first.answers = false;
	while_it_waits = [&] {
		if (!session.used[0]) {
			controls[1].dead = true;
			links[0].commands = 0;
		}
	};
	EXPECT_EQ(remove(0), -EBUSY);
	EXPECT_TRUE(first.used);
	EXPECT_EQ(first.state, CW_PATH_LIVE);
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
		settle(first, 1000);
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
	EXPECT_EQ(first.probes, 0U);
	answer(first);
	first.relapses = 0;
	look();
	EXPECT_EQ(told(), Story{});
	EXPECT_EQ(queued, std::vector<cw_path *>{});
}

} // namespace
