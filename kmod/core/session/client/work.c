// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work of a session: connect, hold, come back.
 *
 * The life of a session is its work: CONNECTING, then LIVE; a link's death queues the work, which
 * stops the disk, drains the links (after that no adapter touches memory of ours), lets the disk
 * take back what is unanswered, frees the links, and is HELD until the next attempt. The welcome of
 * the next login proves that the server has nothing left of the old connection
 * (docs/PROTOCOL.md section 4), so up() may send everything again. FAILING is HELD past the I/O
 * timeout. In REFUSED, I/O fails because another disk answers to the name, or one that grants less
 * than the device was made for; the session goes on trying until a login is accepted. REVOKED
 * follows a refusal that is proved and final: I/O fails, nothing of the session is sent any more,
 * and only detach ends it.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>

#include "../../netlink/netlink.h"
#include "backoff.h"
#include "session.h"

static unsigned int retry_base_ms = 500;
module_param(retry_base_ms, uint, 0644);
MODULE_PARM_DESC(retry_base_ms, "first delay of a reconnect, doubled with every failure");
static unsigned int retry_cap_ms = 10000;
module_param(retry_cap_ms, uint, 0644);
MODULE_PARM_DESC(retry_cap_ms, "longest delay between reconnects");

void cw_client_down(struct cw_link *link)
{
	struct cw_session *s = cw_link_session(link);

	set_bit(CW_SESSION_LOST, &s->flags);
	wake_up_all(&s->arrived);
	mod_delayed_work(cw_client_wq, &s->work, 0);
}

void cw_session_kick(struct cw_session *s, const char *why)
{
	WRITE_ONCE(s->kicked, why);
	set_bit(CW_SESSION_LOST, &s->flags);
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

/* ---- the end of a connection ---- */

/* Dumps look at links under stats_lock; what is freed is out of their sight first. */
static void cw_session_free_links(struct cw_session *s)
{
	struct cw_link *link;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->links); i++) {
		link = s->links[i];
		if (!link)
			continue;
		cw_link_drain(link);
		mutex_lock(&s->stats_lock);
		cw_stats_add(&s->past, &link->stats);
		s->links[i] = NULL;
		mutex_unlock(&s->stats_lock);
		cw_link_free(link);
	}
	link = s->control;
	WRITE_ONCE(s->control, NULL);
	cw_link_free(link);
	s->nr_links = 0;
}

/* The reason of the link that died first is the reason of the loss. */
static void cw_session_find_reason(struct cw_session *s)
{
	const char *kicked = READ_ONCE(s->kicked);
	unsigned int i;

	if (kicked) {
		cw_session_say(s, -ETIMEDOUT, "%s", kicked);
		return;
	}
	if (s->control && test_bit(1, &s->control->dead) && s->control->error != -ECONNRESET) {
		cw_session_say(s, s->control->error, "%s", s->control->reason);
		return;
	}
	for (i = 0; i < s->nr_links; i++) {
		if (s->links[i] && test_bit(1, &s->links[i]->dead)) {
			cw_session_say(s, s->links[i]->error, "%s", s->links[i]->reason);
			return;
		}
	}
	if (s->control && test_bit(1, &s->control->dead))
		cw_session_say(s, s->control->error, "%s", s->control->reason);
}

void cw_session_tear_down(struct cw_session *s)
{
	unsigned int i;

	lockdep_assert_held(&s->lock);
	s->ops->stop(s);
	/* All links first, so that none waits for another's timeout. */
	for (i = 0; i < s->nr_links; i++)
		cw_link_kill(s->links[i], -ESHUTDOWN, "closed here");
	if (s->control)
		cw_link_kill(s->control, -ESHUTDOWN, "closed here");
	/*
	 * The rkey of a request leads to memory only through the link of the request, which has a
	 * protection domain of its own. So the server's access ends with the drain of that link.
	 * The control link is drained too, because its last messages are read below.
	 */
	for (i = 0; i < s->nr_links; i++)
		cw_link_drain(s->links[i]);
	if (s->control)
		cw_link_drain(s->control);
	s->ops->reap(s);
	cw_session_take_letters(s); /* one may have come just before the end */
	cw_session_free_links(s);
}

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
	bool first = s->state == CW_STATE_LIVE;

	cw_session_find_reason(s);
	cw_session_change(s, CW_STATE_HELD);
	pr_warn_ratelimited("causeway: %s/%s: connection lost: %s\n", s->config.server,
			    s->config.name, s->reason);
	cw_event(CW_EVENT_DOWN, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s", s->reason);
	if (first)
		s->failing_at = jiffies + cw_timeout_jiffies(s->config.io_timeout);
	cw_session_tear_down(s);
	cw_session_retry_later(s);
}

static void cw_session_went_live(struct cw_session *s)
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
		s->device, s->nr_links);
	s->ops->up(s, new_instance);
	cw_event(CW_EVENT_UP, CW_ROLE_CLIENT, s->config.server, s->config.name, "live over %s",
		 s->device);
	queue_delayed_work(cw_client_wq, &s->watch, msecs_to_jiffies(s->welcome.probe_ms));
}

/* Another disk, or a lesser one, answers to the name: the device's I/O fails meanwhile. */
static void cw_session_refused(struct cw_session *s, bool again)
{
	cw_session_change(s, CW_STATE_REFUSED);
	WRITE_ONCE(s->refused, true);
	if (again)
		return;
	pr_err("causeway: %s/%s: %s\n", s->config.server, s->config.name, s->reason);
	if (s->error == -EREMCHG)
		cw_event(CW_EVENT_ANOTHER_DISK, CW_ROLE_CLIENT, s->config.server, s->config.name,
			 "%s", s->reason);
	s->ops->fail(s);
}

/* The server refused the session for good. The device's I/O fails until it is detached. */
static void cw_session_revoked(struct cw_session *s)
{
	cw_session_change(s, CW_STATE_REVOKED);
	s->may_be_kept = false;
	cw_inbox_empty(&s->inbox);
	cw_reserve_empty(&s->reserve);
	pr_err("causeway: %s/%s: %s; detach it\n", s->config.server, s->config.name, s->reason);
	s->ops->fail(s);
	cw_event(CW_EVENT_REVOKED, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s",
		 s->reason);
}

static void cw_session_attempt(struct cw_session *s)
{
	enum cw_state before = s->state;
	int ret;

	if (!cw_session_change(s, CW_STATE_CONNECTING))
		return;
	s->attempts++;
	s->began_at = jiffies;
	s->epoch++;
	clear_bit(CW_SESSION_LOST, &s->flags);
	WRITE_ONCE(s->kicked, NULL);
	/* A message may have come after the last attempt gave up, before its link was drained. */
	cw_inbox_empty(&s->inbox);
	ret = cw_session_connect(s);
	if (!ret) {
		cw_reserve_empty(&s->reserve);
		cw_session_went_live(s);
		return;
	}
	cw_session_free_links(s);
	if (s->refusal) {
		cw_session_revoked(s);
		return;
	}
	cw_event(CW_EVENT_ATTEMPT_FAILED, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s",
		 s->reason);
	if (ret == -EREMCHG || ret == -EMEDIUMTYPE || before == CW_STATE_REFUSED) {
		cw_session_refused(s, before == CW_STATE_REFUSED);
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
	unsigned int noio;

	/* Memory may be full of what waits for this very disk. */
	noio = memalloc_noio_save();
	mutex_lock(&s->lock);
	if (test_bit(CW_SESSION_CLOSE, &s->flags)) {
		/* cw_session_close() does the rest. */
	} else if (s->state == CW_STATE_LIVE) {
		cw_session_take_letters(s);
		if (test_and_clear_bit(CW_SESSION_LOST, &s->flags))
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
		if (s->state == CW_STATE_LIVE && test_bit(CW_SESSION_LOST, &s->flags))
			mod_delayed_work(cw_client_wq, &s->work, 0);
	}
	mutex_unlock(&s->lock);
	memalloc_noio_restore(noio);
	complete_all(&s->first);
}
