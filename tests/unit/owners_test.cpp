// SPDX-License-Identifier: GPL-2.0-or-later
// Tests the rules of docs/PROTOCOL.md, sections 5 and 6, one by one. tests/owners combines them at
// random.
#include "owners_fixture.h"

using namespace owners_fixture;

namespace
{

// ---- the owner's own session ----

TEST_F(Owners, TheFirstSessionIsWrittenAndWelcomed)
{
	cw_login a = login("a", 1, 1, 1, 1);
	enter(a);
	EXPECT_EQ(took(), (Asked{"write 8", "welcome a"}));
	EXPECT_EQ(owners.ledger.generation, 8U);
}

TEST_F(Owners, AReturningOwnerIsWelcomedWithoutAWrite)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	EXPECT_EQ(took(), Asked{"welcome b"});
	EXPECT_EQ(entry(1)->newest, 2U);
}

TEST_F(Owners, ItsEpochsAreWrittenWithinTenSeconds)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = returning("b", 1, 1, 1, 5, 1);
	enter(b);
	took();
	pass(8000);
	EXPECT_EQ(took(), Asked{});
	pass(1900);
	EXPECT_EQ(took(), Asked{"write 9"});
	EXPECT_EQ(next[0].newest, 5U);
	pass(20000);
	EXPECT_EQ(took(), Asked{}) << "nothing is new";
}

TEST_F(Owners, AnEpochThatIsNotNewIsStale)
{
	cw_login a = login("a", 1, 1, 1, 3);
	attach(a);
	leave(a);
	for (u64 epoch : {2, 3}) {
		cw_login b = returning("b", 1, 1, 1, epoch, 1);
		enter(b);
		EXPECT_EQ(took(), Asked{"refuse b STALE 3"});
		leave(b);
	}
}

TEST_F(Owners, ALoginThatIsOlderThanOneUnderWayIsStale)
{
	cw_login a = login("a", 1, 1, 1, 5), b = login("b", 1, 1, 1, 4);
	written = -EINPROGRESS;
	pending = "a";
	enter(a);
	pending = "b";
	enter(b);
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(took(), (Asked{"write 8", "welcome a", "refuse b STALE 5"}));
}

TEST_F(Owners, ALoginThatIsOlderThanOneThatWaitsIsStale)
{
	owners.exclusive = true;
	cw_login owner = login("owner", 2, 2, 2, 1);
	attach(owner);
	leave(owner);
	cw_login a = login("a", 1, 1, 1, 5);
	enter(a);
	for (u64 epoch : {4, 5}) {
		cw_login b = login("b", 1, 1, 1, epoch);
		enter(b);
		EXPECT_EQ(took(), Asked{"refuse b STALE 5"});
		leave(b);
	}
	EXPECT_EQ(a.state, CW_LOGIN_JUDGED);
}

TEST_F(Owners, ALoginEndsAnEarlierOneOfItsSession)
{
	cw_login owner = login("owner", 2, 2, 2, 1);
	owners.exclusive = true;
	attach(owner);
	leave(owner);
	cw_login a = login("a", 1, 1, 1, 1);
	enter(a);
	cw_login b = login("b", 1, 1, 1, 2);
	enter(b);
	EXPECT_EQ(took(), Asked{"end a"});
}

TEST_F(Owners, AClientThatHasLoggedInSinceIsACopy)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	attach(b);
	leave(b);
	// The copy was made when epoch 1 was the latest one.
	cw_login copy = returning("copy", 1, 1, 1, 9, 1);
	enter(copy);
	EXPECT_EQ(took(), Asked{"refuse copy SUPERSEDED"});
}

TEST_F(Owners, ACopyOfASessionThatBeganAnewIsNoOwner)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_owners_request evict = eviction(1), readmit = readmission(1);
	cw_owners_submit(&owners, &evict, now);
	cw_owners_submit(&owners, &readmit, now);
	// A copy of the client that was made before its first WELCOME attaches the same session as
	// a new one.
	cw_login copy = login("copy", 1, 1, 1, 70, 2);
	attach(copy);
	leave(copy);
	cw_login b = returning("b", 1, 1, 1, 71, 1);
	enter(b);
	EXPECT_EQ(took(), Asked{"refuse b SUPERSEDED"});
}

TEST_F(Owners, AnEarlierLinkThatAnswersShowsACopy)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	EXPECT_EQ(took(), Asked{"probe a"});
	alive(&a, cookies.back() + 1);
	EXPECT_EQ(took(), Asked{}) << "the cookie of another PROBE";
	alive(&a, cookies.back());
	EXPECT_EQ(took(), Asked{"refuse b SUPERSEDED"});
	EXPECT_EQ(a.state, CW_LOGIN_LIVE);
}

TEST_F(Owners, AnEarlierLinkThatDoesNotAnswerIsEnded)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	took();
	pass(999);
	EXPECT_EQ(took(), Asked{});
	pass(1);
	EXPECT_EQ(took(), Asked{"end a"});
	EXPECT_EQ(b.waits, CW_OWNERS_WAIT_COMMANDS);
	pass(60000);
	EXPECT_EQ(took(), Asked{}) << "commands of the old login are with the disk";
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"release a", "welcome b"}));
}

TEST_F(Owners, AnAnswerThatWasGivenBeforeTheLoginShowsNoCopy)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login other = login("other", 1, 2, 2, 1);
	enter(other);
	EXPECT_EQ(took(), Asked{"probe a"});
	u64 earlier = cookies.back();
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	EXPECT_EQ(took(), (Asked{"probe a", "probe b"})) << "b may answer for the owner, too";
	alive(&a, earlier);
	EXPECT_EQ(took(), Asked{"refuse other IN_USE"}) << "b is judged by its own PROBE";
}

TEST_F(Owners, AnAnswerStandsForTheEarlierProbesOfItsLink)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login other = login("other", 1, 2, 2, 1);
	enter(other);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	took();
	EXPECT_EQ(cw_owners_cookie(&a), cookies[1]);
	alive(&a, cookies[1]);
	Asked asked_for = took();
	std::sort(asked_for.begin(), asked_for.end());
	EXPECT_EQ(asked_for, (Asked{"refuse b SUPERSEDED", "refuse other IN_USE"}));
	EXPECT_EQ(cw_owners_cookie(&a), 0U);
}

// ---- sessions that have lost their disk ----

TEST_F(Owners, AReturningSessionWithoutAnEntryIsSuperseded)
{
	cw_login a = returning("a", 1, 1, 1, 9, 8);
	enter(a);
	EXPECT_EQ(took(), Asked{"refuse a SUPERSEDED"});
}

TEST_F(Owners, AReplacedBootIsSuperseded)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	pass(dead_ms);
	EXPECT_EQ(took(), (Asked{"write 9", "welcome b"}));
	leave(b);
	cw_login old = returning("old", 1, 1, 1, 2, 1);
	enter(old);
	cw_login anew = login("anew", 1, 1, 3, 1, 2);
	enter(anew);
	EXPECT_EQ(took(), (Asked{"refuse old SUPERSEDED", "refuse anew SUPERSEDED"}));
}

TEST_F(Owners, AnEarlierAttachmentOfTheSameBootIsStale)
{
	cw_login a = login("a", 1, 1, 1, 1, 5);
	attach(a);
	leave(a);
	for (u64 serial : {4, 5}) {
		cw_login b = login("b", 1, 1, 2, 1, serial);
		enter(b);
		EXPECT_EQ(took(), Asked{"refuse b STALE"});
		leave(b);
	}
}

// ---- new sessions ----

TEST_F(Owners, AnOwnerThatAnswersKeepsItsDisk)
{
	owners.exclusive = true;
	cw_login a = login("a", 1, 1, 1, 1), b = login("b", 2, 2, 2, 1), c = login("c", 3, 3, 3, 1);
	pending = "a";
	attach(a);
	pending = "b";
	enter(b);
	pending = "c";
	enter(c);
	EXPECT_EQ(took(), Asked{"probe a"}) << "one PROBE for all who wait";
	alive(&a, cookies.back());
	Asked asked_for = took();
	std::sort(asked_for.begin(), asked_for.end());
	EXPECT_EQ(asked_for, (Asked{"refuse b IN_USE", "refuse c IN_USE"}));
}

TEST_F(Owners, OwnersOfASharedDiskDoNotMeet)
{
	cw_login a = login("a", 1, 1, 1, 1), b = login("b", 2, 2, 2, 1);
	pending = "a";
	attach(a);
	pending = "b";
	enter(b);
	EXPECT_EQ(took(), (Asked{"write 9", "welcome b"}));
}

TEST_F(Owners, AnAbsentOwnerOfAnotherHostIsNotReplaced)
{
	owners.exclusive = true;
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = login("b", 2, 2, 2, 1);
	enter(b);
	pass(dead_ms - 1);
	EXPECT_EQ(took(), Asked{});
	pass(1);
	EXPECT_EQ(took(), Asked{"refuse b IN_USE"});
}

TEST_F(Owners, TakeoverCountsFromTheLastSignOfLife)
{
	owners.exclusive = true;
	owners.takeover_after = 60;
	now += 600000;
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	now += 50000;
	heard[&a] = now;
	leave(a);
	now += 20000;
	cw_login b = login("b", 2, 2, 2, 1);
	enter(b);
	pass(dead_ms);
	EXPECT_EQ(took(), Asked{"refuse b IN_USE"}) << "25 s";
	leave(b);
	now += 35000 - dead_ms;
	cw_login c = login("c", 2, 2, 2, 2);
	enter(c);
	pass(dead_ms);
	EXPECT_EQ(took(), (Asked{"write 9", "welcome c"})) << "60 s";
	EXPECT_FALSE(cw_ledger_is_owner(entry(1)));
	cw_login d = returning("d", 1, 1, 1, 2, 1);
	enter(d);
	EXPECT_EQ(took(), Asked{"refuse d SUPERSEDED"});
}

TEST_F(Owners, TakeoverCountsFromTheStartOfTheExport)
{
	owners.exclusive = true;
	owners.takeover_after = 60;
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	// The server was restarted and has not heard from the owner since.
	now += 600000;
	entry(1)->heard = 0;
	cw_owners_start(&owners, now);
	cw_login b = login("b", 2, 2, 2, 1);
	enter(b);
	pass(dead_ms);
	EXPECT_EQ(took(), Asked{"refuse b IN_USE"});
}

TEST_F(Owners, AReturningOwnerGoesBeforeEveryNewSession)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login reboot = login("reboot", 1, 2, 2, 1);
	enter(reboot);
	took();
	pass(dead_ms - 1);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	EXPECT_EQ(took(), (Asked{"probe a", "probe b"}));
	pass(dead_ms - 2);
	EXPECT_EQ(took(), Asked{}) << "the new session waits for the owner's login";
	leave(a);
	EXPECT_EQ(b.state, CW_LOGIN_LIVE);
	alive(&b, cookies.back());
	EXPECT_EQ(reboot.state, CW_LOGIN_ENDING);
}

TEST_F(Owners, ANewSessionWaitsAsLongAsALoginOfTheOwner)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_ending(&owners, &a, now); // its commands are still at the disk
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	cw_login reboot = login("reboot", 1, 2, 2, 1);
	enter(reboot);
	took();
	for (int i = 0; i < 100; i++)
		pass(500);
	EXPECT_EQ(reboot.state, CW_LOGIN_JUDGED);
	EXPECT_EQ(reboot.waits, CW_OWNERS_WAIT_OWNER);
	EXPECT_EQ(took(), Asked{});
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"release a", "welcome b"}));
}

TEST_F(Owners, AServerThatWasStalledWaitsAnew)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	took();
	pass(dead_ms + CW_OWNERS_STALL_MS);
	EXPECT_EQ(took(), Asked{});
	EXPECT_LE(owners.wake, now);
	pass(0);
	EXPECT_EQ(took(), Asked{"probe a"});
	pass(dead_ms - 1);
	EXPECT_EQ(took(), Asked{});
	pass(1);
	EXPECT_EQ(took(), Asked{"end a"});
}

TEST_F(Owners, AnOwnerThatIsHeardButDoesNotAnswerIsNotAbsent)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	took();
	heard[&a] = now + 3000;
	pass(dead_ms);
	EXPECT_EQ(took(), Asked{});
	pass(3000);
	EXPECT_EQ(took(), Asked{"end a"});
}

TEST_F(Owners, AnExclusiveDiskWaitsForTheCommandsOfAllHosts)
{
	owners.exclusive = true;
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_goodbye(&owners, &a, now);
	cw_owners_idle(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"write 9", "farewell a"}));
	// Its links are not drained yet.
	cw_login b = login("b", 2, 2, 2, 1);
	enter(b);
	EXPECT_EQ(took(), Asked{});
	EXPECT_EQ(b.waits, CW_OWNERS_WAIT_COMMANDS);
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"release a", "write 10", "welcome b"}));
}

TEST_F(Owners, ALimitRefuses)
{
	limited = true;
	cw_login a = login("a", 1, 1, 1, 1);
	enter(a);
	EXPECT_EQ(took(), Asked{"refuse a LIMIT"});
}

TEST_F(Owners, AReadOnlyExportHasNoOwners)
{
	owners.read_only = true;
	cw_login a = login("a", 1, 1, 1, 1), b = login("b", 1, 2, 2, 1);
	a.returning = true;
	pending = "a";
	enter(a);
	pending = "b";
	enter(b);
	EXPECT_EQ(took(), (Asked{"welcome a", "welcome b"}));
	cw_login c = login("c", 1, 1, 1, 2);
	enter(c);
	EXPECT_EQ(took(), Asked{"end a"});
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"release a", "welcome c"}));
}

// ---- writes ----

TEST_F(Owners, NothingIsJudgedDuringAWrite)
{
	owners.exclusive = true;
	written = -EINPROGRESS;
	cw_login a = login("a", 1, 1, 1, 1), b = login("b", 2, 2, 2, 1);
	pending = "a";
	enter(a);
	pending = "b";
	enter(b);
	pass(1000);
	EXPECT_EQ(took(), Asked{"write 8"});
	EXPECT_EQ(owners.ledger.count, 0U) << "the change has not taken effect";
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(took(), (Asked{"welcome a", "probe a"}));
}

TEST_F(Owners, AChangeThatCannotBeWrittenDoesNotTakeEffect)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	written = -EIO;
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	pass(dead_ms);
	EXPECT_EQ(took(), (Asked{"write 9", "refuse b LEDGER"}));
	leave(b);
	cw_login c = returning("c", 1, 1, 1, 2, 1);
	enter(c);
	EXPECT_EQ(took(), Asked{"welcome c"});
	// Until the state in memory is written, every other change fails at once.
	cw_login d = login("d", 2, 4, 4, 1);
	enter(d);
	EXPECT_EQ(took(), Asked{"refuse d LEDGER"});
	written = 0;
	pass(CW_OWNERS_REPAIR_MS);
	EXPECT_EQ(took(), Asked{"write 10"});
	cw_login e = login("e", 2, 4, 4, 2);
	enter(e);
	EXPECT_EQ(took(), (Asked{"write 11", "welcome e"}));
}

TEST_F(Owners, AFailedChangeEndsNobodyElsesSession)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	written = -EIO;
	cw_login other = login("other", 2, 9, 9, 1);
	enter(other);
	cw_login b = login("b", 1, 2, 2, 1);
	owners.repair = now + 100000;
	enter(b);
	pass(dead_ms);
	EXPECT_EQ(took(), (Asked{"write 9", "refuse other LEDGER", "probe a", "refuse b LEDGER"}));
	EXPECT_EQ(a.state, CW_LOGIN_LIVE);
}

TEST_F(Owners, EpochsOfAWriteUnderWayAreKept)
{
	cw_login a = login("a", 1, 1, 1, 4), b = login("b", 2, 2, 2, 1);
	pending = "a";
	enter(a);
	entry(1)->confirmed = 0;
	written = -EINPROGRESS;
	pending = "b";
	enter(b);
	cw_owners_confirm(&owners, &a, now);
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(entry(1)->confirmed, 4U);
}

TEST_F(Owners, AClientThatIsGoneWhenTheWriteEndsIsAway)
{
	written = -EINPROGRESS;
	cw_login a = login("a", 1, 1, 1, 1);
	enter(a);
	cw_owners_ending(&owners, &a, now);
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), Asked{"write 8"}) << "it is not released before the write has ended";
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(took(), (Asked{"welcome a", "release a"}));
	EXPECT_TRUE(cw_ledger_is_owner(entry(1)));
}

TEST_F(Owners, AFullLedgerForgetsWhoWasAwayLongest)
{
	for (int i = 1; i <= 4; i++) {
		cw_login m = login("m", i, i, i, 1);
		attach(m);
		leave(m);
	}
	cw_login full = login("full", 5, 5, 5, 1);
	enter(full);
	EXPECT_EQ(took(), Asked{"refuse full FULL"}) << "owners are not forgotten";
	leave(full);
	cw_ledger_clear_owner(entry(3));
	entry(3)->seen = 10;
	cw_ledger_clear_owner(entry(2));
	entry(2)->seen = 20;
	cw_login n = login("n", 5, 5, 5, 2);
	attach(n);
	EXPECT_EQ(entry(3), nullptr);
	EXPECT_NE(entry(2), nullptr);
	leave(n);
}

// ---- GOODBYE ----

TEST_F(Owners, GoodbyeWaitsForTheCommands)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_goodbye(&owners, &a, now);
	EXPECT_EQ(took(), Asked{});
	cw_owners_idle(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"write 9", "farewell a"}));
	EXPECT_FALSE(cw_ledger_is_owner(entry(1)));
	EXPECT_EQ(entry(1)->serial, 1U) << "the entry remains";
}

TEST_F(Owners, TheGoodbyeOfAClientThatIsGoneIsHeard)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_goodbye(&owners, &a, now);
	cw_owners_ending(&owners, &a, now);
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"write 9", "release a"}));
	EXPECT_FALSE(cw_ledger_is_owner(entry(1)));
}

TEST_F(Owners, AnOldGoodbyeDoesNotEndALaterLogin)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_goodbye(&owners, &a, now);
	cw_owners_ending(&owners, &a, now);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	// The old login ends during a write of the ledger, when no GOODBYE is judged.
	owners.dirty = now - CW_OWNERS_EPOCHS_MS;
	written = -EINPROGRESS;
	pass(0);
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"hasten a", "write 9", "welcome b"}));
	leave(b);
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(took(), Asked{"release a"});
	EXPECT_TRUE(cw_ledger_is_owner(entry(1)));
}

TEST_F(Owners, AGoodbyeThatCannotBeWrittenGetsNoFarewell)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	written = -EIO;
	cw_owners_goodbye(&owners, &a, now);
	cw_owners_idle(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"write 9", "end a"}));
	EXPECT_TRUE(cw_ledger_is_owner(entry(1)));
}

// ---- evictions ----

TEST_F(Owners, AnEvictionIsReportedWhenNoCommandIsLeft)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_request request = eviction(1);
	cw_owners_submit(&owners, &request, now);
	EXPECT_EQ(took(), (Asked{"write 9", "end a"}));
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	EXPECT_EQ(took(), Asked{"refuse b EVICTED"});
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"release a", "completed"}));
	EXPECT_EQ(completed, 0);
}

TEST_F(Owners, AnEvictionThatIsThereWaitsForTheCommandsToo)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_request first = eviction(1), second = eviction(1);
	cw_owners_submit(&owners, &first, now);
	cw_owners_submit(&owners, &second, now);
	EXPECT_EQ(took(), (Asked{"write 9", "end a"}));
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"release a", "completed", "completed"}));
}

TEST_F(Owners, AnEvictionThatCannotBeWrittenFails)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	written = -EIO;
	cw_owners_request request = eviction(1);
	cw_owners_submit(&owners, &request, now);
	EXPECT_EQ(took(), (Asked{"write 9", "completed"}));
	EXPECT_EQ(completed, -EIO);
	EXPECT_EQ(a.state, CW_LOGIN_LIVE);
}

TEST_F(Owners, AReadmittedHostBeginsAnew)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_owners_request evict = eviction(1), readmit = readmission(1);
	cw_owners_submit(&owners, &evict, now);
	cw_owners_submit(&owners, &readmit, now);
	took();
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	EXPECT_EQ(took(), Asked{"refuse b SUPERSEDED"});
	leave(b);
	cw_login c = login("c", 1, 1, 2, 1, 2);
	enter(c);
	EXPECT_EQ(took(), (Asked{"write 11", "welcome c"}));
}

TEST_F(Owners, AHostThatWasNeverHereCanBeEvicted)
{
	cw_owners_request request = eviction(8);
	cw_owners_submit(&owners, &request, now);
	EXPECT_EQ(took(), (Asked{"write 8", "completed"}));
	cw_login a = login("a", 8, 1, 1, 1);
	enter(a);
	EXPECT_EQ(took(), Asked{"refuse a EVICTED"});
}

// ---- an older copy of the ledger ----

TEST_F(Owners, ALedgerThatWasPutBackAdmitsNobody)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = returning("b", 2, 2, 2, 9, 8);
	b.generation = 20;
	enter(b);
	EXPECT_EQ(took(), Asked{"refuse b SUPERSEDED"})
		<< "without a right receipt the generation means nothing";
	leave(b);
	cw_login c = returning("c", 2, 2, 2, 10, 8);
	c.generation = 20;
	c.has_receipt = true;
	enter(c);
	EXPECT_EQ(took(), (Asked{"end a", "refuse c LEDGER", "write 9"}));
	EXPECT_TRUE(owners.next.outdated) << "the refusal outlasts a restart";
	leave(a);
	cw_login d = returning("d", 1, 1, 1, 2, 1);
	enter(d);
	EXPECT_EQ(took(), Asked{"refuse d LEDGER"});
}

// ---- sequences that went wrong ----

TEST_F(Owners, ALoginOfTheOwnerThatWasLostIsASignOfLife)
{
	owners.exclusive = true;
	owners.takeover_after = 60;
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_ending(&owners, &a, now); // a command is still at the disk
	const u64 begin = now;
	now = begin + 56000;
	cw_login other = login("other", 2, 2, 2, 1);
	enter(other);
	now = begin + 58000;
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	leave(b);
	cw_owners_ended(&owners, &a, now);
	took();
	pass(dead_ms);
	EXPECT_EQ(took(), Asked{"refuse other IN_USE"});
}

TEST_F(Owners, AnAnswerToAnotherLoginsProbeShowsNoCopy)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login copy = returning("copy", 1, 1, 1, 2, 1);
	enter(copy);
	const u64 earlier = cookies.back();
	leave(copy);
	cw_login b = returning("b", 1, 1, 1, 3, 1);
	enter(b);
	EXPECT_EQ(took(), Asked{"probe a"});
	alive(&a, earlier);
	EXPECT_EQ(b.state, CW_LOGIN_JUDGED);
	alive(&a, cookies.back());
	EXPECT_EQ(took(), Asked{"refuse b SUPERSEDED"});
}

TEST_F(Owners, RequestsAreServedInTheirOrder)
{
	written = -EINPROGRESS;
	cw_login a = login("a", 2, 2, 2, 1);
	enter(a);
	cw_owners_request evict = eviction(1), readmit = readmission(1), again = eviction(1);
	for (cw_owners_request *request : {&evict, &readmit, &again})
		cw_owners_submit(&owners, request, now);
	for (int i = 0; i < 4; i++)
		cw_owners_written(&owners, 0, now);
	EXPECT_TRUE(entry(1)->evicted);
	EXPECT_FALSE(owners.requests);
}

TEST_F(Owners, AnEvictionIsNotReportedFromMemoryAlone)
{
	cw_owners_request evict = eviction(1), readmit = readmission(1), again = eviction(1);
	cw_owners_submit(&owners, &evict, now);
	written = -EIO;
	cw_owners_submit(&owners, &readmit, now);
	cw_owners_submit(&owners, &again, now);
	EXPECT_EQ(completed, -EIO) << "storage may say that the host is readmitted";
}

TEST_F(Owners, GoodbyesDoNotPutOffTheRepair)
{
	cw_login other = login("other", 2, 2, 2, 1);
	written = -EIO;
	enter(other);
	leave(other);
	written = 0;
	owners.repair = now + CW_OWNERS_REPAIR_MS;
	in_effect[0] = {};
	cw_login a[3];
	const cw_owner owner = login("", 1, 1, 1, 1).owner;
	cw_ledger_set_owner(&owners.ledger, &owner, 1);
	for (u64 i = 0; i < 3; i++) {
		a[i] = returning("a", 1, 1, 1, i + 2, 1 + i);
		enter(a[i]);
		pass(400);
		cw_owners_goodbye(&owners, &a[i], now);
		cw_owners_idle(&owners, &a[i], now);
		cw_owners_ended(&owners, &a[i], now);
	}
	EXPECT_FALSE(owners.repair);
	EXPECT_EQ(owners.ledger.generation, 10U);
}

TEST_F(Owners, AWaitThatEndedInTimeDoesNotBeginAnew)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_ending(&owners, &a, now); // its commands stay at the disk for a long time
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	pass(dead_ms);
	EXPECT_EQ(b.waits, CW_OWNERS_WAIT_COMMANDS);
	pass(120000);
	EXPECT_EQ(b.waits, CW_OWNERS_WAIT_COMMANDS);
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(b.state, CW_LOGIN_LIVE);
}

TEST_F(Owners, TheWriteOfAChangeIsNoStall)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	now += dead_ms - 100;
	written = -EINPROGRESS;
	cw_login other = login("other", 2, 3, 3, 1);
	enter(other);
	now += 3000;
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(owners.writing, CW_OWNERS_WRITE_LOGIN) << "of b";
	EXPECT_EQ(owners.writer, &b);
}

TEST_F(Owners, ReadmissionEndsReplacedBoots)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	pass(dead_ms);
	leave(b);
	cw_owners_request readmit = readmission(1);
	cw_owners_submit(&owners, &readmit, now);
	EXPECT_EQ(took(), (Asked{"write 10", "completed"}));
	EXPECT_FALSE(cw_ledger_has_replaced(entry(1)));
}

TEST_F(Owners, AHostIsReadmittedAfterItsEarlierCommands)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_request evict = eviction(1), readmit = readmission(1);
	cw_owners_submit(&owners, &evict, now);
	cw_owners_submit(&owners, &readmit, now);
	took();
	cw_login b = login("b", 1, 1, 2, 1, 2);
	enter(b);
	EXPECT_EQ(took(), Asked{"refuse b EVICTED"});
	cw_owners_ended(&owners, &a, now);
	took();
	cw_login c = login("c", 1, 1, 3, 1, 3);
	enter(c);
	EXPECT_EQ(c.state, CW_LOGIN_LIVE);
}

TEST_F(Owners, AReadOnlyExportEvictsNobody)
{
	owners.read_only = true;
	cw_owners_request evict = eviction(1);
	cw_owners_submit(&owners, &evict, now);
	EXPECT_EQ(took(), Asked{"completed"});
	EXPECT_EQ(completed, -EROFS);
}

TEST_F(Owners, AnExclusiveDiskWithTwoOwnersIsNotStarted)
{
	cw_login a = login("a", 1, 1, 1, 1), b = login("b", 2, 2, 2, 1);
	pending = "a";
	attach(a);
	EXPECT_TRUE(cw_owners_start(&owners, now));
	pending = "b";
	attach(b);
	EXPECT_TRUE(cw_owners_start(&owners, now)) << "shared";
	owners.exclusive = true;
	EXPECT_FALSE(cw_owners_start(&owners, now));
}

TEST_F(Owners, AnExportThatIsRemovedAdmitsNobody)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	took();
	cw_owners_close(&owners, now);
	EXPECT_EQ(took(), Asked{"refuse b EXPORT"});
	cw_login c = login("c", 2, 3, 3, 1);
	enter(c);
	EXPECT_EQ(took(), Asked{"refuse c EXPORT"});
	EXPECT_TRUE(cw_owners_confirm(&owners, &a, now));
	cw_owners_ending(&owners, &a, now);
	EXPECT_FALSE(cw_owners_confirm(&owners, &a, now));
}

TEST_F(Owners, TheReturnTimeIsThatOfTheOwner)
{
	cw_login a = login("a", 1, 1, 1, 1);
	a.dead_ms = 30000;
	attach(a);
	leave(a);
	EXPECT_EQ(entry(1)->dead_ms, 30000U);
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	pass(29999);
	EXPECT_EQ(b.state, CW_LOGIN_JUDGED);
	pass(1);
	EXPECT_EQ(b.state, CW_LOGIN_LIVE);
}

// ---- bounds ----

TEST_F(Owners, AnOwnerHasFiveSecondsToReturnHoweverShortItsDetectionTime)
{
	cw_login a = login("a", 1, 1, 1, 1);
	a.dead_ms = 200;
	attach(a);
	leave(a);
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	pass(4999);
	EXPECT_EQ(b.state, CW_LOGIN_JUDGED);
	pass(1);
	EXPECT_EQ(b.state, CW_LOGIN_LIVE);
}

TEST_F(Owners, AnOwnerWithALongDetectionTimeHasThatTimeToReturn)
{
	cw_login a = login("a", 1, 1, 1, 1);
	a.dead_ms = 30000;
	attach(a);
	leave(a);
	cw_login b = login("b", 1, 2, 2, 1);
	enter(b);
	for (int i = 0; i < 59; i++)
		pass(500);
	EXPECT_EQ(b.state, CW_LOGIN_JUDGED);
	pass(500);
	EXPECT_EQ(b.state, CW_LOGIN_LIVE);
}

TEST_F(Owners, EightReplacedBootsAreRemembered)
{
	constexpr int boots = 10;
	for (int boot = 1; boot <= boots; boot++) {
		cw_login m = login("m", 1, boot, boot, 1);
		enter(m);
		pass(dead_ms);
		ASSERT_EQ(m.state, CW_LOGIN_LIVE) << boot;
		leave(m);
	}
	// The tenth boot is present and has replaced the nine before it, of which the first is
	// forgotten.
	for (int boot = 2; boot < boots; boot++) {
		cw_login m = login("m", 1, boot, 50 + boot, 1, 2);
		enter(m);
		EXPECT_EQ(took(), Asked{"refuse m SUPERSEDED"}) << boot;
		leave(m);
	}
	cw_login first = login("first", 1, 1, 90, 1, 2);
	enter(first);
	EXPECT_EQ(first.waits, CW_OWNERS_WAIT_OWNER);
	EXPECT_EQ(first.state, CW_LOGIN_JUDGED);
}

// Section 4, rule 14 has this order: eviction, generation, limits, ownership.
TEST_F(Owners, TheChecksHaveAnOrder)
{
	cw_login owner = login("owner", 2, 2, 2, 1);
	attach(owner);
	cw_owners_request request = eviction(1);
	cw_owners_submit(&owners, &request, now);
	took();
	limited = true;
	cw_login evicted = returning("evicted", 1, 1, 1, 9, 8);
	evicted.generation = 99;
	evicted.has_receipt = true;
	enter(evicted);
	EXPECT_EQ(took(), Asked{"refuse evicted EVICTED"}) << "and its generation is not looked at";
	EXPECT_FALSE(owners.ledger.outdated);
	leave(evicted);
	cw_login stale = returning("stale", 2, 2, 2, 1, 1);
	enter(stale);
	EXPECT_EQ(took(), Asked{"refuse stale LIMIT"}) << "before its epoch";
	leave(stale);
	cw_login old_copy = returning("old", 3, 3, 3, 9, 8);
	old_copy.generation = 99;
	old_copy.has_receipt = true;
	enter(old_copy);
	EXPECT_EQ(took().at(1), "refuse old LEDGER") << "before the limit";
}

TEST_F(Owners, ALedgerThatWasPutBackIsFoundDuringAWriteOfItsState)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	owners.dirty = now - CW_OWNERS_EPOCHS_MS;
	written = -EINPROGRESS;
	pass(0);
	EXPECT_EQ(took(), Asked{"write 9"});
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	b.generation = 99;
	b.has_receipt = true;
	enter(b);
	EXPECT_EQ(took(), Asked{"refuse b LEDGER"});
	// The write in progress does not include the change, so another write follows.
	written = 0;
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(took(), Asked{"write 10"});
	EXPECT_TRUE(owners.next.outdated);
}

TEST_F(Owners, NothingIsJudgedDuringTheWriteOfAnEviction)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	written = -EINPROGRESS;
	cw_owners_request request = eviction(1);
	cw_owners_submit(&owners, &request, now);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	EXPECT_EQ(took(), Asked{"write 9"});
	EXPECT_EQ(b.waits, CW_OWNERS_WAIT_LEDGER);
	cw_owners_written(&owners, 0, now);
	EXPECT_EQ(took(), (Asked{"completed", "refuse b EVICTED"}));
}

TEST_F(Owners, ALoginThatWasNotAdmittedIsNotProbedAsACopy)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	enter(b);
	cw_login c = returning("c", 1, 1, 1, 3, 1);
	took();
	enter(c);
	EXPECT_EQ(took(), (Asked{"end b", "probe a"}));
}

TEST_F(Owners, ATakeoverWaitsUntilTheOwnerIsAbsent)
{
	owners.exclusive = true;
	owners.takeover_after = 1;
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = login("b", 2, 2, 2, 1);
	enter(b);
	pass(4999);
	EXPECT_EQ(b.state, CW_LOGIN_JUDGED) << "more than a second has passed";
	pass(1);
	EXPECT_EQ(b.state, CW_LOGIN_LIVE);
}

// ---- what the server cannot do at once ----

TEST_F(Owners, ACopyIsNotTakenForAbsentBeforeItsProbeIsSent)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	sendable = false;
	enter(b);
	pass(CW_OWNERS_PROBE_MS);
	pass(3000);
	EXPECT_EQ(took(), Asked{});
	sendable = true;
	pass(CW_OWNERS_PROBE_MS);
	EXPECT_EQ(took(), Asked{"probe a"});
	pass(1000);
	EXPECT_EQ(took(), Asked{"end a"});
}

TEST_F(Owners, AnOwnerIsNotAbsentBeforeItsProbeIsSent)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_login b = login("b", 1, 2, 2, 1);
	sendable = false;
	enter(b);
	EXPECT_EQ(owners.wake, now + CW_OWNERS_PROBE_MS);
	pass(6000);
	EXPECT_EQ(took(), Asked{});
	EXPECT_EQ(b.state, CW_LOGIN_JUDGED);
	sendable = true;
	pass(CW_OWNERS_PROBE_MS);
	EXPECT_EQ(took().front(), "probe a");
}

TEST_F(Owners, TheRequestsForOneHostAreCarriedOutInTheirOrder)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	cw_owners_request evict = eviction(1), readmit = readmission(1), other = eviction(2);
	cw_owners_submit(&owners, &evict, now);
	EXPECT_EQ(took(), (Asked{"write 9", "end a"}));
	cw_owners_submit(&owners, &readmit, now);
	EXPECT_EQ(took(), Asked{}) << "commands of the host are left";
	cw_owners_submit(&owners, &other, now);
	EXPECT_EQ(took(), (Asked{"write 10", "completed"})) << "of a host that waits for nothing";
	cw_owners_ended(&owners, &a, now);
	EXPECT_EQ(took(), (Asked{"release a", "completed", "write 11", "completed"}));
	EXPECT_FALSE(entry(1)->evicted);
}

TEST_F(Owners, AnExportThatIsRemovedWritesItsEpochsAtOnce)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	attach(b);
	written = -EINPROGRESS;
	cw_owners_close(&owners, now);
	EXPECT_EQ(took(), Asked{"write 9"});
	EXPECT_FALSE(cw_owners_is_quiet(&owners));
	leave(b);
	cw_owners_written(&owners, 0, now);
	EXPECT_TRUE(cw_owners_is_quiet(&owners));
}

TEST_F(Owners, AnExportThatIsRemovedRepairsItsLedgerFirst)
{
	cw_login a = login("a", 1, 1, 1, 1);
	written = -EIO;
	enter(a);
	leave(a);
	written = 0;
	EXPECT_FALSE(cw_owners_is_quiet(&owners));
	cw_owners_close(&owners, now);
	EXPECT_EQ(took(), Asked{"write 9"}) << "the change that failed may be in one copy";
	EXPECT_TRUE(cw_owners_is_quiet(&owners));
}

TEST_F(Owners, AllAnswersAreDeliveredBeforeALoginIsJudged)
{
	cw_login a = login("a", 1, 1, 1, 1), b = login("b", 2, 2, 2, 1);
	pending = "a";
	attach(a);
	pending = "b";
	attach(b);
	cw_login copy = returning("copy", 1, 1, 1, 2, 1);
	enter(copy);
	const u64 of_a = cookies.back();
	cw_login other = login("other", 2, 3, 3, 1);
	enter(other);
	const u64 of_b = cookies.back();
	took();
	// Both answers arrived in time, but the server handles them late.
	now += 1200;
	cw_owners_alive(&owners, &b, of_b);
	EXPECT_EQ(took(), Asked{"refuse other IN_USE"});
	cw_owners_alive(&owners, &a, of_a);
	EXPECT_EQ(took(), Asked{"refuse copy SUPERSEDED"});
}

TEST_F(Owners, AnExportThatIsRemovedDoesNotWaitForStorageThatFails)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	leave(a);
	cw_login b = returning("b", 1, 1, 1, 2, 1);
	attach(b);
	leave(b);
	written = -EIO;
	EXPECT_FALSE(cw_owners_is_quiet(&owners));
	cw_owners_close(&owners, now);
	EXPECT_EQ(took(), Asked{"write 9"});
	EXPECT_TRUE(cw_owners_is_quiet(&owners));
}

} // namespace
