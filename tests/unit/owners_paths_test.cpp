// SPDX-License-Identifier: GPL-2.0-or-later
// Tests the rules of docs/PROTOCOL.md, section 7, on the machine of the owners, one by one.
// tests/owners combines them at random.
#include "owners_fixture.h"

using namespace owners_fixture;

namespace
{

constexpr u64 tag = 77; // of every JOIN that the test does not forge

class OwnersPaths : public Owners
{
      protected:
	// A JOIN of the session of host 1. The client proves the secret of the login of
	// @login_epoch.
	cw_login join(const std::string &name, u8 path, u64 epoch, u64 login_epoch = 1)
	{
		cw_login m = login(name, 1, 1, 1, epoch);
		m.join = true;
		m.path = path;
		m.tag = tag;
		m.login_epoch = login_epoch;
		return m;
	}

	void arrive(cw_login &m)
	{
		names[&m] = pending;
		m.hello_at = now;
		heard[&m] = now;
		cw_owners_join(&owners, &m, now);
	}

	// Announces the JOIN with @announced.
	int fence(cw_login &m, u8 path, u64 epoch, u64 announced = tag)
	{
		return cw_owners_fence(&owners, &m, path, epoch, announced, now);
	}

	// Admits a JOIN that is announced on the path of @by.
	void add(cw_login &by, cw_login &m)
	{
		ASSERT_EQ(fence(by, m.path, m.epoch - 1), 0);
		arrive(m);
		ASSERT_EQ(m.state, CW_LOGIN_LIVE);
		took();
	}

	void end(cw_login &m)
	{
		cw_owners_ended(&owners, &m, now);
	}
};

constexpr u64 join_ms = 10000;

// ---- JOIN ----

TEST_F(OwnersPaths, AJoinIsAdmittedBehindItsFence)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	EXPECT_EQ(fence(a, 1, 1), 0);
	EXPECT_EQ(took(), Asked{"fenced a 1 1"});
	cw_login b = join("b", 1, 2);
	arrive(b);
	EXPECT_EQ(took(), Asked{"welcome b"});
	EXPECT_EQ(a.state, CW_LOGIN_LIVE) << "a JOIN ends no path";
}

TEST_F(OwnersPaths, AJoinWaitsForItsFence)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = join("b", 1, 3);
	arrive(b);
	fence(a, 2, 2);
	fence(a, 1, 1);
	EXPECT_EQ(took(), (Asked{"fenced a 2 2", "fenced a 1 1"})) << "of another path and floor";
	EXPECT_EQ(b.waits, CW_OWNERS_WAIT_FENCE);
	fence(a, 1, 2);
	EXPECT_EQ(took(), (Asked{"fenced a 1 2", "welcome b"}));
}

TEST_F(OwnersPaths, AFenceAnnouncesOneJoin)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login forged = join("forged", 1, 2);
	forged.tag = 66;
	arrive(forged);
	fence(a, 1, 1);
	EXPECT_EQ(took(), Asked{"fenced a 1 1"});
	EXPECT_EQ(forged.waits, CW_OWNERS_WAIT_FENCE);
	cw_login b = join("b", 1, 2);
	arrive(b);
	EXPECT_EQ(took(), Asked{"welcome b"});
	pass(join_ms);
	EXPECT_EQ(forged.state, CW_LOGIN_ENDING);
}

TEST_F(OwnersPaths, AFenceOfAPathThatDiedAnnouncesNoJoin)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = join("b", 1, 2);
	arrive(b);
	fence(a, 1, 1, 0);
	EXPECT_EQ(took(), Asked{"fenced a 1 1"});
	EXPECT_EQ(b.waits, CW_OWNERS_WAIT_FENCE);
	fence(a, 1, 1);
	fence(a, 2, 1);
	fence(a, 2, 1, 0);
	EXPECT_EQ(took(), (Asked{"fenced a 1 1", "welcome b", "fenced a 2 1", "fenced a 2 1"}));
	cw_login c = join("c", 2, 2);
	arrive(c);
	EXPECT_EQ(took(), Asked{"welcome c"}) << "the announcement stays";
}

TEST_F(OwnersPaths, AHigherFenceEndsAnAnnouncement)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	fence(a, 1, 1);
	fence(a, 1, 2, 0);
	took();
	cw_login b = join("b", 1, 3);
	arrive(b);
	EXPECT_EQ(took(), Asked{});
	EXPECT_EQ(b.waits, CW_OWNERS_WAIT_FENCE);
}

TEST_F(OwnersPaths, AJoinWithoutItsFenceIsStaleAfterTenSeconds)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = join("b", 1, 2);
	arrive(b);
	EXPECT_EQ(owners.wake, now + join_ms);
	pass(join_ms - 1);
	EXPECT_EQ(took(), Asked{});
	pass(1);
	EXPECT_EQ(took(), Asked{"refuse b NO_FENCE"});
}

TEST_F(OwnersPaths, AJoinBelowTheFloorIsStaleAtOnce)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	fence(a, 1, 5);
	took();
	for (u64 epoch : {4, 5}) {
		cw_login b = join("b", 1, epoch);
		arrive(b);
		EXPECT_EQ(took(), Asked{"refuse b STALE"}) << "a floor is no epoch of a login";
		leave(b);
	}
}

TEST_F(OwnersPaths, ALowerFenceDoesNotLowerTheFloor)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	fence(a, 1, 5);
	fence(a, 1, 3);
	EXPECT_EQ(took(), (Asked{"fenced a 1 5", "fenced a 1 3"}));
	cw_login b = join("b", 1, 4);
	arrive(b);
	EXPECT_EQ(took(), Asked{"refuse b STALE"});
}

TEST_F(OwnersPaths, AFloorAdmitsOneJoin)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	leave(b);
	// The client sends FENCE again when the path that sent it has ended.
	fence(a, 1, 1);
	EXPECT_EQ(took(), Asked{"fenced a 1 1"});
	cw_login again = join("again", 1, 2);
	arrive(again);
	EXPECT_EQ(again.waits, CW_OWNERS_WAIT_FENCE);
	pass(join_ms);
	EXPECT_EQ(took(), (Asked{"refuse again NO_FENCE", "write 9"})) << "and the epochs are written";
	leave(again);
	cw_login c = join("c", 1, 3);
	add(a, c);
}

TEST_F(OwnersPaths, AllPathsKnowTheFloors)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2), c = join("c", 2, 3);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	fence(a, 2, 2);
	leave(a);
	pending = "c";
	arrive(c);
	EXPECT_EQ(took(), Asked{"welcome c"}) << "the path that sent FENCE has ended";
	cw_login d = join("d", 2, 3);
	arrive(d);
	EXPECT_EQ(d.waits, CW_OWNERS_WAIT_FENCE) << "the floor is used";
}

TEST_F(OwnersPaths, ALoginSetsTheFloorsAnew)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	fence(a, 1, 9);
	leave(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	attach(b);
	cw_login c = join("c", 1, 3, 2);
	arrive(c);
	EXPECT_EQ(c.waits, CW_OWNERS_WAIT_FENCE) << "no FENCE has named the floor since the login";
	fence(b, 1, 2);
	EXPECT_EQ(took(), (Asked{"fenced b 1 2", "welcome c"}));
}

TEST_F(OwnersPaths, AJoinNeedsALivePathOfItsLogin)
{
	cw_login before = join("before", 1, 2);
	arrive(before);
	EXPECT_EQ(took(), Asked{"refuse before NOT_LIVE"});
	leave(before);
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	attach(b);
	cw_login old = join("old", 1, 3);
	arrive(old);
	EXPECT_EQ(took(), Asked{"refuse old NOT_LIVE"})
		<< "it proves the secret of the first login";
	leave(old);
	cw_login c = join("c", 1, 4, 2);
	arrive(c);
	leave(b);
	EXPECT_EQ(c.state, CW_LOGIN_ENDING) << "it was refused when the last path ended";
}

TEST_F(OwnersPaths, APathThatSaidGoodbyeIsNotLiveForAJoin)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	written = -EINPROGRESS;
	cw_owners_goodbye(&owners, &a, now);
	cw_owners_idle(&owners, &a, now);
	EXPECT_EQ(took(), Asked{"write 9"});
	cw_login b = join("b", 1, 2);
	arrive(b);
	EXPECT_EQ(took(), Asked{}) << "a change is being written";
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(took(), (Asked{"farewell a", "refuse b NOT_LIVE"}));
	leave(a);
	leave(b);

	cw_login c = login("c", 1, 1, 2, 1, 2);
	written = 0;
	attach(c);
	cw_owners_goodbye(&owners, &c, now);
	cw_login d = join("d", 1, 2);
	d.owner = c.owner;
	arrive(d);
	EXPECT_EQ(took(), Asked{"refuse d NOT_LIVE"}) << "its commands have not ended";
}

TEST_F(OwnersPaths, AnEvictedHostDoesNotJoin)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2), c = join("c", 2, 3);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	pending = "c";
	arrive(c);
	cw_owners_request request = eviction(1);
	cw_owners_submit(&owners, &request, now);
	EXPECT_EQ(took(), (Asked{"write 9", "end a", "end b", "refuse c NOT_LIVE"}));
	end(a);
	EXPECT_EQ(took(), Asked{"release a"}) << "the commands of the other path are left";
	end(b);
	EXPECT_EQ(took(), (Asked{"release b", "completed"}));
}

TEST_F(OwnersPaths, AnExportThatIsBeingRemovedLetsNoPathJoin)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = join("b", 1, 2);
	arrive(b);
	cw_owners_close(&owners, now);
	EXPECT_EQ(took(), Asked{"refuse b NOT_LIVE"});
}

TEST_F(OwnersPaths, ALimitRefusesAJoin)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	limited = true;
	cw_login b = join("b", 1, 2);
	arrive(b);
	EXPECT_EQ(took(), Asked{"refuse b LIMIT"});
}

TEST_F(OwnersPaths, AReadOnlyExportHasPaths)
{
	owners.read_only = true;
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	fence(b, 0, 1);
	EXPECT_EQ(took(), Asked{"end a"});
	end(a);
	EXPECT_EQ(took(), (Asked{"release a", "fenced b 0 1"}));
}

TEST_F(OwnersPaths, AJoinIsJudgedDuringAWriteOfEpochsOnly)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2), c = join("c", 2, 3);
	pending = "a";
	attach(a);
	fence(a, 1, 1);
	fence(a, 2, 2);
	took();
	written = -EINPROGRESS;
	cw_login other = login("other", 2, 2, 2, 1);
	enter(other);
	pending = "b";
	arrive(b);
	EXPECT_EQ(took(), Asked{"write 9"}) << "a change";
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(took(), (Asked{"welcome other", "welcome b"}));
	pass(CW_OWNERS_EPOCHS_MS);
	pending = "c";
	arrive(c);
	EXPECT_EQ(took(), (Asked{"write 10", "welcome c"})) << "epochs";
}

// ---- epochs ----

TEST_F(OwnersPaths, AJoinConfirmsItsLoginAndIsTheNewestEpoch)
{
	cw_login a = login("a", 1, 1, 1, 3), b = join("b", 1, 5, 3);
	pending = "a";
	attach(a);
	entry(1)->confirmed = 0;
	pending = "b";
	add(a, b);
	EXPECT_EQ(entry(1)->confirmed, 3U);
	EXPECT_EQ(entry(1)->newest, 5U);
	leave(a);
	leave(b);
	cw_login c = returning("c", 1, 1, 1, 5, 3);
	enter(c);
	EXPECT_EQ(took(), Asked{"refuse c STALE 5"});
}

TEST_F(OwnersPaths, ADataLinkOfAJoinedPathConfirmsTheLogin)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	ASSERT_TRUE(cw_owners_confirm(&owners, &b, now));
	leave(b);
	leave(a);
	cw_login c = returning("c", 1, 1, 1, 3, 1);
	enter(c);
	EXPECT_EQ(took(), Asked{"welcome c"});
}

TEST_F(OwnersPaths, AJoinDoesNotShortenTheDetectionTimeOfTheOwner)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2), c = join("c", 2, 3);
	pending = "a";
	a.dead_ms = 30000;
	attach(a);
	pending = "b";
	add(a, b);
	EXPECT_EQ(entry(1)->dead_ms, 30000U) << "the path of the login may be silent for so long";
	pending = "c";
	c.dead_ms = 60000;
	add(a, c);
	EXPECT_EQ(entry(1)->dead_ms, 60000U);
	for (cw_login *m : {&a, &b, &c})
		leave(*m);
	cw_login d = returning("d", 1, 1, 1, 4, 1);
	attach(d);
	EXPECT_EQ(entry(1)->dead_ms, dead_ms) << "a login begins anew";
}

TEST_F(OwnersPaths, AJoinThatWaitsMakesNoLoginStale)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login forged = join("forged", 1, 1ULL << 63);
	arrive(forged);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	EXPECT_EQ(took(), Asked{"probe a"});
	pass(1000);
	EXPECT_EQ(took(), (Asked{"end a", "refuse forged NOT_LIVE"}))
		<< "it does not wait for the commands of the path";
	end(a);
	EXPECT_EQ(took(), (Asked{"release a", "welcome b"}));
}

// ---- logins ----

TEST_F(OwnersPaths, ALoginWaitsForAllPathsOfItsSession)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	cw_login c = returning("c", 1, 1, 1, 3, 1);
	enter(c);
	EXPECT_EQ(took(), (Asked{"probe a", "probe b"}));
	pass(1000);
	EXPECT_EQ(took(), (Asked{"end a", "end b"}));
	end(a);
	EXPECT_EQ(took(), Asked{"release a"});
	end(b);
	EXPECT_EQ(took(), (Asked{"release b", "welcome c"}));
}

TEST_F(OwnersPaths, AnAnswerOnAJoinedPathShowsACopy)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	leave(a);
	cw_login c = returning("c", 1, 1, 1, 3, 1);
	enter(c);
	took();
	alive(&b, cookies.back());
	EXPECT_EQ(took(), Asked{"refuse c SUPERSEDED"});
}

TEST_F(OwnersPaths, AnAnswerThatShowsACopyRefusesNoJoin)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = join("b", 1, 5);
	arrive(b);
	cw_login c = returning("c", 1, 1, 1, 5, 1);
	enter(c);
	took();
	alive(&a, cookies.back());
	EXPECT_EQ(took(), Asked{"refuse c SUPERSEDED"});
	EXPECT_EQ(b.waits, CW_OWNERS_WAIT_FENCE);
	EXPECT_EQ(b.state, CW_LOGIN_JUDGED);
}

TEST_F(OwnersPaths, AJoinThatWaitsAnswersForTheOwner)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = join("b", 1, 2);
	arrive(b);
	cw_login reboot = login("reboot", 1, 2, 2, 1);
	enter(reboot);
	EXPECT_EQ(took(), (Asked{"probe a", "probe b"}));
	alive(&b, cookies.back());
	EXPECT_EQ(took(), Asked{"refuse reboot IN_USE"});
}

TEST_F(OwnersPaths, AJoinThatIsSilentDoesNotHoldUpANewSession)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = join("b", 1, 2);
	arrive(b);
	cw_login reboot = login("reboot", 1, 2, 2, 1);
	enter(reboot);
	took();
	pass(dead_ms);
	EXPECT_EQ(took(), (Asked{"end a", "refuse b NOT_LIVE"}));
}

// ---- FENCE ----

TEST_F(OwnersPaths, AFenceIsAnsweredWhenNothingOfThePathIsLeft)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	fence(a, 1, 2);
	EXPECT_EQ(took(), Asked{"end b"});
	pass(CW_OWNERS_EPOCHS_MS - 1);
	EXPECT_EQ(took(), Asked{}) << "its commands are with the disk";
	end(b);
	EXPECT_EQ(took(), (Asked{"release b", "fenced a 1 2"}));
}

TEST_F(OwnersPaths, APathThatEndsAlreadyIsWaitedFor)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	cw_owners_ending(&owners, &b, now);
	fence(a, 1, 2);
	EXPECT_EQ(took(), Asked{"hasten b"});
	fence(a, 1, 2);
	EXPECT_EQ(took(), Asked{}) << "it was asked for once";
	end(b);
	EXPECT_EQ(took(), (Asked{"release b", "fenced a 1 2"}));
}

TEST_F(OwnersPaths, AFenceEndsAJoinThatWaits)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = join("b", 1, 2);
	arrive(b);
	fence(a, 1, 2);
	EXPECT_EQ(took(), (Asked{"end b", "fenced a 1 2"})) << "it was not admitted";
	end(b);
	EXPECT_EQ(took(), Asked{"release b"});
}

TEST_F(OwnersPaths, AFenceEndsALoginThatWaits)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	b.path = 1;
	enter(b);
	EXPECT_EQ(took(), Asked{"probe a"});
	fence(a, 1, 2);
	EXPECT_EQ(took(), (Asked{"end b", "fenced a 1 2"})) << "it was not admitted";
	pass(dead_ms);
	EXPECT_EQ(a.state, CW_LOGIN_LIVE);
}

TEST_F(OwnersPaths, WhatWasRefusedDelaysNoAnswerToAFence)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	fence(a, 1, 2);
	took();
	cw_login again = join("again", 1, 2);
	arrive(again);
	cw_login low = returning("low", 1, 1, 1, 2, 1);
	low.path = 1;
	enter(low);
	EXPECT_EQ(again.state, CW_LOGIN_ENDING);
	EXPECT_EQ(low.state, CW_LOGIN_ENDING);
	took();
	end(b);
	EXPECT_EQ(took(), (Asked{"release b", "fenced a 1 2"}));
}

TEST_F(OwnersPaths, AFenceSparesWhatItDoesNotName)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2), c = join("c", 2, 3);
	cw_login other = login("other", 2, 2, 2, 1);
	pending = "a";
	attach(a);
	pending = "other";
	attach(other);
	pending = "b";
	add(a, b);
	pending = "c";
	add(a, c);
	other.path = 1;
	fence(a, 1, 1);
	EXPECT_EQ(took(), Asked{"fenced a 1 1"});
	for (const cw_login *m : {&a, &b, &c, &other})
		EXPECT_EQ(m->state, CW_LOGIN_LIVE);
}

TEST_F(OwnersPaths, AFenceMayNameThePathOfTheLogin)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	fence(b, 0, 2);
	EXPECT_EQ(took(), Asked{"end a"});
	cw_login c = join("c", 0, 3);
	arrive(c);
	EXPECT_EQ(took(), Asked{"welcome c"}) << "a JOIN does not wait for FENCED";
	end(a);
	EXPECT_EQ(took(), (Asked{"release a", "fenced b 0 2"}));
}

TEST_F(OwnersPaths, TheHighestFenceOfAPathIsAnsweredForAll)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	fence(a, 1, 3);
	fence(a, 1, 2);
	fence(a, 1, 4);
	took();
	end(b);
	EXPECT_EQ(took(), (Asked{"release b", "fenced a 1 4"}));
}

TEST_F(OwnersPaths, EachLinkGetsItsAnswer)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2), c = join("c", 2, 3);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	pending = "c";
	add(a, c);
	fence(a, 2, 3);
	fence(b, 2, 3);
	took();
	leave(a);
	end(c);
	EXPECT_EQ(took(), (Asked{"release c", "fenced b 2 3"})) << "the link of a has ended";
}

TEST_F(OwnersPaths, AFenceIsAnsweredDuringAWrite)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	written = -EINPROGRESS;
	cw_login other = login("other", 2, 2, 2, 1);
	enter(other);
	fence(a, 1, 2);
	EXPECT_EQ(took(), (Asked{"write 9", "end b"}));
	end(b);
	EXPECT_EQ(took(), (Asked{"release b", "fenced a 1 2"}));
}

TEST_F(OwnersPaths, AFenceOfItsOwnPathIsMalformed)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	EXPECT_EQ(fence(a, 0, 1), -EPROTO);
	EXPECT_EQ(fence(a, CW_WIRE_PATHS, 1), -EPROTO);
	EXPECT_EQ(took(), Asked{});
}

TEST_F(OwnersPaths, AFenceOnAPathThatEndsIsIgnored)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	cw_owners_ending(&owners, &a, now);
	EXPECT_EQ(fence(a, 1, 2), 0);
	EXPECT_EQ(took(), Asked{});
	EXPECT_EQ(b.state, CW_LOGIN_LIVE);
}

// ---- GOODBYE and PATH_BYE ----

TEST_F(OwnersPaths, GoodbyeEndsAllPathsBeforeItIsAnswered)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2), c = join("c", 2, 3);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	pending = "c";
	arrive(c);
	cw_owners_goodbye(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"end b", "refuse c NOT_LIVE"}));
	cw_owners_idle(&owners, &a, now);
	EXPECT_EQ(took(), Asked{}) << "commands of the other path are left";
	end(b);
	EXPECT_EQ(took(), (Asked{"release b", "write 9", "farewell a"}));
	EXPECT_FALSE(cw_ledger_is_owner(entry(1)))
		<< "the epoch of the other path is no later login";
}

TEST_F(OwnersPaths, GoodbyeMayComeOnAnyPath)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	cw_owners_goodbye(&owners, &b, now);
	EXPECT_EQ(took(), Asked{"end a"});
	end(a);
	cw_owners_idle(&owners, &b, now);
	EXPECT_EQ(took(), (Asked{"release a", "write 9", "farewell b"}));
	EXPECT_FALSE(cw_ledger_is_owner(entry(1)));
}

TEST_F(OwnersPaths, PathByeEndsItsPath)
{
	cw_login a = login("a", 1, 1, 1, 1), b = join("b", 1, 2);
	pending = "a";
	attach(a);
	pending = "b";
	add(a, b);
	EXPECT_EQ(cw_owners_path_bye(&owners, &b, 1, 1, now), -EPROTO);
	EXPECT_EQ(cw_owners_path_bye(&owners, &b, 0, 2, now), -EPROTO);
	EXPECT_EQ(took(), Asked{});
	EXPECT_EQ(cw_owners_path_bye(&owners, &b, 1, 2, now), 0);
	EXPECT_EQ(took(), Asked{"end b"});
	EXPECT_EQ(cw_owners_path_bye(&owners, &b, 1, 2, now), 0) << "its end has begun";
	end(b);
	EXPECT_EQ(cw_owners_path_bye(&owners, &a, 0, 1, now), 0)
		<< "the client may not have noticed that the other path has ended";
	EXPECT_EQ(took(), (Asked{"release b", "end a"}));
	EXPECT_TRUE(cw_ledger_is_owner(entry(1)));
}

} // namespace
