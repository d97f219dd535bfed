// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the gates of a disk with a block layer that records what becomes of each request.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "include/wire/causeway_wire.h"
#include "kmod/core/wire/integers.h"

namespace
{

struct list_head {
	list_head *next, *prev;
};

struct spinlock_t {
	bool held;
};

using blk_status_t = u8;
enum : blk_status_t { BLK_STS_OK, BLK_STS_IOERR, BLK_STS_TRANSPORT };
constexpr unsigned RQF_DONTPREP = 1;

struct request {
	list_head queuelist;
	unsigned rq_flags;
	u32 traits;
	std::string fate;
};

#define LIST_HEAD(name) list_head name = {&name, &name}
#define list_for_each_entry_safe(at, following, list, member)                                      \
	for (at = entry((list)->next), following = entry(at->member.next); &at->member != (list);  \
	     at = following, following = entry(following->member.next))
#define READ_ONCE(value) (value)
#define smp_store_release(place, value) (*(place) = (value))
#define spin_lock_irqsave(lock, flags) (acquire(lock), (flags) = 0)
#define spin_unlock_irqrestore(lock, flags) release(lock, flags)

request *entry(list_head *at)
{
	static_assert(offsetof(request, queuelist) == 0);
	return reinterpret_cast<request *>(at);
}

void INIT_LIST_HEAD(list_head *list)
{
	list->next = list->prev = list;
}

bool list_empty(const list_head *list)
{
	return list->next == list;
}

void list_add_tail(list_head *at, list_head *list)
{
	at->prev = list->prev;
	at->next = list;
	list->prev->next = at;
	list->prev = at;
}

void list_del_init(list_head *at)
{
	at->prev->next = at->next;
	at->next->prev = at->prev;
	INIT_LIST_HEAD(at);
}

void list_move_tail(list_head *at, list_head *list)
{
	list_del_init(at);
	list_add_tail(at, list);
}

void list_splice_tail_init(list_head *from, list_head *to)
{
	while (!list_empty(from))
		list_move_tail(from->next, to);
}

void list_splice_init(list_head *from, list_head *to)
{
	while (!list_empty(from)) {
		list_head *last = from->prev;
		list_del_init(last);
		last->next = to->next;
		last->prev = to;
		to->next->prev = last;
		to->next = last;
	}
}

void spin_lock_init(spinlock_t *lock)
{
	lock->held = false;
}

void acquire(spinlock_t *lock)
{
	ASSERT_FALSE(lock->held);
	lock->held = true;
}

void release(spinlock_t *lock, unsigned long)
{
	ASSERT_TRUE(lock->held);
	lock->held = false;
}

u32 cw_request_traits(const request *rq)
{
	return rq->traits;
}

void blk_mq_requeue_request(request *rq, bool kick);
void blk_mq_end_request(request *rq, blk_status_t status);

#include "kmod/disk/gates.c"

cw_gates gates;

void blk_mq_requeue_request(request *rq, bool kick)
{
	EXPECT_FALSE(kick);
	EXPECT_FALSE(gates.lock.held);
	EXPECT_TRUE(list_empty(&rq->queuelist)) << "Linux 5.10 has a BUG_ON for this";
	rq->fate += "requeued ";
}

// The caller that learns of the end may write to the same blocks at once.
void blk_mq_end_request(request *rq, blk_status_t status)
{
	EXPECT_FALSE(gates.lock.held);
	EXPECT_TRUE(list_empty(&rq->queuelist)) << "Linux 5.10 has a BUG_ON for this";
	EXPECT_TRUE(gates.set & CW_GATE_UNFENCED);
	rq->fate += status == BLK_STS_IOERR ? "failed " : "failed fast ";
}

class Gates : public testing::Test
{
protected:
	void SetUp() override
	{
		gates = {};
		cw_gates_init(&gates);
	}

	// As queue_rq() of a disk does. Returns what became of the request.
	static std::string submit(request &rq)
	{
		blk_status_t status = 0xff;
		bool first;

		rq.fate.clear();
		INIT_LIST_HEAD(&rq.queuelist);
		if (cw_gates_pass(&gates, &rq, &status, &first))
			return "passes";
		if (status == BLK_STS_OK)
			return first ? "is held first" : "is held";
		return status == BLK_STS_IOERR ? "fails" : "fails fast";
	}

	// A request that was sent on a path, which was lost and is drained.
	static request &lose(request &rq, u8 path)
	{
		rq.fate.clear();
		INIT_LIST_HEAD(&rq.queuelist);
		cw_gates_take_back(&gates, &rq, path);
		return rq;
	}
};

TEST_F(Gates, JudgeEachRequestThatWouldBeSent)
{
	struct {
		u32 set;
		const char *plain, *fast, *stable, *change;
	} const cases[] = {
		{0, "passes", "passes", "passes", "passes"},
		{CW_GATE_STABLE, "passes", "passes", "passes", "passes"},
		{CW_GATE_LOSS, "passes", "passes", "fails", "passes"},
		{CW_GATE_NO_PATH, "is held first", "fails fast", "is held first", "is held first"},
		{CW_GATE_NO_PATH | CW_GATE_LOSS, "is held first", "fails fast", "is held first",
		 "is held first"},
		{CW_GATE_FAILING, "fails", "fails", "fails", "fails"},
		{CW_GATE_FAILING | CW_GATE_NO_PATH, "fails", "fails", "fails", "fails"},
		{CW_GATE_FORCED, "passes", "passes", "passes", "passes"},
		{CW_GATE_UNFENCED, "passes", "passes", "passes", "is held"},
		{CW_GATE_UNFENCED | CW_GATE_FORCED, "passes", "passes", "passes", "fails"},
		{CW_GATE_UNFENCED | CW_GATE_NO_PATH, "is held first", "fails fast", "is held first",
		 "is held first"},
	};
	for (const auto &c : cases) {
		const std::pair<u32, const char *> asked[] = {
			{0, c.plain},
			{CW_TRAIT_FAST, c.fast},
			{CW_TRAIT_STABLE, c.stable},
			{CW_TRAIT_CHANGE, c.change}};
		for (const auto &[traits, expected] : asked) {
			SetUp();
			cw_gates_change(&gates, 0, c.set);
			request rq{{}, RQF_DONTPREP, traits, {}};
			EXPECT_EQ(submit(rq), expected) << c.set << " " << traits;
		}
	}
}

TEST_F(Gates, HoldUntilThereIsAPath)
{
	request one{}, two{};

	cw_gates_change(&gates, 0, CW_GATE_NO_PATH);
	EXPECT_FALSE(cw_gates_hold(&gates));
	EXPECT_EQ(submit(one), "is held first");
	EXPECT_EQ(submit(two), "is held");
	EXPECT_TRUE(cw_gates_hold(&gates));
	cw_gates_change(&gates, CW_GATE_LOSS, CW_GATE_STABLE);
	EXPECT_EQ(one.fate + two.fate, "");
	cw_gates_change(&gates, CW_GATE_NO_PATH, 0);
	EXPECT_EQ(one.fate, "requeued ");
	EXPECT_EQ(two.fate, "requeued ");
	EXPECT_FALSE(cw_gates_hold(&gates));
	EXPECT_EQ(submit(one), "passes");
}

TEST_F(Gates, SendHeldRequestsBackWhenAllIoFails)
{
	request one{};

	cw_gates_change(&gates, 0, CW_GATE_NO_PATH);
	submit(one);
	cw_gates_change(&gates, 0, CW_GATE_FAILING);
	EXPECT_EQ(one.fate, "requeued ");
	EXPECT_EQ(submit(one), "fails");
}

const u32 FAST_WRITE = CW_TRAIT_CHANGE | CW_TRAIT_FAST;

request make(u32 traits)
{
	return {{}, 0, traits, {}};
}

TEST_F(Gates, KeepASentWriteUntilItsPathIsFenced)
{
	request read = make(0), one = make(CW_TRAIT_CHANGE), two = make(FAST_WRITE), next = one;

	EXPECT_EQ(lose(read, 1).fate, "requeued ");
	EXPECT_FALSE(cw_gates_hold(&gates));
	EXPECT_EQ(lose(one, 1).fate, "");
	EXPECT_EQ(lose(two, 2).fate, "");
	EXPECT_TRUE(cw_gates_hold(&gates));
	// Another path carries I/O meanwhile, and becomes the last one.
	EXPECT_EQ(submit(next), "passes");
	cw_gates_change(&gates, CW_GATE_NO_PATH | CW_GATE_FAILING, CW_GATE_STABLE);
	cw_gates_fenced(&gates, 0);
	EXPECT_EQ(one.fate + two.fate, "");
	cw_gates_fenced(&gates, 2);
	EXPECT_EQ(one.fate, "");
	EXPECT_EQ(two.fate, "requeued ");
	cw_gates_fenced(&gates, 1);
	EXPECT_EQ(one.fate, "requeued ");
	EXPECT_FALSE(cw_gates_hold(&gates));
}

TEST_F(Gates, EndASentWriteWhoseTimeHasPassed)
{
	request plain = make(CW_TRAIT_CHANGE), fast = make(FAST_WRITE), late = fast;

	lose(plain, 3);
	lose(fast, 3);
	cw_gates_change(&gates, 0, CW_GATE_NO_PATH);
	EXPECT_EQ(plain.fate, "");
	EXPECT_EQ(fast.fate, "failed fast ");
	cw_gates_change(&gates, 0, CW_GATE_FAILING);
	EXPECT_EQ(plain.fate, "failed ");
	EXPECT_EQ(fast.fate, "failed fast ");
	// A slow drain: the times have passed before the requests are taken back.
	EXPECT_EQ(lose(late, 3).fate, "failed ");
	cw_gates_change(&gates, CW_GATE_FAILING, 0);
	EXPECT_EQ(lose(late, 3).fate, "failed fast ");
	EXPECT_FALSE(cw_gates_hold(&gates));
}

TEST_F(Gates, HoldWritesAfterAnEndWithoutAnswer)
{
	request sent = make(FAST_WRITE), other = sent, write = make(CW_TRAIT_CHANGE);
	request read = make(0), flush = make(CW_TRAIT_STABLE);

	cw_gates_change(&gates, 0, CW_GATE_NO_PATH);
	lose(sent, 1);
	lose(other, 2);
	// A path joins without a login, so nothing is fenced.
	cw_gates_change(&gates, CW_GATE_NO_PATH | CW_GATE_FAILING, 0);
	EXPECT_EQ(submit(write), "is held");
	EXPECT_EQ(submit(read), "passes");
	EXPECT_EQ(submit(flush), "passes");
	cw_gates_fenced(&gates, 1);
	EXPECT_EQ(write.fate, "");
	cw_gates_fenced(&gates, 2);
	EXPECT_EQ(write.fate, "requeued ");
	EXPECT_EQ(submit(write), "passes");
	EXPECT_EQ(gates.set, 0u);
}

TEST_F(Gates, JudgeHeldWritesAgainWhenThePathIsLost)
{
	request sent = make(FAST_WRITE), fast = sent, plain = make(CW_TRAIT_CHANGE);

	cw_gates_change(&gates, 0, CW_GATE_NO_PATH);
	lose(sent, 1);
	cw_gates_change(&gates, CW_GATE_NO_PATH, 0);
	EXPECT_EQ(submit(fast), "is held");
	EXPECT_EQ(submit(plain), "is held");
	cw_gates_change(&gates, 0, CW_GATE_NO_PATH);
	EXPECT_EQ(fast.fate + plain.fate, "requeued requeued ");
	EXPECT_EQ(submit(fast), "fails fast");
	EXPECT_EQ(submit(plain), "is held first");
}

TEST_F(Gates, LetAForcedDetachWaitForNoFence)
{
	request before = make(CW_TRAIT_CHANGE), after = before, held = before;
	request read = make(0), flush = make(CW_TRAIT_STABLE);

	lose(before, 0);
	cw_gates_change(&gates, 0, CW_GATE_FORCED);
	EXPECT_EQ(before.fate, "failed ");
	EXPECT_EQ(lose(after, 0).fate, "failed ");
	EXPECT_EQ(submit(held), "fails");
	// They would hang on the next path too, if the server's disk does.
	EXPECT_EQ(lose(read, 0).fate, "failed ");
	EXPECT_EQ(lose(flush, 0).fate, "failed ");
}

TEST_F(Gates, SendHeldWritesBackForAForcedDetach)
{
	request sent = make(FAST_WRITE), held = make(CW_TRAIT_CHANGE);

	cw_gates_change(&gates, 0, CW_GATE_NO_PATH);
	lose(sent, 0);
	cw_gates_change(&gates, CW_GATE_NO_PATH, 0);
	submit(held);
	cw_gates_change(&gates, 0, CW_GATE_FORCED);
	EXPECT_EQ(held.fate, "requeued ");
}

} // namespace
