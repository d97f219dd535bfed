// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks that the server of a live path is alive.
 *
 * Each message is a sign of life of its link. A silent link is probed in rounds, and is killed
 * after a number of rounds that brought nothing. Nothing else reports a queue pair whose adapter
 * forgot to send. Data links are judged while commands are outstanding on them, in short rounds:
 * another path can have the commands soon. The control link is judged in rounds of probe_ms.
 *
 * While no command is outstanding on a path, the watch comes for the control link alone, and the
 * first command calls cw_path_busy(). If both miss each other, the watch comes after probe_ms.
 */
#include "path.h"
#include "probing.h"

static unsigned int fast_probe_ms = 100;
module_param(fast_probe_ms, uint, 0644);
MODULE_PARM_DESC(fast_probe_ms,
		 "client: milliseconds of silence after which a data link with outstanding commands is probed; it counts as dead after eight times as long (default 100)");

/* The time of a short round, in milliseconds. */
static u32 cw_path_round_ms(const struct cw_path *p)
{
	return clamp(READ_ONCE(fast_probe_ms), 10U, p->grants.probe_ms);
}

static bool cw_path_round_is_late(unsigned long due, u32 interval_ms)
{
	unsigned long now = jiffies;

	return time_after(now, due) &&
	       cw_probing_is_late(now - due, msecs_to_jiffies(interval_ms));
}

static void cw_path_judge(struct cw_link *link, unsigned long since, bool late, u32 limit)
{
	unsigned long last = READ_ONCE(link->last_rx);

	switch (cw_probing_round(&link->silent_rounds, time_after_eq(last, since), late, limit)) {
	case CW_PROBING_DEAD:
		cw_link_kill(link, -ETIMEDOUT, "the server was silent on %s link %u for %u ms",
			     link->kind == CW_LINK_CONTROL ? "control" : "data", link->index,
			     jiffies_to_msecs(jiffies - last));
		break;
	case CW_PROBING_ASK:
		cw_link_probe(link, 0);
		break;
	case CW_PROBING_ALIVE:
		break;
	}
}

static void cw_path_watch_control(struct cw_path *p)
{
	u32 probe_ms = p->grants.probe_ms;
	bool late;

	if (time_before(jiffies, p->control_due))
		return;
	late = cw_path_round_is_late(p->control_due, probe_ms);
	cw_path_judge(p->control, p->control_watched, late, p->grants.dead_ms / probe_ms);
	p->control_watched = jiffies;
	p->control_due = jiffies + msecs_to_jiffies(probe_ms);
}

/* Judges the links on which commands are outstanding. Returns false if there are none. */
static bool cw_path_watch_data(struct cw_path *p, bool late)
{
	u32 limit = min(CW_PROBING_ROUNDS, p->grants.dead_ms / cw_path_round_ms(p));
	bool busy = false;
	unsigned int i;

	for (i = 0; i < p->nr_links; i++) {
		struct cw_link *link = p->links[i];

		if (!cw_link_waits(link)) {
			link->silent_rounds = 0;
			continue;
		}
		busy = true;
		/* The thread that polls may be asleep while answers wait for it. */
		if (link->polled)
			cw_link_poll(link);
		cw_path_judge(link, p->watched, late, limit);
	}
	return busy;
}

/* Plans the next round, which is due in @delay jiffies. */
static void cw_path_watch_in(struct cw_path *p, unsigned long delay)
{
	WRITE_ONCE(p->watch_due, jiffies + delay);
	queue_delayed_work(cw_client_wq, &p->watch, delay);
}

void cw_path_watch_begin(struct cw_path *p)
{
	lockdep_assert_held(&p->session->lock);
	p->watched = jiffies;
	p->control_watched = jiffies;
	p->control_due = jiffies + msecs_to_jiffies(p->grants.probe_ms);
	WRITE_ONCE(p->idle, false);
	cw_path_watch_in(p, msecs_to_jiffies(cw_path_round_ms(p)));
}

void cw_path_busy(struct cw_path *p)
{
	unsigned long delay = msecs_to_jiffies(cw_path_round_ms(p));

	WRITE_ONCE(p->idle, false);
	WRITE_ONCE(p->watch_due, jiffies + delay);
	mod_delayed_work(cw_client_wq, &p->watch, delay);
}
EXPORT_SYMBOL_GPL(cw_path_busy);

void cw_path_watch(struct work_struct *work)
{
	struct cw_path *p = container_of(to_delayed_work(work), struct cw_path, watch);
	u32 round_ms;
	bool late;

	/* A watch of an earlier connection does not wait for the lock of an attempt. */
	if (READ_ONCE(p->state) != CW_PATH_LIVE)
		return;
	mutex_lock(&p->lock);
	if (p->state != CW_PATH_LIVE || test_bit(CW_SESSION_CLOSE, &p->session->flags)) {
		mutex_unlock(&p->lock);
		return;
	}
	mutex_lock(&p->session->lock);
	cw_session_send_fences(p->session); /* for those that found no room in a control link */
	mutex_unlock(&p->session->lock);

	round_ms = cw_path_round_ms(p);
	late = cw_path_round_is_late(READ_ONCE(p->watch_due), round_ms);
	cw_path_watch_control(p);
	/* A command that was sent before this is seen below, a later one finds the path idle. */
	WRITE_ONCE(p->idle, true);
	smp_mb(); /* the mark against the commands; a command that misses both waits for probe_ms */
	if (cw_path_watch_data(p, late)) {
		WRITE_ONCE(p->idle, false);
		cw_path_watch_in(p, msecs_to_jiffies(round_ms));
	} else {
		cw_path_watch_in(p, max(p->control_due - jiffies, 1UL));
	}
	p->watched = jiffies;
	mutex_unlock(&p->lock);
}
