// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work of a session decides when a path logs in, and what the session is meanwhile. The works
 * of the path do what was decided (path_work.c), and report the end of it here.
 *
 * The life of a session: CONNECTING, then LIVE; after the loss of its path it is HELD until the
 * next attempt. That attempt begins only when the path is DOWN: its links are drained then. The
 * welcome of the next login proves that the server has nothing left of the old connection
 * (docs/PROTOCOL.md section 4), so up() may send everything again. FAILING is HELD past the I/O
 * timeout. In REFUSED, I/O fails because the newest attempt of every path found another disk, or
 * one that grants less than the device was made for; the session goes on trying until a login is
 * accepted. REVOKED follows a refusal that is proved and final: I/O fails, nothing of the session
 * is sent any more, and only detach ends it.
 *
 * All of this holds s->lock, and waits for no peer, no adapter and no grace period.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>

#include "../../netlink/netlink.h"
#include "backoff.h"
#include "path_change.h"
#include "path_list.h"
#include "path_rank.h"
#include "ranks.h"

static unsigned int retry_base_ms = 500;
module_param(retry_base_ms, uint, 0644);
MODULE_PARM_DESC(retry_base_ms, "first delay of a reconnect, doubled with every failure");
static unsigned int retry_cap_ms = 10000;
module_param(retry_cap_ms, uint, 0644);
MODULE_PARM_DESC(retry_cap_ms, "longest delay between reconnects");

void cw_session_hurry(struct cw_session *s)
{
	set_bit(CW_SESSION_HURRY, &s->flags);
	smp_mb__after_atomic(); /* the bit against the timer: see cw_session_wait() */
	mod_delayed_work(cw_client_wq, &s->work, 0);
}
EXPORT_SYMBOL_GPL(cw_session_hurry);

/* ---- the pause before the next attempt ---- */

/* The time, in jiffies, at which the I/O timeout of a session without a path passes. */
static unsigned long cw_session_failing_at(const struct cw_session *s)
{
	return s->held_at + cw_timeout_jiffies(s->config.io_timeout);
}

/* The work comes back for the next attempt, or when the I/O timeout passes before that. */
static void cw_session_wait(struct cw_session *s)
{
	unsigned long at = s->retry_at, failing_at = cw_session_failing_at(s);

	if (test_bit(CW_SESSION_CLOSE, &s->flags))
		return;
	if (s->state == CW_STATE_HELD && s->ever_live && s->config.io_timeout &&
	    time_before(failing_at, at))
		at = failing_at;
	mod_delayed_work(cw_client_wq, &s->work, time_before(jiffies, at) ? at - jiffies : 0);
	/* A request may just have queued the work, which was put off here. */
	smp_mb(); /* the timer against the bit: see cw_session_hurry() */
	if (test_bit(CW_SESSION_HURRY, &s->flags))
		mod_delayed_work(cw_client_wq, &s->work, 0);
}

/*
 * Schedules the next attempt in @ms. cw_backoff_bounded_ms() shortens or lengthens this pause to
 * keep rule 23 of section 5.
 */
static void cw_session_pause(struct cw_session *s, u32 ms, bool io_waits)
{
	u32 since_began = jiffies_to_msecs(jiffies - s->began_at);

	/* One tick is added, because jiffies may lag behind the time by part of a tick. */
	s->retry_at = jiffies + 1 +
		      msecs_to_jiffies(cw_backoff_bounded_ms(ms, since_began, io_waits));
	cw_session_wait(s);
}

void cw_session_retry_later(struct cw_session *s)
{
	/* The paths take turns, so each has failed as often as this says. */
	u32 rounds = s->attempts / cw_session_count_paths(s);
	u32 base, cap, ms;
	bool io_waits;

	lockdep_assert_held(&s->lock);
	clear_bit(CW_SESSION_HURRY, &s->flags);
	smp_mb__after_atomic(); /* the bit before the look: a later request sets the bit again */
	io_waits = s->ops->waits(s);
	base = io_waits ? min(retry_base_ms, CW_BACKOFF_WAITING_BASE_MS) : retry_base_ms;
	cap = io_waits ? min(retry_cap_ms, CW_BACKOFF_WAITING_CAP_MS) : retry_cap_ms;
	ms = cw_backoff_ms(rounds, base, cap, get_random_u32());
	/* Then the distance between two beginnings counts, and an attempt takes a part of it. */
	if (io_waits)
		ms = max(ms - min(ms, jiffies_to_msecs(jiffies - s->began_at)),
			 get_random_u32() % CW_BACKOFF_LEAST_MS);
	cw_session_pause(s, ms, io_waits);
}

void cw_session_try_now(struct cw_session *s)
{
	lockdep_assert_held(&s->lock);
	if (s->state == CW_STATE_LIVE)
		cw_session_decide(s); /* joins */
	else if (time_before(jiffies, s->retry_at))
		cw_session_pause(s, 0, true);
}

int cw_session_set(struct cw_session *s, const struct cw_session_change *change)
{
	mutex_lock(&s->lock);
	/* Once the session is closed, what ops->changed() uses may be freed. */
	if (test_bit(CW_SESSION_CLOSE, &s->flags)) {
		mutex_unlock(&s->lock);
		return -ESHUTDOWN;
	}
	if (change->what & CW_CHANGE_IO_TIMEOUT)
		WRITE_ONCE(s->config.io_timeout, change->io_timeout);
	if (change->what & CW_CHANGE_FAST_FAIL)
		WRITE_ONCE(s->config.fast_fail, change->fast_fail);
	if (change->what & CW_CHANGE_PATH_POLICY)
		WRITE_ONCE(s->config.path_policy, change->path_policy);
	if (change->what & ~CW_CHANGE_KEY)
		s->ops->changed(s);
	if (change->what & CW_CHANGE_KEY) {
		s->config.key = change->key;
		if (s->state != CW_STATE_LIVE)
			cw_session_try_now(s);
	} else if (s->state == CW_STATE_HELD) {
		/* The work looks at the new I/O timeout. */
		mod_delayed_work(cw_client_wq, &s->work, 0);
	}
	mutex_unlock(&s->lock);
	return 0;
}
EXPORT_SYMBOL_GPL(cw_session_set);

int cw_session_apply_again(struct cw_session *s)
{
	int ret = 0;

	mutex_lock(&s->lock);
	if (test_bit(CW_SESSION_CLOSE, &s->flags))
		ret = -ESHUTDOWN;
	else
		s->ops->changed(s);
	mutex_unlock(&s->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_session_apply_again);

/* A request came in the pause: the pause may be too long for it. */
static void cw_session_shorten_pause(struct cw_session *s)
{
	if (test_and_clear_bit(CW_SESSION_HURRY, &s->flags) && time_before(jiffies, s->retry_at))
		cw_session_pause(s, jiffies_to_msecs(s->retry_at - jiffies), true);
}

/* ---- the ends of what paths do ---- */

void cw_session_lost(struct cw_session *s, const struct cw_path *lost)
{
	unsigned int i;

	lockdep_assert_held(&s->lock);
	cw_session_take_back(s);
	if (cw_session_has_live_path(s, NULL))
		return;
	if (cw_session_change(s, CW_STATE_HELD))
		s->held_at = jiffies;
	s->next = lost->number;
	for (i = 0; i < s->nr_paths; i++) {
		struct cw_path *p = s->paths[i];

		if (p->state == CW_PATH_DOWN)
			p->role = CW_PATH_NO_ROLE; /* its attempt has not begun */
		else if (p->state == CW_PATH_CONNECTING && cw_path_change(p, CW_PATH_DYING))
			cw_path_interrupt(p);
	}
}

void cw_session_decide(struct cw_session *s)
{
	lockdep_assert_held(&s->lock);
	if (!test_bit(CW_SESSION_CLOSE, &s->flags))
		mod_delayed_work(cw_client_wq, &s->work, 0);
}

void cw_session_joined(struct cw_session *s, struct cw_path *p)
{
	lockdep_assert_held(&s->lock);
	p->attempts = 0;
	pr_info("causeway: %s/%s: path %u is live over %s, %u queues\n", s->config.server,
		s->config.name, p->number, p->device, p->nr_links);
	cw_event(CW_EVENT_PATH_UP, CW_ROLE_CLIENT, s->config.server, s->config.name,
		 "path %u is live over %s", p->number, p->device);
	cw_session_rank(s);
	cw_session_send_fences(s);
}

void cw_session_join_later(struct cw_session *s, struct cw_path *p)
{
	u32 ms = cw_backoff_ms(p->attempts, retry_base_ms, retry_cap_ms, get_random_u32());

	lockdep_assert_held(&s->lock);
	p->retry_at = jiffies + msecs_to_jiffies(ms);
	cw_session_decide(s);
}

void cw_session_went_live(struct cw_session *s, struct cw_path *p)
{
	bool new_instance = s->ever_live &&
			    memcmp(s->instance, s->welcome_instance, CW_WIRE_UUID);
	unsigned int i;

	lockdep_assert_held(&s->lock);
	memcpy(s->instance, s->welcome_instance, CW_WIRE_UUID);
	WRITE_ONCE(s->refused, false);
	s->attempts = 0;
	if (s->ever_live)
		s->reconnects++;
	else
		s->first_welcome = s->welcome;
	s->ever_live = true;
	s->tried = 0;
	cw_session_change(s, CW_STATE_LIVE);
	pr_info("causeway: %s/%s: live over %s, %u queues\n", s->config.server, s->config.name,
		p->device, p->nr_links);
	/* WELCOME stands for every FENCED. */
	for (i = 0; i < s->nr_paths; i++) {
		s->paths[i]->announced = (struct cw_fence) {};
		s->paths[i]->attempts = 0;
		s->paths[i]->retry_at = jiffies; /* may have wrapped since the last attempt */
		cw_path_end_fence(s->paths[i]);
	}
	cw_session_decide(s); /* the other paths may join */
	cw_path_use(p, new_instance);
	cw_event(CW_EVENT_UP, CW_ROLE_CLIENT, s->config.server, s->config.name, "live over %s",
		 p->device);
	cw_session_rank(s); /* a login by a path of a worse rank is a fallback */
	complete_all(&s->first);
}

/*
 * A path that leads to another disk, or to one that grants less, does no harm while another path
 * may lead to the right one.
 */
static bool cw_session_is_refused(const struct cw_session *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++)
		if (cw_path_stays(s->paths[i]) && !s->paths[i]->refused)
			return false;
	return true;
}

/* Another disk, or a lesser one, answers to the name: the device's I/O fails meanwhile. */
static void cw_session_refused(struct cw_session *s, const struct cw_path *p, bool again)
{
	cw_session_change(s, CW_STATE_REFUSED);
	WRITE_ONCE(s->refused, true);
	if (again)
		return;
	pr_err("causeway: %s/%s: %s\n", s->config.server, s->config.name, p->reason);
	if (p->error == -EREMCHG)
		cw_event(CW_EVENT_ANOTHER_DISK, CW_ROLE_CLIENT, s->config.server, s->config.name,
			 "%s", p->reason);
	s->ops->fail(s);
}

/* The server refused the session for good. The device's I/O fails until it is detached. */
static void cw_session_revoked(struct cw_session *s, struct cw_path *p)
{
	cw_session_change(s, CW_STATE_REVOKED);
	s->may_be_kept = false;
	memzero_explicit(s->secret, sizeof(s->secret));
	cw_path_empty(p);
	pr_err("causeway: %s/%s: %s; detach it\n", s->config.server, s->config.name, p->reason);
	s->ops->fail(s);
	cw_event(CW_EVENT_REVOKED, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s",
		 p->reason);
	complete_all(&s->first);
}

static bool cw_session_has_untried_path(const struct cw_session *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++)
		if (cw_path_stays(s->paths[i]) && !(s->tried & BIT(i)))
			return true;
	return false;
}

void cw_session_login_failed(struct cw_session *s, struct cw_path *p)
{
	lockdep_assert_held(&s->lock);
	if (s->refusal) {
		cw_session_revoked(s, p);
		return;
	}
	if (!p->leaving)
		cw_event(CW_EVENT_ATTEMPT_FAILED, CW_ROLE_CLIENT, s->config.server, s->config.name,
			 "%s", p->reason);
	if (cw_session_is_refused(s) || s->before == CW_STATE_REFUSED) {
		cw_session_refused(s, p, s->before == CW_STATE_REFUSED);
	} else {
		cw_session_change(s, CW_STATE_HELD);
		if (s->before == CW_STATE_FAILING)
			cw_session_change(s, CW_STATE_FAILING);
	}
	/* The paths take turns, and the pause comes when each had one. */
	s->next = (p->number + 1) % s->nr_paths;
	s->tried |= BIT(p->number);
	if (cw_session_has_untried_path(s)) {
		cw_session_pause(s, 0, true);
	} else {
		s->tried = 0;
		cw_session_retry_later(s);
		complete_all(&s->first);
	}
}

/* ---- decisions ---- */

/* The path whose turn it is. */
static struct cw_path *cw_session_next_path(const struct cw_session *s)
{
	struct cw_rank_login paths[CW_WIRE_PATHS] = {};
	const struct cw_path *p;
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++) {
		p = s->paths[i];
		paths[i] = (struct cw_rank_login) {
			.stays = cw_path_stays(p),
			.tried = s->tried & BIT(i),
			.failed = p->failed,
			.rank = cw_rank_of(p->factory->transport),
		};
	}
	return s->paths[cw_rank_next_login(paths, s->nr_paths, s->next)];
}

static void cw_session_begin_login(struct cw_session *s)
{
	struct cw_path *p = cw_session_next_path(s);

	s->before = s->state;
	cw_session_change(s, CW_STATE_CONNECTING);
	s->attempts++;
	p->attempts++;
	p->epoch = ++s->epoch;
	p->role = CW_PATH_LOGIN;
	queue_work(cw_connect_wq, &p->connect);
}

/* Returns the jiffies until @p may join; 0: it may join now. */
static unsigned long cw_path_joins_in(const struct cw_path *p)
{
	/* Rule 23 of section 5. The difference is right even if jiffies have wrapped meanwhile. */
	unsigned long since_began = jiffies - p->session->began_at;
	unsigned long least = msecs_to_jiffies(CW_BACKOFF_LEAST_MS);
	unsigned long in = time_before(jiffies, p->retry_at) ? p->retry_at - jiffies : 0;

	/* One tick is added, because jiffies may lag behind the time by part of a tick. */
	return since_began <= least ? max(in, least + 1 - since_began) : in;
}

static void cw_session_begin_join(struct cw_session *s, struct cw_path *p)
{
	p->attempts++;
	s->next_join = (p->number + 1) % s->nr_paths;
	s->began_at = jiffies;
	p->epoch = ++s->epoch;
	p->role = CW_PATH_JOIN;
	queue_work(cw_connect_wq, &p->connect);
}

/*
 * A path with a fence does not join, so the server keeps commands of one incarnation at most. The
 * paths take turns, so one that is refused again and again keeps no other one from its JOIN.
 * Returns the jiffies until the next path may join, or MAX_JIFFY_OFFSET.
 */
static unsigned long cw_session_begin_joins(struct cw_session *s)
{
	unsigned long in, next = MAX_JIFFY_OFFSET;
	unsigned int i, first = s->next_join;
	struct cw_path *p;

	for (i = 0; i < s->nr_paths && (s->features & CW_FEATURE_PATHS); i++) {
		p = s->paths[(first + i) % s->nr_paths];
		if (p->state != CW_PATH_DOWN || p->leaving || p->role)
			continue;
		if (!p->announced.carrier)
			p->announced = (struct cw_fence) {}; /* of a JOIN that has ended */
		if (p->fence.epoch || p->announced.epoch)
			continue;
		in = cw_path_joins_in(p);
		if (in)
			next = min(next, in);
		else
			cw_session_begin_join(s, p);
	}
	return next;
}

/* The work comes back when a path may join, or when one has settled. */
static void cw_session_tend_paths(struct cw_session *s)
{
	unsigned long joins = cw_session_begin_joins(s), ranks = cw_session_rank_again(s);
	unsigned long next = min(joins, ranks);

	if (next != MAX_JIFFY_OFFSET)
		mod_delayed_work(cw_client_wq, &s->work, next);
}

static void cw_session_look_at_io_timeout(struct cw_session *s)
{
	if (s->state != CW_STATE_HELD || !s->ever_live || !s->config.io_timeout ||
	    time_before(jiffies, cw_session_failing_at(s)))
		return;
	cw_session_change(s, CW_STATE_FAILING);
	pr_warn("causeway: %s/%s: no path for %u s, I/O fails until one is back\n",
		s->config.server, s->config.name, s->config.io_timeout);
	s->ops->fail(s);
}

/* No login begins before all links of earlier ones are drained (docs/PROTOCOL.md section 4). */
static bool cw_session_may_log_in(const struct cw_session *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++)
		if (s->paths[i]->state != CW_PATH_DOWN && !cw_path_is_removed(s->paths[i]))
			return false;
	return true;
}

void cw_session_work(struct work_struct *work)
{
	struct cw_session *s = container_of(to_delayed_work(work), struct cw_session, work);
	unsigned int noio;

	/* Memory may be full of what waits for this very disk. */
	noio = memalloc_noio_save();
	mutex_lock(&s->lock);
	if (test_bit(CW_SESSION_CLOSE, &s->flags)) {
		/* cw_session_close() does the rest. */
	} else if (s->state == CW_STATE_HELD || s->state == CW_STATE_FAILING ||
		   s->state == CW_STATE_REFUSED) {
		cw_session_look_at_io_timeout(s);
		cw_session_shorten_pause(s);
		/* A path that is not down yet calls cw_session_retry_later() when it is. */
		if (cw_session_may_log_in(s)) {
			if (time_after_eq(jiffies, s->retry_at))
				cw_session_begin_login(s);
			else
				cw_session_wait(s);
		}
	} else if (s->state == CW_STATE_LIVE) {
		cw_session_tend_paths(s);
	}
	mutex_unlock(&s->lock);
	memalloc_noio_restore(noio);
}
