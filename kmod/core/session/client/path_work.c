// SPDX-License-Identifier: GPL-2.0-only
/*
 * The works of a path, which hold its lock: they connect it, handle its control messages, flush its
 * links when it begins to stand by, look at the ranks when it has answered, and end its connection
 * after a loss. The work of the session decides when a path connects (work.c).
 *
 * An attempt to connect may take half a minute, so it has a work and a workqueue of its own: many
 * attempts delay no control message and no loss of a live path. While an attempt runs, the other
 * works of the path have nothing to do: the login takes its messages itself, and what happens to a
 * link meanwhile is handled when the path is live.
 *
 * With CW_SESSION_CLOSE set, no work queues another. The bit is set under s->lock, and the works
 * test it under that lock, and after they have the lock of the path.
 */
#include <linux/sched/mm.h>

#include "../../netlink/netlink.h"
#include "liveness.h"
#include "path_list.h"
#include "ranks.h"

/* ---- callbacks of links ---- */

void cw_path_call(struct cw_path *p)
{
	wake_up_all(&p->arrived);
	/* The message or the flag against the state: see cw_path_went_live(). */
	smp_mb();
	if (READ_ONCE(p->state) == CW_PATH_LIVE &&
	    !test_bit(CW_SESSION_CLOSE, &p->session->flags))
		queue_work(cw_client_wq, &p->work);
}

void cw_client_down(struct cw_link *link)
{
	struct cw_path *p = cw_link_path(link);

	/* An attempt sees the death of the link that it makes, and may make another one instead. */
	if (READ_ONCE(p->making) != link)
		set_bit(CW_PATH_LOST, &p->flags);
	cw_path_call(p);
}

void cw_session_kick(struct cw_session *s, struct cw_path *p, const char *why)
{
	WRITE_ONCE(p->kicked, why);
	set_bit(CW_PATH_LOST, &p->flags);
	cw_path_call(p);
}
EXPORT_SYMBOL_GPL(cw_session_kick);

/* ---- an attempt to connect ---- */

/* Returns false if the path has nothing to do. */
static bool cw_path_begin(struct cw_path *p)
{
	struct cw_session *s = p->session;
	bool begins;

	mutex_lock(&s->lock);
	begins = !test_bit(CW_SESSION_CLOSE, &s->flags) && p->role &&
		 cw_path_change(p, CW_PATH_CONNECTING);
	if (begins) {
		s->began_at = jiffies;
		p->restarted = false;
	}
	mutex_unlock(&s->lock);
	if (begins)
		pr_debug("causeway: %s/%s: path %u: connecting to %pISpc\n", s->config.server,
			 s->config.name, p->number, &p->address);
	return begins;
}

/* Returns false if another thread gave the attempt up. */
static bool cw_path_went_live(struct cw_path *p)
{
	struct cw_session *s = p->session;
	bool live;

	mutex_lock(&s->lock);
	live = !p->leaving && cw_path_change(p, CW_PATH_LIVE);
	if (!live) {
		mutex_unlock(&s->lock);
		return false;
	}
	p->refused = false;
	p->failed = false;
	p->reaped = false;
	cw_path_begin_settling(p);
	if (p->role == CW_PATH_LOGIN)
		cw_session_went_live(s, p);
	else
		cw_session_joined(s, p);
	p->role = CW_PATH_NO_ROLE;
	if (!test_bit(CW_SESSION_CLOSE, &s->flags)) {
		/*
		 * For the messages and losses since the login: cw_path_call() queued no work for
		 * them. queue_work() orders the state before the work's look at them.
		 */
		queue_work(cw_client_wq, &p->work);
		cw_path_watch_begin(p);
	}
	mutex_unlock(&s->lock);
	cw_reserve_empty(&p->reserve);
	return true;
}

static void cw_path_failed(struct cw_path *p, int err)
{
	struct cw_session *s = p->session;

	pr_debug("causeway: %s/%s: path %u: not connected: %s (%d)\n", s->config.server,
		 s->config.name, p->number, p->reason, err);
	mutex_lock(&s->lock);
	if (cw_path_change(p, CW_PATH_DYING))
		p->failed = true;
	mutex_unlock(&s->lock);
	cw_path_free_links(p);
	mutex_lock(&s->lock);
	p->refused = err == -EREMCHG || err == -EMEDIUMTYPE;
	cw_path_change(p, CW_PATH_DOWN);
	if (p->role == CW_PATH_LOGIN) {
		cw_session_login_failed(s, p);
	} else {
		pr_info_ratelimited("causeway: %s/%s: path %u: %s\n", s->config.server,
				    s->config.name, p->number, p->reason);
		cw_session_join_later(s, p);
	}
	p->role = CW_PATH_NO_ROLE;
	mutex_unlock(&s->lock);
}

void cw_path_connect_work(struct work_struct *work)
{
	struct cw_path *p = container_of(work, struct cw_path, connect);
	unsigned int noio;
	int ret;

	/* Memory may be full of what waits for this very disk. */
	noio = memalloc_noio_save();
	mutex_lock(&p->lock);
	if (cw_path_begin(p)) {
		clear_bit(CW_PATH_LOST, &p->flags);
		WRITE_ONCE(p->kicked, NULL);
		/*
		 * A message may have come after the last attempt gave up, before its link was
		 * drained.
		 */
		cw_inbox_empty(&p->inbox);
		ret = cw_path_connect(p);
		if (!ret && !cw_path_went_live(p)) {
			ret = -EINTR;
			cw_path_say(p, ret, "interrupted");
		}
		if (ret)
			cw_path_failed(p, ret);
	}
	mutex_unlock(&p->lock);
	memalloc_noio_restore(noio);
}

/* ---- a live path ---- */

/* @last: no other path is live */
static void cw_path_report_loss(struct cw_path *p, bool last)
{
	struct cw_session *s = p->session;

	if (last) {
		pr_warn_ratelimited("causeway: %s/%s: connection lost: %s\n", s->config.server,
				    s->config.name, p->reason);
		cw_event(CW_EVENT_DOWN, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s",
			 p->reason);
	} else {
		pr_warn_ratelimited("causeway: %s/%s: path %u lost: %s\n", s->config.server,
				    s->config.name, p->number, p->reason);
		cw_event(CW_EVENT_PATH_DOWN, CW_ROLE_CLIENT, s->config.server, s->config.name,
			 "path %u: %s", p->number, p->reason);
	}
}

void cw_path_lost(struct cw_path *p)
{
	struct cw_session *s = p->session;
	bool last, carried;

	cw_path_find_reason(p);
	mutex_lock(&s->lock);
	carried = s->ops->carries_io && s->ops->carries_io(s, p);
	p->losses++;
	cw_path_change(p, CW_PATH_DYING);
	cw_path_is_over(p);
	cw_path_stop_carrying(p);
	cw_path_set_fence(p, &p->fence, p->epoch, 0);
	cw_session_lost(s, p);
	last = s->state != CW_STATE_LIVE;
	s->failovers += carried && !last;
	cw_path_report_loss(p, last);
	cw_session_rank(s); /* before the disk stops this path */
	mutex_unlock(&s->lock);
	cw_path_tear_down(p);
	mutex_lock(&s->lock);
	cw_path_change(p, CW_PATH_DOWN);
	if (s->state == CW_STATE_LIVE)
		cw_session_join_later(s, p);
	else
		cw_session_retry_later(s);
	mutex_unlock(&s->lock);
}

/*
 * A link that died when it had just been made set no flag if cw_client_down() still saw it in
 * making. cw_path_went_live() queues the work that finds it here.
 */
static bool cw_path_has_dead_link(const struct cw_path *p)
{
	unsigned int i;

	for (i = 0; i < p->nr_links; i++)
		if (cw_link_is_dead(p->links[i]))
			return true;
	return cw_link_is_dead(p->control);
}

/* A lost path is not flushed: its commands wait for the fence. */
static void cw_path_do_flags(struct cw_path *p)
{
	struct cw_session *s = p->session;
	bool flush = test_and_clear_bit(CW_PATH_FLUSH, &p->flags);
	/* The bit before the look at alives: see cw_path_alive(). */
	bool answered = test_and_clear_bit(CW_PATH_ANSWERED, &p->flags);

	if (test_and_clear_bit(CW_PATH_LOST, &p->flags) || cw_path_has_dead_link(p)) {
		cw_path_lost(p);
		return;
	}
	if (answered) {
		mutex_lock(&s->lock);
		cw_session_rank(s);
		mutex_unlock(&s->lock);
	}
	if (flush)
		cw_path_flush(p);
}

void cw_path_work(struct work_struct *work)
{
	struct cw_path *p = container_of(work, struct cw_path, work);
	unsigned int noio;

	/* An attempt may hold the lock for long. cw_path_went_live() queues this work again. */
	if (READ_ONCE(p->state) != CW_PATH_LIVE)
		return;
	noio = memalloc_noio_save();
	mutex_lock(&p->lock);
	/* When the session closes, cw_session_close() does the rest. */
	if (p->state == CW_PATH_LIVE && !test_bit(CW_SESSION_CLOSE, &p->session->flags)) {
		cw_path_take_letters(p);
		cw_path_do_flags(p);
	}
	mutex_unlock(&p->lock);
	memalloc_noio_restore(noio);
}
