// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the choice of a disk among its paths.
#include <gtest/gtest.h>

#include <vector>

#include "include/wire/causeway_wire.h"
#include "kmod/core/wire/integers.h"

namespace
{

struct cw_path {
	u8 number;
};

struct cw_request {
	cw_path *path;
	u64 start;
};

struct request {
	cw_request pdu;
	unsigned timeout; // jiffies
};

struct cw_disk {
	bool lock;
	cw_path *usable[CW_WIRE_PATHS];
	u64 up_at[CW_WIRE_PATHS];
	cw_path *path;
	struct {
		cw_path *path;
	} hctx[3];
	unsigned nr_hctx;
	struct {
		bool lock;
	} gates;
	cw_path *session; // that was kicked
};

u64 now;
constexpr u64 TICK_NSEC = 4'000'000;

u64 jiffies_to_nsecs(unsigned jiffies)
{
	return jiffies * TICK_NSEC;
}

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define READ_ONCE(value) (value)
#define WRITE_ONCE(place, value) ((place) = (value))
#define rcu_assign_pointer(place, value) ((place) = (value))
#define lockdep_assert_held(lock) ((void)(lock))
#define spin_lock_irqsave(lock, flags) (*(lock) = true, (flags) = 0)
#define spin_unlock_irqrestore(lock, flags) (*(lock) = (flags) != 0)
#define ktime_get_ns() now
#define blk_mq_rq_to_pdu(rq) (&(rq)->pdu)

#define cw_session_kick(session, path, why) ((void)(why), (session) = (path))

void cw_paths_publish(cw_disk *disk);
#include "kmod/disk/paths.c"

class DiskPaths : public testing::Test
{
protected:
	cw_path one{1}, three{3}, five{5};
	cw_disk disk{};

	void SetUp() override
	{
		disk.nr_hctx = ARRAY_SIZE(disk.hctx);
		now = 1000;
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
		for (const auto &hctx : disk.hctx)
			EXPECT_EQ(hctx.path, path);
	}
};

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
	request rq{{&three, 0}, 0};

	cw_paths_up(&disk, &one);
	cw_paths_up(&disk, &three);
	rq.pdu.start = ++now;
	EXPECT_EQ(kicked(rq), &three);
	now++;
	cw_paths_stop(&disk, &one);
	EXPECT_EQ(kicked(rq), &three);
	cw_paths_stop(&disk, &three);
	EXPECT_EQ(kicked(rq), nullptr);
	now++;
	cw_paths_up(&disk, &three);
	EXPECT_EQ(kicked(rq), nullptr);
	rq.pdu.start = now;
	EXPECT_EQ(kicked(rq), &three);
}

TEST_F(DiskPaths, DoNotEndAConnectionForARequestThatWasSentAgainJustNow)
{
	constexpr unsigned timeout = 7500; // jiffies
	request rq{{&three, 0}, timeout};

	cw_paths_up(&disk, &three);
	rq.pdu.start = ++now;
	now += jiffies_to_nsecs(timeout) - TICK_NSEC - 1;
	EXPECT_EQ(kicked(rq), nullptr);
	now++; // the timeout counts ticks, and may have begun in the middle of one
	EXPECT_EQ(kicked(rq), &three);
}

} // namespace
