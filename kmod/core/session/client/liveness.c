// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks that the server of a live path is alive.
 *
 * Each message is a sign of life of its link. A silent link is probed in rounds, and is killed
 * after a number of rounds that brought nothing. Nothing else reports a queue pair whose adapter
 * forgot to send. The control link, and data links with outstanding commands, are judged in rounds
 * of probe_ms.
 *
 * While a path has outstanding commands or carries a fence, and another path is live, which can
 * have the commands soon, the control link is also judged in short rounds. Data links are not: the
 * answer to a probe may wait there behind many transfers of a slow network.
 *
 * While a path has nothing outstanding, the watch comes in rounds of probe_ms, and the first
 * command calls cw_path_busy(). If both miss each other, the watch comes after probe_ms.
 *
 * The probes of a control link also measure its round trip. The disk compares its paths by that
 * time while they have no commands. So each round probes the control link of an idle path if the
 * session has another path.
 */
#include <linux/ktime.h>

#include "liveness.h"
#include "path_list.h"

static unsigned int fast_probe_ms = 100;
module_param(fast_probe_ms, uint, 0644);
MODULE_PARM_DESC(fast_probe_ms,
		 "client: milliseconds of silence after which a server is probed while I/O waits on one of several paths; the path is given up after eight times as long (default 100)");

/* The time of a short round, in milliseconds. */
static u32 cw_path_round_ms(const struct cw_path *p)
{
	u32 least = max(10U, jiffies_to_msecs(4));

	/*
	 * A segment of TCP that was lost is sent again after 200 ms and a round trip, and once more
	 * after twice that. The PROBEs wait for it, so the rounds take longer than both together,
	 * and the round trip of the answer. The unit of rtt is 1024 ns.
	 */
	if (p->factory->transport == CW_TRANSPORT_TCP)
		least = DIV_ROUND_UP(700 + 4 * (READ_ONCE(p->rtt) >> 10), CW_PROBING_ROUNDS - 1);

	return min(max(READ_ONCE(fast_probe_ms), least), p->grants.probe_ms);
}

static bool cw_path_round_is_late(unsigned long due, u32 interval_ms)
{
	unsigned long now = jiffies;

	return time_after(now, due) &&
	       cw_probing_is_late(now - due, msecs_to_jiffies(interval_ms));
}

int cw_path_probe(struct cw_path *p)
{
	return cw_link_probe(p->control, ktime_get_ns() - p->measured_from);
}

void cw_path_alive(struct cw_link *link, u64 cookie)
{
	struct cw_path *p = cw_link_path(link);
	u64 now = ktime_get_ns() - p->measured_from;

	/* The probes of a login have no cookie. */
	if (!cookie || cookie > now)
		return;
	WRITE_ONCE(p->rtt, clamp_t(u64, (now - cookie) >> 10, 1, U32_MAX));
	WRITE_ONCE(p->alives, p->alives + 1); /* written here alone */
	if (READ_ONCE(p->asked)) {
		smp_mb__before_atomic(); /* alives before the bit: see cw_path_do_flags() */
		set_bit(CW_PATH_ANSWERED, &p->flags);
		cw_path_call(p);
	}
}

/* Returns true if @link was probed. */
static bool cw_path_judge(struct cw_link *link, struct cw_probing *probing, bool late, u32 limit)
{
	unsigned long last = READ_ONCE(link->last_rx);
	bool heard = last != probing->last;

	probing->last = last;
	switch (cw_probing_round(&probing->rounds, heard, late, limit)) {
	case CW_PROBING_DEAD:
		cw_link_kill(link, -ETIMEDOUT, "the server was silent on %s link %u for %u ms",
			     link->kind == CW_LINK_CONTROL ? "control" : "data", link->index,
			     jiffies_to_msecs(jiffies - last));
		return false;
	case CW_PROBING_ASK:
		if (link->kind == CW_LINK_CONTROL)
			cw_path_probe(cw_link_path(link));
		else
			cw_link_probe(link, 0);
		return true;
	case CW_PROBING_ALIVE:
		break;
	}
	return false;
}

/* Returns true if the control link was probed. */
static bool cw_path_long_round(struct cw_path *p)
{
	u32 probe_ms = p->grants.probe_ms, limit = p->grants.dead_ms / probe_ms;
	bool late = cw_path_round_is_late(p->round_due, probe_ms);
	unsigned int i;
	bool probed;

	probed = cw_path_judge(p->control, &p->control->probing, late, limit);
	for (i = 0; i < p->nr_links; i++) {
		struct cw_link *link = p->links[i];

		if (cw_link_waits(link))
			cw_path_judge(link, &link->probing, late, limit);
		else
			link->probing.rounds = 0;
	}
	p->round_due = jiffies + msecs_to_jiffies(probe_ms);
	return probed;
}

static void cw_path_short_round(struct cw_path *p)
{
	u32 round_ms = cw_path_round_ms(p);
	bool late = cw_path_round_is_late(READ_ONCE(p->watch_due), round_ms);

	/* Without another live path, nothing is won by an early end of this one. */
	if (!cw_session_has_live_path(p->session, p))
		p->probing.rounds = 0;
	else
		cw_path_judge(p->control, &p->probing, late,
			      min(CW_PROBING_ROUNDS, p->grants.dead_ms / round_ms));
}

bool cw_path_has_commands(struct cw_path *p)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < p->nr_links; i++) {
		if (!cw_link_waits(p->links[i]))
			continue;
		any = true;
		if (p->links[i]->polled)
			cw_link_poll(p->links[i]);
	}
	return any;
}

/* Plans the next look, which is due in @delay jiffies. */
static void cw_path_watch_in(struct cw_path *p, unsigned long delay)
{
	WRITE_ONCE(p->watch_due, jiffies + delay);
	queue_delayed_work(cw_client_wq, &p->watch, delay);
}

void cw_path_watch_begin(struct cw_path *p)
{
	lockdep_assert_held(&p->session->lock);
	p->probing.rounds = 0;
	p->round_due = jiffies + msecs_to_jiffies(p->grants.probe_ms);
	WRITE_ONCE(p->idle, false);
	p->measured_from = ktime_get_ns() - 1; /* no cookie is zero */
	WRITE_ONCE(p->rtt, 0);
	if (cw_session_has_other_path(p, false))
		cw_path_probe(p);
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
	unsigned long now, round = msecs_to_jiffies(p->grants.probe_ms);
	bool busy, carries, is_round, probed = false;

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
	carries = cw_path_carries_fence(p);
	mutex_unlock(&p->session->lock);

	is_round = time_after_eq(jiffies, p->round_due);
	if (is_round)
		probed = cw_path_long_round(p);
	/* A command that was sent before this is seen below, a later one finds the path idle. */
	WRITE_ONCE(p->idle, true);
	smp_mb(); /* the mark against the commands; a command that misses both waits for probe_ms */
	busy = cw_path_has_commands(p) || carries;
	if (busy) {
		WRITE_ONCE(p->idle, false);
		cw_path_short_round(p);
		round = msecs_to_jiffies(cw_path_round_ms(p));
	} else {
		p->probing.rounds = 0;
		if (is_round && !probed && cw_session_has_other_path(p, false))
			cw_path_probe(p);
	}
	now = jiffies;
	cw_path_watch_in(p, time_before(now, p->round_due) ? min(round, p->round_due - now) : 1);
	mutex_unlock(&p->lock);
}
