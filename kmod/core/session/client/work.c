// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work of a session: connect, hold, come back.
 *
 * The life of a session is its work: CONNECTING, then LIVE; a link's death queues the work, which
 * stops the disk, drains the links (after that no adapter touches our memory), lets the disk take
 * back its unanswered requests, frees the links, and is HELD until the next attempt. The welcome of
 * the next login proves that the server has nothing left of the old connection (docs/PROTOCOL.md
 * section 4), so up() may send everything again. FAILING is HELD past the I/O timeout. In REFUSED,
 * I/O fails because another disk answers to the name, or one that grants less than the device was
 * made for; the session goes on trying until a login is accepted. REVOKED follows a refusal that is
 * proved and final: I/O fails, nothing of the session is sent any more, and only detach ends it.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>

#include "../../netlink/netlink.h"
#include "backoff.h"
#include "path.h"

static unsigned int retry_base_ms = 500;
module_param(retry_base_ms, uint, 0644);
MODULE_PARM_DESC(retry_base_ms, "first delay of a reconnect, doubled with every failure");
static unsigned int retry_cap_ms = 10000;
module_param(retry_cap_ms, uint, 0644);
MODULE_PARM_DESC(retry_cap_ms, "longest delay between reconnects");

void cw_client_down(struct cw_link *link)
{
	struct cw_path *p = cw_link_path(link);

	set_bit(CW_PATH_LOST, &p->flags);
	wake_up_all(&p->arrived);
	mod_delayed_work(cw_client_wq, &p->session->work, 0);
}

void cw_session_kick(struct cw_session *s, const char *why)
{
	struct cw_path *p = s->paths[0];

	WRITE_ONCE(p->kicked, why);
	set_bit(CW_PATH_LOST, &p->flags);
	mod_delayed_work(cw_client_wq, &s->work, 0);
}
EXPORT_SYMBOL_GPL(cw_session_kick);

void cw_session_hurry(struct cw_session *s)
{
	set_bit(CW_SESSION_HURRY, &s->flags);
	smp_mb__after_atomic(); /* the bit against the timer: see cw_session_wait() */
	mod_delayed_work(cw_client_wq, &s->work, 0);
}
EXPORT_SYMBOL_GPL(cw_session_hurry);

/* ---- the pause before the next attempt ---- */

/* The work comes back for the next attempt, or when the I/O timeout passes before that. */
static void cw_session_wait(struct cw_session *s)
{
	unsigned long at = s->retry_at;

	if (s->state == CW_STATE_HELD && s->ever_live && s->config.io_timeout &&
	    time_before(s->failing_at, at))
		at = s->failing_at;
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

static void cw_session_retry_later(struct cw_session *s)
{
	bool io_waits;
	u32 cap;

	clear_bit(CW_SESSION_HURRY, &s->flags);
	smp_mb__after_atomic(); /* the bit before the look: a later request sets the bit again */
	io_waits = s->ops->waits(s);
	cap = io_waits ? min(retry_cap_ms, CW_BACKOFF_WAITING_MS) : retry_cap_ms;
	cw_session_pause(s, cw_backoff_ms(s->attempts, retry_base_ms, cap, get_random_u32()),
			 io_waits);
}

/* A request came in the pause: the pause may be too long for it. */
static void cw_session_shorten_pause(struct cw_session *s)
{
	if (test_and_clear_bit(CW_SESSION_HURRY, &s->flags) && time_before(jiffies, s->retry_at))
		cw_session_pause(s, jiffies_to_msecs(s->retry_at - jiffies), true);
}

/* ---- the thread of control ---- */

static void cw_session_lost(struct cw_session *s)
{
	struct cw_path *p = s->paths[0];
	bool first = s->state == CW_STATE_LIVE;

	cw_path_find_reason(p);
	cw_session_change(s, CW_STATE_HELD);
	pr_warn_ratelimited("causeway: %s/%s: connection lost: %s\n", s->config.server,
			    s->config.name, p->reason);
	cw_event(CW_EVENT_DOWN, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s", p->reason);
	if (first)
		s->failing_at = jiffies + cw_timeout_jiffies(s->config.io_timeout);
	cw_path_tear_down(p);
	cw_session_retry_later(s);
}

static void cw_session_went_live(struct cw_session *s, struct cw_path *p)
{
	bool new_instance = s->ever_live &&
			    memcmp(s->instance, s->welcome_instance, CW_WIRE_UUID);

	memcpy(s->instance, s->welcome_instance, CW_WIRE_UUID);
	WRITE_ONCE(s->refused, false);
	s->attempts = 0;
	if (s->ever_live)
		s->reconnects++;
	else
		s->first_welcome = s->welcome;
	s->ever_live = true;
	cw_session_change(s, CW_STATE_LIVE);
	pr_info("causeway: %s/%s: live over %s, %u queues\n", s->config.server, s->config.name,
		p->device, p->nr_links);
	s->ops->up(s, p, new_instance);
	cw_event(CW_EVENT_UP, CW_ROLE_CLIENT, s->config.server, s->config.name, "live over %s",
		 p->device);
	queue_delayed_work(cw_client_wq, &s->watch, msecs_to_jiffies(p->grants.probe_ms));
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
	cw_path_empty(p);
	pr_err("causeway: %s/%s: %s; detach it\n", s->config.server, s->config.name, p->reason);
	s->ops->fail(s);
	cw_event(CW_EVENT_REVOKED, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s",
		 p->reason);
}

static void cw_session_attempt(struct cw_session *s)
{
	enum cw_state before = s->state;
	struct cw_path *p = s->paths[0];
	int ret;

	if (!cw_session_change(s, CW_STATE_CONNECTING))
		return;
	s->attempts++;
	s->began_at = jiffies;
	s->epoch++;
	clear_bit(CW_PATH_LOST, &p->flags);
	WRITE_ONCE(p->kicked, NULL);
	/* A message may have come after the last attempt gave up, before its link was drained. */
	cw_inbox_empty(&p->inbox);
	ret = cw_path_connect(p);
	if (!ret) {
		cw_reserve_empty(&p->reserve);
		cw_session_went_live(s, p);
		return;
	}
	cw_path_free_links(p);
	if (s->refusal) {
		cw_session_revoked(s, p);
		return;
	}
	cw_event(CW_EVENT_ATTEMPT_FAILED, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s",
		 p->reason);
	if (ret == -EREMCHG || ret == -EMEDIUMTYPE || before == CW_STATE_REFUSED) {
		cw_session_refused(s, p, before == CW_STATE_REFUSED);
	} else {
		cw_session_change(s, CW_STATE_HELD);
		if (before == CW_STATE_FAILING)
			cw_session_change(s, CW_STATE_FAILING);
	}
	cw_session_retry_later(s);
}

void cw_session_work(struct work_struct *work)
{
	struct cw_session *s = container_of(to_delayed_work(work), struct cw_session, work);
	struct cw_path *p = s->paths[0];
	unsigned int noio;

	/* Memory may be full of what waits for this very disk. */
	noio = memalloc_noio_save();
	mutex_lock(&s->lock);
	if (test_bit(CW_SESSION_CLOSE, &s->flags)) {
		/* cw_session_close() does the rest. */
	} else if (s->state == CW_STATE_LIVE) {
		cw_path_take_letters(p);
		if (test_and_clear_bit(CW_PATH_LOST, &p->flags))
			cw_session_lost(s);
	} else if (s->state == CW_STATE_HELD || s->state == CW_STATE_FAILING ||
		   s->state == CW_STATE_REFUSED) {
		if (s->state == CW_STATE_HELD && s->ever_live && s->config.io_timeout &&
		    time_after_eq(jiffies, s->failing_at)) {
			cw_session_change(s, CW_STATE_FAILING);
			pr_warn("causeway: %s/%s: no path for %u s, I/O fails until one is back\n",
				s->config.server, s->config.name, s->config.io_timeout);
			s->ops->fail(s);
		}
		cw_session_shorten_pause(s);
		if (time_after_eq(jiffies, s->retry_at))
			cw_session_attempt(s);
		else
			cw_session_wait(s);
		/* A loss while we were connecting, after the links were made. */
		if (s->state == CW_STATE_LIVE && test_bit(CW_PATH_LOST, &p->flags))
			mod_delayed_work(cw_client_wq, &s->work, 0);
	}
	mutex_unlock(&s->lock);
	memalloc_noio_restore(noio);
	complete_all(&s->first);
}
