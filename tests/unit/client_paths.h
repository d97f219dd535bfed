// SPDX-License-Identifier: GPL-2.0-or-later
// The client's files that change which paths a disk uses, path_change.c and ranks.c, with sessions
// and paths that have little else. No time passes but in the waits of a removal, each of which calls
// the next step of the test, and where a test lets it pass.
#ifndef CW_TEST_CLIENT_PATHS_H
#define CW_TEST_CLIENT_PATHS_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "include/uapi/causeway.h"
#include "include/wire/causeway_control.h"
#include "kmod/core/session/client/path_rank.h"
#include "kmod/core/session/client/path_state.h"
#include "kmod/core/wire/integers.h"

// A test need not call every function of the files.
#pragma GCC diagnostic ignored "-Wunused-function"

namespace
{

constexpr unsigned CW_REASON_SIZE = 160, CW_LOSS_REASON_SIZE = 184;
constexpr int CW_SESSION_CLOSE = 0, CW_PATH_LOST = 0, CW_PATH_FLUSH = 1;
constexpr unsigned long MAX_JIFFY_OFFSET = ~0UL >> 2;
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

struct cw_path_config {
	int address, local;
	u8 transport;
};

struct cw_link_factory {
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
	bool leaving, refused, used, failed;
	const cw_link_factory *factory;
	u8 relapses;
	u64 live_since;
	bool asked;
	u32 asked_alives;
	mutex lock;
	cw_link *control;
	cw_link *links[2];
	unsigned nr_links;
	unsigned long flags, retry_at;
	u64 epoch;
	cw_fence fence;
	u32 alives, attempts, losses, fences;
	u64 fence_ns;
	char device[64];
	const char *kicked;
	int arrived, connect, work, error, address, local;
	char reason[CW_REASON_SIZE];
	unsigned probes; // that were sent
	bool answers; // probes, and commands that are not gathered any more
	bool malformed; // its last answer leaves a request
};

struct cw_client_ops {
	void (*up)(cw_session *s, cw_path *p, bool new_instance);
	void (*withdraw)(cw_session *s, cw_path *p);
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
	u8 used_rank;
	u32 tried;
	u64 fallbacks, returns;
	char fallback_reason[CW_LOSS_REASON_SIZE], loss_reason[CW_LOSS_REASON_SIZE];
	bool used[CW_WIRE_PATHS]; // by the disk
};

unsigned long jiffies;
bool signalled;
bool room; // in control links for a probe
u64 now_ns;
std::vector<std::string> story; // what was done
std::vector<std::string> events;
std::vector<cw_path *> queued; // works of paths
unsigned decisions; // works of sessions that were queued
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
#define pr_info_ratelimited(...) ((void)0)
#define pr_warn_ratelimited(...) ((void)0)
#define BIT(nr) (1UL << (nr))
#define U32_MAX 0xffffffffU
#define NSEC_PER_MSEC 1000000U
#define div_u64(value, by) ((value) / (by))
#define min_t(type, a, b) std::min<type>(a, b)
#define ktime_get_ns() now_ns
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

void set_bit(int bit, unsigned long *flags)
{
	*flags |= 1UL << bit;
}

bool test_and_clear_bit(int bit, unsigned long *flags)
{
	const bool was = test_bit(bit, flags);

	*flags &= ~(1UL << bit);
	return was;
}

#define cw_client_wq 0
#define queue_work(queue, place) queue_work_of(reinterpret_cast<cw_path *>(                        \
	reinterpret_cast<char *>(place) - offsetof(cw_path, work)))

void queue_work_of(cw_path *p)
{
	queued.push_back(p);
}

__attribute__((format(printf, 5, 6))) void cw_event(cw_event event, cw_role, const char *,
						    const char *, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	events.push_back(std::to_string(event) + " " + text);
}

// Operations of the block layer that had found a path end.
void synchronize_rcu()
{
	story.push_back("grace period");
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
	if (!room)
		return -EAGAIN;
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

const cw_link_factory over_rdma = { CW_TRANSPORT_RDMA }, over_tcp = { CW_TRANSPORT_TCP };

void cw_path_set_ends(cw_path *p, const cw_path_config *config)
{
	p->factory = config->transport == CW_TRANSPORT_TCP ? &over_tcp : &over_rdma;
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
void cw_session_decide(cw_session *) { decisions++; }
void cw_session_take_back(cw_session *s);
void cw_session_rank(cw_session *s);
void cw_path_is_over(cw_path *p);
void cw_path_withdraw(cw_path *p);
void cw_path_flush(cw_path *p);

// Ends a path as the work does when its connection is lost.
void cw_path_lost(cw_path *p)
{
	cw_session *s = p->session;

	EXPECT_TRUE(p->lock.held);
	mutex_lock(&s->lock);
	cw_path_change(p, CW_PATH_DYING);
	cw_path_is_over(p);
	cw_path_set_fence(p, &p->fence, p->epoch, 0);
	cw_session_take_back(s);
	cw_session_rank(s);
	mutex_unlock(&s->lock);
	s->ops->stop(s, p);
	cw_path_tear_down(p);
	mutex_lock(&s->lock);
	cw_path_change(p, CW_PATH_DOWN);
	mutex_unlock(&s->lock);
}

#include "kmod/core/session/client/path_change.c"
#include "kmod/core/session/client/ranks.c"

void disk_up(cw_session *s, cw_path *p, bool)
{
	EXPECT_TRUE(s->lock.held);
	EXPECT_EQ(p->state, CW_PATH_LIVE);
	s->used[p->number] = true;
	said("up", p);
}

void disk_is_never_without_a_path(const cw_session *s)
{
	const bool any = std::any_of(std::begin(s->used), std::end(s->used), [](bool used) { return used; });

	EXPECT_TRUE(any || stopping) << "the disk has no path";
}

void disk_withdraw(cw_session *s, cw_path *p)
{
	EXPECT_TRUE(s->lock.held);
	EXPECT_TRUE(s->used[p->number]);
	s->used[p->number] = false;
	disk_is_never_without_a_path(s);
	said("withdraw", p);
}

void disk_stop(cw_session *s, cw_path *p)
{
	EXPECT_FALSE(s->lock.held);
	EXPECT_TRUE(p->lock.held);
	s->used[p->number] = false;
	disk_is_never_without_a_path(s);
	said("stop", p);
}

const cw_client_ops ops = { disk_up, disk_withdraw, disk_stop };

// Two live paths over RDMA, and a third one that is down.
class ClientPaths : public testing::Test
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
		now_ns = 1'000'000'000;
		signalled = stopping = false;
		room = true;
		decisions = 0;
		story.clear();
		events.clear();
		queued.clear();
		while_it_waits = nullptr;
		session.config = { "storage1", "scratch" };
		session.ops = &ops;
		session.state = CW_STATE_LIVE;
		for (u8 i = 0; i < 3; i++) {
			cw_path &p = paths[i];

			p.session = &session;
			p.number = i;
			p.factory = &over_rdma;
			p.state = i < 2 ? CW_PATH_LIVE : CW_PATH_DOWN;
			p.control = &controls[i];
			p.links[0] = &links[i];
			p.nr_links = 1;
			p.epoch = 10 + i;
			p.answers = true;
			session.paths[i] = &p;
			session.used[i] = p.used = p.state == CW_PATH_LIVE;
		}
		session.nr_paths = 3;
		session.used_rank = 1;
	}

	// At the end of each step.
	void consistent()
	{
		EXPECT_FALSE(session.lock.held);
		EXPECT_FALSE(session.reason_lock.held);
		for (const cw_path &p : paths) {
			EXPECT_FALSE(p.lock.held);
			EXPECT_EQ(session.used[p.number], p.used) << "path " << unsigned{p.number};
		}
	}

	int remove(u32 number)
	{
		const int ret = cw_session_remove_path(&session, number, reason);

		consistent();
		for (const cw_path &p : paths)
			EXPECT_FALSE(p.leaving);
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

} // namespace

#endif
