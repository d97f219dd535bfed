// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the removal of paths, with sessions and paths that have little else. No time passes but in
// the waits of the removal, each of which calls the next step of the test.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "include/uapi/causeway.h"
#include "include/wire/causeway_control.h"
#include "kmod/core/session/client/path_state.h"
#include "kmod/core/wire/integers.h"

namespace
{

constexpr unsigned CW_REASON_SIZE = 160;
constexpr int CW_SESSION_CLOSE = 0, CW_PATH_LOST = 0;
constexpr unsigned CW_STATE_LIVE = 2, CW_STATE_REVOKED = 5;

struct mutex {
	bool held;
};

struct cw_path;
struct cw_session;

struct cw_link {
	bool dead, open; // open: a message that is gathered
	unsigned commands; // that have no answer
};

struct cw_fence {
	u64 epoch;
};

struct cw_link_factory {
	u8 transport;
};

struct cw_path_config {
	int address, local;
	u8 transport;
};

struct cw_incarnation {
	u8 path;
	u64 epoch;
};

struct cw_path {
	cw_session *session;
	u8 number;
	cw_path_state state;
	bool leaving, refused;
	mutex lock;
	cw_link_factory *factory;
	cw_link *control;
	cw_link *links[2];
	unsigned nr_links;
	unsigned long flags, retry_at;
	u64 epoch;
	cw_fence fence;
	u32 alives, attempts;
	const char *kicked;
	int arrived, connect, error, address, local;
	char reason[CW_REASON_SIZE];
	unsigned probes; // that were sent
	bool answers; // probes, and commands that are not gathered any more
	bool malformed; // its last answer leaves a request
};

struct cw_client_ops {
	void (*up)(cw_session *s, cw_path *p, bool new_instance);
	void (*stop)(cw_session *s, cw_path *p);
};

struct cw_session {
	struct {
		const char *server, *name;
	} config;
	const cw_client_ops *ops;
	mutex lock, reason_lock;
	cw_path *paths[CW_WIRE_PATHS];
	unsigned nr_paths, state;
	unsigned long flags;
	u64 features;
	bool used[CW_WIRE_PATHS]; // by the disk
};

unsigned long jiffies;
bool signalled;
std::vector<std::string> story; // what the removal did
std::function<void()> while_it_waits;
bool stopping; // the disk may be without a path, because the test ends one at that moment

void said(const char *what, const cw_path *p)
{
	story.push_back(what + std::string(" ") + std::to_string(p->number));
}

void mutex_lock(mutex *m)
{
	EXPECT_FALSE(m->held);
	m->held = true;
}

void mutex_unlock(mutex *m)
{
	EXPECT_TRUE(m->held);
	m->held = false;
}

// One jiffy passes, and paths that answer do so.
void pass(cw_session *s)
{
	ASSERT_LT(jiffies, 20'000U) << "the removal has no end";
	jiffies++;
	for (unsigned i = 0; i < s->nr_paths; i++) {
		cw_path *p = s->paths[i];

		if (!p->answers)
			continue;
		p->alives += p->probes;
		p->probes = 0;
		if (!p->links[0]->open)
			p->links[0]->commands = 0;
	}
	if (while_it_waits)
		while_it_waits();
}

#define __printf(format, arguments)
#define READ_ONCE(value) (value)
#define WRITE_ONCE(place, value) ((place) = (value))
#define smp_load_acquire(place) (*(place))
#define smp_store_release(place, value) (*(place) = (value))
#define lockdep_assert_held(lock) EXPECT_TRUE((lock)->held)
#define EXPORT_SYMBOL_GPL(name)
#define scnprintf snprintf
#define strscpy(to, from, size) snprintf(to, size, "%s", from)
#define pr_info(...) ((void)0)
#define cw_event(...) ((void)0)
#define current 0
#define signal_pending(thread) signalled
#define memalloc_noio_save() 0
#define memalloc_noio_restore(flags) ((void)(flags))
#define flush_work(work) ((void)(work))
#define msecs_to_jiffies(ms) (ms)
#define time_after(a, b) (static_cast<long>((b) - (a)) < 0)
#define max(a, b) std::max(a, b)
#define wait_event_interruptible_timeout(queue, condition, timeout)                                \
	((condition) ? (void)(queue) : pass(s))
#define wait_event_timeout(queue, condition, timeout) ((condition) ? (void)(queue) : pass(s))

bool test_bit(int bit, const unsigned long *flags)
{
	return *flags >> bit & 1;
}

bool cw_link_is_dead(const cw_link *link)
{
	return link->dead;
}

void cw_link_flush(cw_link *link)
{
	link->open = false;
}

bool cw_path_change(cw_path *p, cw_path_state to)
{
	EXPECT_TRUE(p->session->lock.held);
	if (!cw_path_may(p->state, to))
		return false;
	p->state = to;
	return true;
}

bool cw_path_has_commands(cw_path *p)
{
	return p->links[0]->commands;
}

int cw_path_probe(cw_path *p)
{
	p->probes++;
	return 0;
}

void cw_pack_incarnation(cw_wire_incarnation *to, const cw_incarnation *from)
{
	to->path = from->path;
}

int cw_link_send_control(cw_link *control, u8 type, const void *, size_t)
{
	EXPECT_EQ(type, CW_MSG_PATH_BYE);
	story.push_back("PATH_BYE");
	control->dead = true; // the server ends the connection
	return 0;
}

bool cw_path_tear_down(cw_path *p)
{
	const bool taken = p->links[0]->commands || p->malformed;

	said("end", p);
	p->session->used[p->number] = false;
	p->links[0]->commands = 0;
	return taken;
}

void cw_path_set_fence(cw_path *p, cw_fence *fence, u64 epoch, u64)
{
	EXPECT_TRUE(p->session->lock.held);
	fence->epoch = epoch;
	said("fence", p);
}

cw_link_factory factories[] = {{CW_TRANSPORT_RDMA}, {CW_TRANSPORT_TCP}};

void cw_path_set_ends(cw_path *p, const cw_path_config *config)
{
	p->factory = &factories[config->transport == CW_TRANSPORT_TCP];
	p->address = config->address;
	p->local = config->local;
}

cw_path *cw_path_create(cw_session *s, u8 number, const cw_path_config *config)
{
	auto *p = new cw_path{};

	p->session = s;
	p->number = number;
	cw_path_set_ends(p, config);
	return p;
}

void cw_path_free(cw_path *p)
{
	delete p;
}

void cw_path_interrupt(cw_path *) {}
void cw_path_stop_carrying(cw_path *) {}
void cw_path_empty(cw_path *) {}
void cw_session_retry_later(cw_session *) {}
void cw_session_try_now(cw_session *) {}
void cw_session_take_back(cw_session *s);

// Ends a path as the work does when its connection is lost.
void cw_path_lost(cw_path *p)
{
	cw_session *s = p->session;

	EXPECT_TRUE(p->lock.held);
	mutex_lock(&s->lock);
	cw_path_change(p, CW_PATH_DYING);
	cw_path_set_fence(p, &p->fence, p->epoch, 0);
	cw_session_take_back(s);
	mutex_unlock(&s->lock);
	s->ops->stop(s, p);
	cw_path_tear_down(p);
	mutex_lock(&s->lock);
	cw_path_change(p, CW_PATH_DOWN);
	mutex_unlock(&s->lock);
}

#include "kmod/core/session/client/path_change.c"

void disk_up(cw_session *s, cw_path *p, bool)
{
	EXPECT_TRUE(s->lock.held);
	s->used[p->number] = true;
	said("up", p);
}

void disk_stop(cw_session *s, cw_path *p)
{
	bool any = false;

	EXPECT_FALSE(s->lock.held);
	EXPECT_TRUE(p->lock.held);
	s->used[p->number] = false;
	for (const bool used : s->used)
		any |= used;
	EXPECT_TRUE(any || stopping) << "the disk has no path";
	said("stop", p);
}

const cw_client_ops ops = { disk_up, disk_stop };

class PathRemoval : public testing::Test
{
protected:
	cw_link controls[3]{}, links[3]{};
	cw_path paths[3]{};
	cw_session session{};
	cw_path &first = paths[0], &second = paths[1];
	char reason[CW_REASON_SIZE] = "";

	void SetUp() override
	{
		jiffies = 1000;
		signalled = stopping = false;
		story.clear();
		while_it_waits = nullptr;
		session.config = { "storage1", "scratch" };
		session.ops = &ops;
		session.state = CW_STATE_LIVE;
		for (u8 i = 0; i < 3; i++) {
			cw_path &p = paths[i];

			p.session = &session;
			p.number = i;
			p.state = i < 2 ? CW_PATH_LIVE : CW_PATH_DOWN;
			p.control = &controls[i];
			p.links[0] = &links[i];
			p.nr_links = 1;
			p.epoch = 10 + i;
			p.answers = true;
			session.paths[i] = &p;
			session.used[i] = p.state == CW_PATH_LIVE;
		}
		session.nr_paths = 3;
	}

	int remove(u32 number)
	{
		const int ret = cw_session_remove_path(&session, number, reason);

		EXPECT_FALSE(session.lock.held);
		for (const cw_path &p : paths) {
			EXPECT_FALSE(p.lock.held);
			EXPECT_FALSE(p.leaving);
		}
		return ret;
	}

	// The work of a path finds it lost.
	static void lose(cw_path &p)
	{
		mutex_lock(&p.lock);
		cw_path_lost(&p);
		mutex_unlock(&p.lock);
	}

	using Story = std::vector<std::string>;
};

TEST_F(PathRemoval, EndsAPathThatHasNothingToDo)
{
	EXPECT_EQ(remove(0), 0);
	EXPECT_EQ(story, (Story{ "stop 0", "PATH_BYE", "end 0" }));
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
	EXPECT_EQ(story, (Story{ "stop 0", "PATH_BYE", "end 0" }));
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
	EXPECT_EQ(story, (Story{ "stop 0", "fence 0", "stop 0", "end 0" }));
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
	EXPECT_EQ(story, (Story{ "stop 0", "PATH_BYE", "end 0", "fence 0" }));
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
	EXPECT_EQ(story, (Story{ "stop 0", "fence 1", "up 0", "stop 1", "end 1" }));
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
	EXPECT_EQ(story, Story{ "stop 0" });
	EXPECT_FALSE(first.lock.held);
	EXPECT_STREQ(reason, "storage1/scratch is being detached");
}

TEST_F(PathRemoval, KeepsTheLastPathAndTheOnlyLiveOne)
{
	EXPECT_EQ(remove(7), -ENOENT);
	second.state = CW_PATH_DOWN;
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

	second.factory = &factories[0];
	second.fence.epoch = 11;
	EXPECT_EQ(remove(1), 0);
	EXPECT_FALSE(cw_session_path_config(&session, 1, &found));
	snprintf(second.reason, sizeof(second.reason), "of the earlier path");
	EXPECT_EQ(cw_session_add_path(&session, &wanted, 1, reason), 0);
	EXPECT_EQ(session.paths[1], &second);
	EXPECT_EQ(second.state, CW_PATH_DOWN);
	EXPECT_EQ(second.fence.epoch, 11U) << "the server may have writes of the earlier path";
	EXPECT_TRUE(cw_session_path_config(&session, 1, &found));
	EXPECT_EQ(found.address, 7);
	EXPECT_EQ(found.local, 8);
	EXPECT_EQ(found.transport, CW_TRANSPORT_TCP) << "the earlier path had another";
	EXPECT_STREQ(second.reason, "the server knows a single path only");
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
