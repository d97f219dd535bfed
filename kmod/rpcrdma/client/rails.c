// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue pairs of a transport, in places called rails. Chooses the rail for a call, and sets the
 * window of credits.
 *
 * SunRPC sees one connection with one window, the sum of the credits that the server grants on each
 * rail. Each rail has its own completion vector. open.c opens rails, reap.c ends them.
 *
 * States of rail i, and who may change them:
 *
 *   from     to       when, and by whom
 *   absent   live     the first rail of a connection: the connecting work (transport held)
 *   absent   live     the opening work, once past[i].retry_at has come
 *   live     dead     the endpoint, in any context: its queue pair failed
 *   dead     absent   the reaper (transport held), if another rail is live
 *   any      absent   SunRPC's close of the whole transport (transport held)
 *
 * Fields and their locks:
 *
 *   rail[i]           set under rails_lock; cleared under rails_lock and xprt.transport_lock, by
 *                     the holder of the transport. So a rail that was found stays while the
 *                     finder holds any of the three.
 *   past[i]           rails_lock
 *   opens, opening    rails_lock; read without it as a hint
 *   rails             written under rails_lock
 *   next_rail, bind_rail, source, suspect, named_from, local, by_rule, opened
 *                     the holder of the transport; the opening work reads local and source, which
 *                     do not change while it may run
 *   unanswered        calls_lock
 *   reap_waits, reap_holds, orphans, xprt.cwnd
 *                     xprt.transport_lock
 */
#include <linux/sunrpc/addr.h>

#include "rails.h"
#include "trace.h"

#define CWRC_FORGIVEN (600 * HZ) /* a rail that lived so long has its past failures forgotten */
#define CWRC_PAUSE_FIRST (1UL * HZ) /* before a rail that failed again is opened; doubles */
#define CWRC_PAUSE_MOST (300UL * HZ)

/* ---- choosing a rail ---- */

/* A hint: a call on a rail that has just died is sent again anyway; this avoids the detour. */
static bool cwrc_rail_is_live(const struct cwrc_connection *conn)
{
	return READ_ONCE(conn->ep.state) != CW_EP_DEAD;
}

/*
 * Chooses, among the rails with credit, the one that owes the fewest replies, and among equal ones
 * the next in turn: a new rail has one credit and gets more only when it is used. The calls that
 * hold credit of the window may be more than all rails grant now (a grant may shrink); then the
 * rail least above its credit is chosen. A dead rail is chosen only if all are dead.
 */
struct cwrc_connection *cwrc_rail_pick(struct cwrc_transport *t)
{
	struct cwrc_connection *best = NULL, *spare = NULL, *dead = NULL;
	int least = INT_MAX, most = INT_MIN;
	u32 rails = READ_ONCE(t->rails);
	u32 i;

	if (rails == 1)
		return t->rail[0];
	for (i = 0; i < rails; i++) {
		struct cwrc_connection *conn = READ_ONCE(t->rail[(t->next_rail + i) % rails]);
		int owed, room;

		if (!conn)
			continue;
		if (!cwrc_rail_is_live(conn)) {
			dead = conn;
			continue;
		}
		owed = atomic_read(&conn->owed);
		room = (int)READ_ONCE(conn->credits) - owed;
		if (room > 0 && owed < least) {
			least = owed;
			best = conn;
		}
		if (room > most) {
			most = room;
			spare = conn;
		}
	}
	best = best ?: spare ?: dead;
	if (best)
		t->next_rail = best->index + 1;
	return best;
}

struct cwrc_connection *cwrc_rail_in_turn(struct cwrc_transport *t)
{
	u32 rails = READ_ONCE(t->rails);
	u32 i;

	for (i = 0; i < rails; i++) {
		struct cwrc_connection *conn = READ_ONCE(t->rail[t->bind_rail++ % rails]);

		if (conn)
			return conn;
	}
	return NULL;
}

struct cwrc_connection *cwrc_rail_from(struct cwrc_transport *t, const struct sockaddr *local)
{
	struct cwrc_connection *dead = NULL;
	u32 i;

	for (i = 0; i < CWRC_RAILS; i++) {
		struct cwrc_connection *conn = READ_ONCE(t->rail[i]);

		if (!conn ||
		    (local && !rpc_cmp_addr(cwrc_connection_local(conn), local)))
			continue;
		if (cwrc_rail_is_live(conn))
			return conn;
		dead = dead ?: conn;
	}
	return dead;
}

struct cwrc_connection *cwrc_rail_of(struct cwrc_transport *t, u32 number)
{
	u32 i;

	for (i = 0; i < CWRC_RAILS; i++) {
		struct cwrc_connection *conn = READ_ONCE(t->rail[i]);

		if (conn && conn->number == number)
			return conn;
	}
	return NULL;
}

/* ---- credits ---- */

/*
 * Makes tasks that wait for credit check the window again; SunRPC wakes them only when a call that
 * holds credit ends. If the transport is held, its holder wakes the next task on release.
 */
static void cwrc_rails_wake(struct rpc_xprt *xprt)
{
	if (xprt->cong >= xprt->cwnd || !test_and_clear_bit(XPRT_CWND_WAIT, &xprt->state))
		return;
	if (!test_and_set_bit(XPRT_LOCKED, &xprt->state))
		xprt->ops->release_xprt(xprt, NULL);
}

/*
 * An RPC that ends without a reply returns its share of the window. But the server still owes the
 * reply and counts the credit as used until it has sent it. So such replies reduce the window. One
 * call is always allowed: if no such reply ever arrives, the adapter delays that call or ends the
 * connection.
 */
void cwrc_rails_set_window(struct cwrc_transport *t)
{
	struct rpc_xprt *xprt = &t->xprt;
	int granted = 0, orphans, i;

	lockdep_assert_held(&xprt->transport_lock);
	orphans = -atomic_read(&t->info.calls);
	for (i = 0; i < CWRC_RAILS; i++) {
		const struct cwrc_connection *conn = READ_ONCE(t->rail[i]);

		if (!conn)
			continue;
		granted += READ_ONCE(conn->credits);
		orphans += atomic_read(&conn->owed);
	}
	orphans = max(orphans, 0);
	granted = clamp(granted, 1, (int)xprt->max_reqs);
	xprt->cwnd = (unsigned long)max(granted - orphans, 1) << RPC_CWNDSHIFT;
	WRITE_ONCE(t->orphans, orphans);
	WRITE_ONCE(t->info.credits, granted);
	cwrc_rails_wake(xprt);
}

void cwrc_rails_grant(struct cwrc_transport *t, struct cwrc_connection *conn, u32 credits)
{
	spin_lock(&t->xprt.transport_lock);
	WRITE_ONCE(conn->credits, credits);
	cwrc_rails_set_window(t);
	spin_unlock(&t->xprt.transport_lock);
}

/* ---- putting into use and out of use ---- */

int cwrc_rail_publish(struct cwrc_connection *conn, bool first)
{
	struct cwrc_transport *t = conn->transport;
	int ret = 0;

	if (!cwrc_rail_is_live(conn))
		ret = conn->error ?: -ECONNRESET;
	trace_cwrc_open(conn, ret);
	if (ret)
		return ret;
	conn->opened = jiffies;
	spin_lock(&t->rails_lock);
	if (first)
		WRITE_ONCE(t->opens, true);
	if (!t->opens || WARN_ON_ONCE(t->rail[conn->index])) {
		ret = -ESHUTDOWN;
	} else {
		WRITE_ONCE(t->rail[conn->index], conn);
		cwrc_rail_show(conn, CWR_CONNECTED, 0);
		cwrc_connection_establish(conn);
	}
	spin_unlock(&t->rails_lock);
	if (ret)
		return ret;
	spin_lock(&t->xprt.transport_lock);
	cwrc_rails_set_window(t);
	spin_unlock(&t->xprt.transport_lock);
	return 0;
}

void cwrc_rail_unpublish(struct cwrc_connection *conn)
{
	struct cwrc_transport *t = conn->transport;

	spin_lock(&t->rails_lock);
	spin_lock(&t->xprt.transport_lock);
	WRITE_ONCE(t->rail[conn->index], NULL);
	cwrc_rails_set_window(t);
	spin_unlock(&t->xprt.transport_lock);
	spin_unlock(&t->rails_lock);
}

unsigned long cwrc_rail_set_aside(struct cwrc_connection *conn)
{
	struct cwrc_transport *t = conn->transport;
	struct cwrc_past *past = &t->past[conn->index];
	unsigned long pause = 0;

	spin_lock(&t->rails_lock);
	if (time_after_eq(jiffies, conn->opened + CWRC_FORGIVEN))
		past->deaths = 0;
	if (past->deaths)
		pause = min(CWRC_PAUSE_MOST, CWRC_PAUSE_FIRST << min(past->deaths - 1, 16U));
	past->deaths++;
	past->retry_at = jiffies + pause;
	spin_unlock(&t->rails_lock);
	return past->retry_at;
}

/* ---- state for netlink ---- */

void cwrc_rail_show(struct cwrc_connection *conn, enum cwr_state state, unsigned long retry_at)
{
	struct cwrc_transport *t = conn->transport;
	struct cwr_rail rail = { .state = state, .retry_at = retry_at };
	u32 rails = READ_ONCE(t->rails);

	if (rails > CW_NFS_SOURCES || rails == 1 || conn->index >= rails)
		return;
	rail.local = conn->ep.local; /* zero if no address was found */
	if (state == CWR_CONNECTED) {
		rail.device_port = conn->ep.port_num;
		strscpy(rail.device, conn->ib->name, sizeof(rail.device));
	} else {
		strscpy(rail.reason, conn->reason, sizeof(rail.reason));
	}
	cwr_connection_rail(&t->info, conn->index, rails, &rail);
}

void cwrc_rails_show(struct cwrc_transport *t)
{
	struct cwr_connection *info = &t->info;
	struct cwrc_connection *first = NULL;
	unsigned long flags;
	u32 i, open = 0;

	spin_lock(&t->rails_lock);
	for (i = 0; i < CWRC_RAILS; i++) {
		struct cwrc_connection *conn = t->rail[i];

		if (!conn)
			continue;
		open++;
		first = first ?: conn;
		/* The first rail may have been opened before several were wanted. */
		cwrc_rail_show(conn, CWR_CONNECTED, 0);
	}
	spin_lock_irqsave(&info->lock, flags);
	/* An administrator may have changed the address by the dstaddr file in sysfs. */
	memcpy(&info->peer, &t->xprt.addr, sizeof(t->xprt.addr));
	info->queue_pairs = open;
	if (READ_ONCE(t->rails) == 1)
		info->nr_rails = 0;
	if (first) {
		info->local = first->ep.local;
		strscpy(info->device, first->ib->name, sizeof(info->device));
		info->device_port = first->ep.port_num;
		info->inline_send = first->inline_send;
		info->inline_receive = first->inline_receive;
		info->remote_invalidate = first->remote_invalidate;
	}
	spin_unlock_irqrestore(&info->lock, flags);
	spin_unlock(&t->rails_lock);
}
