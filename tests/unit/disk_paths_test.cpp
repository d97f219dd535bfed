// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the choice of a disk among its paths.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "include/uapi/causeway.h"
#include "include/wire/causeway_wire.h"
#include "kmod/core/wire/integers.h"
#include "kmod/disk/path_choice.h"

namespace
{

using atomic_t = u32;

struct cw_link {
	const char *open; // the message that is gathered
	bool dead;
	unsigned flushes;
};

struct cw_link_factory {
	u8 transport;
};

const cw_link_factory rdma{CW_TRANSPORT_RDMA}, tcp{CW_TRANSPORT_TCP};

struct cw_path {
	u8 number;
	u32 rtt;
	cw_link *links[3];
	const cw_link_factory *factory = &rdma;
};

struct cw_request {
	cw_path *path;
	u64 start;
	u32 load, queued;
};

struct request {
	cw_request pdu;
	unsigned timeout; // jiffies
};

struct cw_answered {
	u32 load, mean, at;
};

struct cw_hctx {
	u8 number;
	bool choose;
	atomic_t sent[CW_WIRE_PATHS];
	cw_answered answered[CW_WIRE_PATHS];
};

struct cw_disk {
	bool lock;
	cw_path *usable[CW_WIRE_PATHS];
	u64 up_at[CW_WIRE_PATHS];
	cw_path *path;
	u8 policy, spread;
	bool has_spread;
	cw_hctx hctx[3];
	unsigned nr_hctx;
	struct {
		bool lock;
	} gates;
	cw_path *session; // that was kicked
};

u64 now_ns;
constexpr u64 TICK_NSEC = 4'000'000;

u64 jiffies_to_nsecs(unsigned jiffies)
{
	return jiffies * TICK_NSEC;
}

#define READ_ONCE(value) (value)
#define WRITE_ONCE(place, value) ((place) = (value))
#define rcu_assign_pointer(place, value) ((place) = (value))
#define rcu_dereference_protected(value, condition) ((void)(condition), (value))
#define rcu_dereference(value) (value)
#define rcu_access_pointer(value) (value)
#define smp_store_release(place, value) (*(place) = static_cast<u8>(value))
#define atomic_read(place) (*(place))
#define atomic_set(place, value) (*(place) = (value))
#define atomic_add(value, place) (*(place) += (value))
#define atomic_sub(value, place) (*(place) -= (value))
#define lockdep_assert_held(lock) ((void)(lock))
#define lockdep_is_held(lock) (*(lock))
#define spin_lock_irqsave(lock, flags) (*(lock) = true, (flags) = 0)
#define spin_unlock_irqrestore(lock, flags) (*(lock) = (flags) != 0)
#define ktime_get_ns() now_ns
#define blk_mq_rq_to_pdu(rq) (&(rq)->pdu)

#define cw_session_kick(session, path, why) ((void)(why), (session) = (path))

bool cw_link_is_dead(const cw_link *link)
{
	return link->dead;
}

void cw_link_flush(cw_link *link)
{
	link->open = nullptr;
	link->flushes++;
}

void cw_paths_publish(cw_disk *disk);
#include "kmod/disk/paths.c"

class DiskPaths : public testing::Test
{
protected:
	cw_link links[9]{};
	cw_path one{1, 50, {&links[0], &links[1], &links[2]}};
	cw_path three{3, 50, {&links[3], &links[4], &links[5]}};
	cw_path five{5, 50, {&links[6], &links[7], &links[8]}};
	cw_disk disk{};
	cw_hctx &queue = disk.hctx[1];
	cw_request sent{};

	void SetUp() override
	{
		disk.nr_hctx = 3;
		disk.policy = CW_PATH_POLICY_SINGLE;
		now_ns = 1'000'000'000'000;
	}

	void up(u8 policy, std::initializer_list<cw_path *> paths)
	{
		disk.policy = policy;
		for (auto *path : paths)
			cw_paths_up(&disk, path);
	}

	// Both paths have this mean, and no load.
	void up_and_measured(u32 mean)
	{
		up(CW_PATH_POLICY_AUTO, {&one, &three});
		used(2);
		for (const auto *path : {&one, &three}) {
			queue.answered[path->number].mean = mean;
			queue.answered[path->number].at = static_cast<u32>(now_ns >> CW_CHOICE_SHIFT);
		}
	}

	// The path of a hardware queue, as cw_paths_of() finds it.
	cw_path *path_of(cw_hctx &hctx)
	{
		cw_path *path = disk.usable[hctx.number];

		return path ?: cw_paths_find(&disk, &hctx);
	}

	// Gives a command to a link, as queue_rq() does.
	cw_path *send(bool last, u32 load = 8192)
	{
		if (disk.spread && queue.choose)
			cw_paths_choose(&disk, &queue, 1, load);
		cw_path *path = path_of(queue);
		if (disk.spread == CW_PATH_POLICY_AUTO)
			cw_paths_sends(&queue, path->number, &sent, load);
		path->links[1]->open = last ? nullptr : "message";
		if (last && disk.has_spread)
			cw_paths_end_message(&disk, &queue, 1);
		return path;
	}

	void answer(const cw_path *path, u32 microseconds, u32 load = 8192)
	{
		const cw_request request{nullptr, now_ns, load, load};

		now_ns += microseconds * 1000ULL;
		cw_paths_answered(&queue, path->number, &request, true);
	}

	// The paths of the next messages, each of which is answered at once.
	std::set<const cw_path *> used(unsigned messages)
	{
		std::set<const cw_path *> paths;

		while (messages--) {
			const cw_path *path = send(true);
			answer(path, 100);
			paths.insert(path);
		}
		return paths;
	}

	const cw_path *kicked(request &rq)
	{
		disk.session = nullptr;
		cw_paths_kick(&disk, &rq, "late");
		return disk.session;
	}

	void expect_used(const cw_path *path)
	{
		EXPECT_EQ(disk.path, path);
		EXPECT_EQ(disk.spread, 0);
		for (auto &hctx : disk.hctx)
			EXPECT_EQ(path_of(hctx), path);
	}
};

TEST_F(DiskPaths, FollowAPolicyThatChangesWhileTheyCarryCommands)
{
	const std::set<const cw_path *> both{&one, &three};

	up(CW_PATH_POLICY_ROUND_ROBIN, {&one, &three});
	EXPECT_EQ(used(4), both);
	cw_paths_set_policy(&disk, CW_PATH_POLICY_SINGLE);
	expect_used(&one);
	EXPECT_FALSE(cw_paths_carries_io(&disk, &three));
	EXPECT_EQ(used(4), std::set<const cw_path *>{&one});
	cw_paths_set_policy(&disk, CW_PATH_POLICY_AUTO);
	EXPECT_EQ(disk.spread, CW_PATH_POLICY_AUTO);
	EXPECT_TRUE(cw_paths_carries_io(&disk, &three));
	EXPECT_NE(disk.hctx[0].number, disk.hctx[1].number); // the queues begin with different paths
	cw_paths_set_policy(&disk, CW_PATH_POLICY_ROUND_ROBIN);
	EXPECT_EQ(used(4), both);
}

TEST_F(DiskPaths, KeepTheOnlyPathUnderEachPolicy)
{
	up(CW_PATH_POLICY_SINGLE, {&three});
	for (const u8 policy : {CW_PATH_POLICY_AUTO, CW_PATH_POLICY_ROUND_ROBIN, CW_PATH_POLICY_SINGLE}) {
		cw_paths_set_policy(&disk, policy);
		expect_used(&three);
	}
}

TEST_F(DiskPaths, UseTheFirstThatComesAndThenTheLowest)
{
	EXPECT_TRUE(cw_paths_up(&disk, &five));
	expect_used(&five);
	EXPECT_FALSE(cw_paths_up(&disk, &three));
	EXPECT_FALSE(cw_paths_up(&disk, &one));
	expect_used(&five);
	EXPECT_FALSE(cw_paths_stop(&disk, &five));
	expect_used(&one);
	EXPECT_FALSE(cw_paths_up(&disk, &five));
	EXPECT_FALSE(cw_paths_stop(&disk, &one));
	expect_used(&three);
}

TEST_F(DiskPaths, NeverUseAPathThatWasStopped)
{
	cw_paths_up(&disk, &one);
	cw_paths_up(&disk, &three);
	EXPECT_FALSE(cw_paths_stop(&disk, &three));
	expect_used(&one);
	EXPECT_TRUE(cw_paths_stop(&disk, &one));
	expect_used(nullptr);
	// The end of a session stops a path that has ended already.
	EXPECT_FALSE(cw_paths_stop(&disk, &one));
	EXPECT_TRUE(cw_paths_up(&disk, &three));
	expect_used(&three);
}

TEST_F(DiskPaths, EndOnlyTheConnectionThatOwesTheAnswer)
{
	request rq{{&three, 0, 0, 0}, 0};

	cw_paths_up(&disk, &one);
	cw_paths_up(&disk, &three);
	rq.pdu.start = ++now_ns;
	EXPECT_EQ(kicked(rq), &three);
	now_ns++;
	cw_paths_stop(&disk, &one);
	EXPECT_EQ(kicked(rq), &three);
	cw_paths_stop(&disk, &three);
	EXPECT_EQ(kicked(rq), &three); // a path that stands by owes it too
	cw_paths_reaped(&disk, 3);
	EXPECT_EQ(kicked(rq), nullptr);
	now_ns++;
	cw_paths_up(&disk, &three);
	EXPECT_EQ(kicked(rq), nullptr);
	rq.pdu.start = now_ns;
	EXPECT_EQ(kicked(rq), &three);
}

TEST_F(DiskPaths, DoNotEndAConnectionForARequestThatWasSentAgainJustNow)
{
	constexpr unsigned timeout = 7500; // jiffies
	request rq{{&three, 0, 0, 0}, timeout};

	cw_paths_up(&disk, &three);
	rq.pdu.start = ++now_ns;
	now_ns += jiffies_to_nsecs(timeout) - TICK_NSEC - 1;
	EXPECT_EQ(kicked(rq), nullptr);
	now_ns++; // the timeout counts ticks, and may have begun in the middle of one
	EXPECT_EQ(kicked(rq), &three);
}

TEST_F(DiskPaths, SinglePathHasAllCommands)
{
	up(CW_PATH_POLICY_SINGLE, {&three, &one});
	EXPECT_EQ(used(9), std::set<const cw_path *>{&three});
	EXPECT_TRUE(cw_paths_carries_io(&disk, &three));
	EXPECT_FALSE(cw_paths_carries_io(&disk, &one));
	cw_paths_stop(&disk, &three);
	EXPECT_EQ(used(9), std::set<const cw_path *>{&one});
	EXPECT_FALSE(cw_paths_carries_io(&disk, &three));
	EXPECT_TRUE(cw_paths_carries_io(&disk, &one));
}

TEST_F(DiskPaths, RoundRobinTakesTheNextPathAfterEachMessage)
{
	up(CW_PATH_POLICY_ROUND_ROBIN, {&one, &three, &five});
	EXPECT_EQ(send(true), &one);
	EXPECT_EQ(send(false), &three);
	EXPECT_EQ(send(false), &three);
	EXPECT_EQ(send(true), &three);
	EXPECT_EQ(send(true), &five);
	EXPECT_EQ(send(true), &one);
	// Another hardware queue has a path of its own.
	EXPECT_EQ(path_of(disk.hctx[2]), &one);
	for (const auto *path : {&one, &three, &five})
		EXPECT_TRUE(cw_paths_carries_io(&disk, path));
	cw_paths_stop(&disk, &three);
	EXPECT_FALSE(cw_paths_carries_io(&disk, &three));
	EXPECT_EQ(send(true), &five);
	EXPECT_EQ(send(true), &one);
	EXPECT_EQ(send(true), &five);
	cw_paths_up(&disk, &three);
	EXPECT_EQ(send(true), &one);
	EXPECT_EQ(send(true), &three);
}

TEST_F(DiskPaths, SpreadOnlyWhileThereAreTwo)
{
	up(CW_PATH_POLICY_AUTO, {&one});
	EXPECT_EQ(disk.spread, 0);
	cw_paths_up(&disk, &three);
	EXPECT_EQ(disk.spread, CW_PATH_POLICY_AUTO);
	cw_paths_stop(&disk, &one);
	EXPECT_EQ(disk.spread, 0);
	EXPECT_EQ(disk.path, &three);
	cw_paths_stop(&disk, &three);
	EXPECT_EQ(disk.spread, 0);
}

// For the moment of a move, both paths are usable.
TEST_F(DiskPaths, DoNotSpreadOverTwoTransports)
{
	three.factory = &tcp;
	up(CW_PATH_POLICY_AUTO, {&one, &three});
	EXPECT_EQ(disk.spread, 0);
	EXPECT_FALSE(disk.has_spread);
	EXPECT_EQ(send(true), &one);
	cw_paths_stop(&disk, &one);
	EXPECT_EQ(send(true), &three);
	five.factory = &tcp;
	cw_paths_up(&disk, &five);
	EXPECT_EQ(disk.spread, CW_PATH_POLICY_AUTO);
}

TEST_F(DiskPaths, LeaveNoMessageInALinkThatTheyLeft)
{
	up(CW_PATH_POLICY_ROUND_ROBIN, {&one, &three});
	EXPECT_EQ(send(false), &one); // of one CPU
	queue.choose = true; // another CPU has ended its batch
	EXPECT_EQ(send(false), &three);
	EXPECT_TRUE(one.links[1]->open);
	cw_paths_end_message(&disk, &queue, 1);
	EXPECT_FALSE(one.links[1]->open);
	EXPECT_FALSE(three.links[1]->open);
	// The links of other hardware queues are left alone.
	for (const auto *path : {&one, &three}) {
		EXPECT_EQ(path->links[1]->flushes, 1U);
		EXPECT_EQ(path->links[0]->flushes, 0U);
	}
	EXPECT_TRUE(queue.choose);
}

TEST_F(DiskPaths, AQueueThatChoseAPathDoesNotUseItAfterItWasStopped)
{
	for (const u8 policy : {CW_PATH_POLICY_AUTO, CW_PATH_POLICY_ROUND_ROBIN, CW_PATH_POLICY_SINGLE}) {
		disk = {};
		disk.nr_hctx = 3;
		up(policy, {&one, &three, &five});
		cw_paths_stop(&disk, &three);
		queue.number = 3; // the choice was made before
		EXPECT_EQ(path_of(queue), &one);
		EXPECT_EQ(queue.number, 1);
		cw_paths_stop(&disk, &one);
		cw_paths_stop(&disk, &five);
		EXPECT_EQ(path_of(queue), nullptr);
	}
}

TEST_F(DiskPaths, DoNotChooseAPathWhoseLinkIsDead)
{
	for (const u8 policy : {CW_PATH_POLICY_AUTO, CW_PATH_POLICY_ROUND_ROBIN}) {
		up(policy, {&one, &three});
		queue.number = 1;
		one.links[1]->dead = true;
		queue.choose = true;
		EXPECT_EQ(send(true), &three);
		EXPECT_EQ(used(9), std::set<const cw_path *>{&three});
		one.links[1]->dead = false;
		disk = {};
		disk.nr_hctx = 3;
	}
}

TEST_F(DiskPaths, AutoStaysOnTheFastPath)
{
	three.rtt = 30'000;
	up(CW_PATH_POLICY_AUTO, {&three, &one});
	send(true);
	answer(&three, 30'000);
	EXPECT_EQ(used(1000), std::set<const cw_path *>{&one});
	now_ns += 5'000'000'000; // the means are stale
	EXPECT_EQ(used(1000), std::set<const cw_path *>{&one});
	three.rtt = 20;
	now_ns += 5'000'000'000;
	EXPECT_EQ(send(true), &three);
}

TEST_F(DiskPaths, AutoSharesLoad)
{
	unsigned count[2] = {};

	up_and_measured(500);
	for (int i = 0; i < 16; i++)
		count[send(true) == &one]++;
	EXPECT_EQ(std::max(count[0], count[1]), 16U); // a little load stays together
	for (int i = 16; i < 64; i++)
		count[send(true) == &one]++;
	EXPECT_GE(std::min(count[0], count[1]), 24U);
	// Without an answer, a path has the load of what was sent.
	EXPECT_EQ(cw_paths_load(&queue, 1) + cw_paths_load(&queue, 3), 64 * 8192U);
	answer(&one, 100);
	EXPECT_EQ(cw_paths_load(&queue, 1) + cw_paths_load(&queue, 3), 63 * 8192U);
	cw_paths_sends(&queue, 1, &sent, 8192);
	EXPECT_EQ(sent.load, 8192U);
	EXPECT_EQ(sent.queued, cw_paths_load(&queue, 1));
	cw_paths_sends_not(&queue, 1, 8192);
	EXPECT_EQ(cw_paths_load(&queue, 1) + cw_paths_load(&queue, 3), 63 * 8192U);
}

TEST_F(DiskPaths, AutoSharesLittleLoadOverTcpToo)
{
	unsigned count[2] = {};

	one.factory = three.factory = &tcp;
	up_and_measured(5000);
	for (int i = 0; i < 16; i++)
		count[send(true) == &one]++;
	EXPECT_GE(std::min(count[0], count[1]), 6U);
}

TEST_F(DiskPaths, AutoDealsTheQueuesOut)
{
	auto numbers = [this] {
		return std::vector<int>{disk.hctx[0].number, disk.hctx[1].number, disk.hctx[2].number};
	};

	up(CW_PATH_POLICY_AUTO, {&three});
	EXPECT_EQ(numbers(), (std::vector<int>{3, 3, 3}));
	cw_paths_up(&disk, &one);
	EXPECT_EQ(numbers(), (std::vector<int>{1, 3, 1}));
	cw_paths_up(&disk, &five);
	EXPECT_EQ(numbers(), (std::vector<int>{1, 3, 5}));
	cw_paths_stop(&disk, &three);
	EXPECT_EQ(numbers(), (std::vector<int>{1, 5, 1}));
}

TEST_F(DiskPaths, ALaterConnectionOwesNoAnswerOfTheEarlierOne)
{
	up(CW_PATH_POLICY_AUTO, {&one, &three});
	cw_paths_sends(&queue, 1, &sent, 1U << 20);
	queue.answered[1].mean = 30'000;
	cw_paths_stop(&disk, &one);
	cw_paths_reaped(&disk, 1);
	cw_paths_up(&disk, &one);
	EXPECT_EQ(cw_paths_load(&queue, 1), 0U);
	EXPECT_EQ(queue.answered[1].mean, 0U);
}

// A removal that ends with an error gives back a path that has commands.
TEST_F(DiskPaths, AConnectionThatWasStoppedAloneStillOwesItsAnswers)
{
	request rq{{&one, 0, 0, 0}, 0};

	up(CW_PATH_POLICY_AUTO, {&one, &three});
	rq.pdu.start = ++now_ns;
	cw_paths_sends(&queue, 1, &sent, 1U << 20);
	now_ns++;
	cw_paths_stop(&disk, &one);
	EXPECT_EQ(disk.path, &three);
	EXPECT_FALSE(cw_paths_up(&disk, &one));
	EXPECT_FALSE(cw_paths_up(&disk, &one)); // the disk may have it back already
	EXPECT_FALSE(cw_paths_stop(&disk, &three));
	expect_used(&one);
	EXPECT_EQ(cw_paths_load(&queue, 1), 1U << 20);
	EXPECT_EQ(kicked(rq), &one);
	answer(&one, 100, 1U << 20);
	EXPECT_EQ(cw_paths_load(&queue, 1), 0U);
}

TEST_F(DiskPaths, AnAnswerJustAheadOfTheClockIsNow)
{
	const u32 now = static_cast<u32>(now_ns >> CW_CHOICE_SHIFT);
	cw_answered answered{};

	for (u32 ahead : {0U, 1U, 1000U, CW_CHOICE_STALE}) {
		answered.at = now + ahead;
		EXPECT_EQ(cw_paths_age(&answered), 0U) << ahead;
	}
	for (u32 ago : {1U, 1000U, CW_CHOICE_STALE, 0xf0000000U}) {
		answered.at = now - ago;
		EXPECT_EQ(cw_paths_age(&answered), ago);
	}
}

TEST_F(DiskPaths, ABatchThatBeganOnAnotherPathEndsAfterTheLossOfOnesOwn)
{
	up(CW_PATH_POLICY_AUTO, {&one, &three});
	one.links[1]->open = "of another CPU";
	queue.number = 3;
	cw_paths_stop(&disk, &three);
	EXPECT_EQ(disk.spread, 0);
	EXPECT_TRUE(disk.has_spread);
	EXPECT_EQ(send(true), &one);
	EXPECT_EQ(one.links[1]->open, nullptr);
}

TEST_F(DiskPaths, AnAnswerThatIsSeenBeforeItsCommandIsNoLoad)
{
	answer(&one, 100);
	EXPECT_EQ(cw_paths_load(&queue, 1), 0U);
	atomic_add(8192, &queue.sent[1]);
	EXPECT_EQ(cw_paths_load(&queue, 1), 0U);
}

TEST_F(DiskPaths, OnlyCommandsThatSucceededMeasureAPath)
{
	sent = {nullptr, now_ns, 4096, 4096};
	now_ns += 600'000'000'000;
	cw_paths_answered(&queue, 1, &sent, false);
	EXPECT_EQ(queue.answered[1].mean, 0U);
	EXPECT_EQ(queue.answered[1].at, static_cast<u32>(now_ns >> CW_CHOICE_SHIFT));
	answer(&one, 100);
	EXPECT_EQ(queue.answered[1].mean, 100'000U / 16 / 2);
}

// The mean of a time long ago does not count once a command was sent.
TEST_F(DiskPaths, AnIdlePathForgetsItsMean)
{
	answer(&one, 100);
	now_ns += 2'000'000'000;
	cw_paths_sends(&queue, 1, &sent, 8192);
	EXPECT_EQ(queue.answered[1].mean, 0U);
	EXPECT_EQ(queue.answered[1].at, static_cast<u32>(now_ns >> CW_CHOICE_SHIFT));
	answer(&one, 100);
	now_ns += 500'000'000;
	cw_paths_sends(&queue, 1, &sent, 8192);
	EXPECT_GT(queue.answered[1].mean, 0U);
}

} // namespace
