// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ends rails: one alone, or all of them.
 *
 * A queue pair may fail in any context. If another rail is live, the dead one is reaped: it is
 * drained and taken out of use, and the calls that were sent on it and have no reply are sent again
 * on the others. Calls on other rails are not affected. If no rail is live, SunRPC closes the
 * transport, wakes all calls, and connects again.
 *
 * The reaper holds the transport (XPRT_LOCKED), so that meanwhile no call is sent and no connection
 * is made or closed. If the transport is free, the reaper takes it at once. Otherwise the holder
 * passes it on at release: see cwrc_release_xprt().
 *
 * How one call is sent again: SunRPC sends a call again if its connect_cookie differs from the
 * transport's. So the reaper makes it differ and wakes the task with -ENOTCONN, as
 * xprt_disconnect_done() does for all tasks. A task that does not sleep yet compares the cookies
 * before it does (xprt_request_wait_receive()), under the queue_lock that the reaper holds.
 */
#include <linux/sched/mm.h>

#include "call.h"
#include "rails.h"
#include "open.h"
#include "reap.h"

/* ---- calls of ended rails ---- */

static void cwrc_resend(struct rpc_xprt *xprt, struct rpc_rqst *rqst)
{
	struct rpc_task *task = rqst->rq_task;

	spin_lock(&xprt->queue_lock);
	rqst->rq_connect_cookie = xprt->connect_cookie - 1;
	/*
	 * If the task has timed out already, it is not changed: a timeout sends the call again,
	 * too.
	 */
	spin_lock(&xprt->pending.lock);
	if (RPC_IS_QUEUED(task) && task->tk_waitqueue == &xprt->pending)
		task->tk_status = -ENOTCONN;
	spin_unlock(&xprt->pending.lock);
	rpc_wake_up_queued_task(&xprt->pending, task);
	spin_unlock(&xprt->queue_lock);
}

/* True if a rail in use has its queue pair on this device. */
static bool cwrc_uses_device(const struct cwrc_transport *t, const struct ib_device *ib)
{
	u32 i;

	for (i = 0; i < CWRC_RAILS; i++) {
		const struct cwrc_connection *conn = READ_ONCE(t->rail[i]);

		if (conn && conn->ib == ib)
			return true;
	}
	return false;
}

/*
 * Called after the drain of @conn, or of all rails if @conn is NULL. Unmaps the memory of calls if
 * no rail on the device is left, and marks the calls that were sent there as not sent. Such a call
 * returns its credit: another rail, or the next connection, has credit of its own.
 *
 * A call with an rqst keeps it, and its task, until calls_lock is released (cwrc_buf_free()). The
 * connection of a call in CWRC_SENT is not freed.
 */
static void cwrc_detach_calls(struct cwrc_transport *t, const struct cwrc_connection *conn)
{
	struct rpc_xprt *xprt = &t->xprt;
	bool unmap = !conn || !cwrc_uses_device(t, conn->ib);
	struct cwrc_call *call;

	spin_lock(&xprt->transport_lock);
	spin_lock(&t->calls_lock);
	list_for_each_entry(call, &t->calls, entry) {
		struct rpc_rqst *rqst = call->rqst;
		bool sent;

		if (unmap && (!conn || call->mapped_for == conn->ib))
			cwrc_call_unmap(call);
		if (!rqst)
			continue;
		sent = (!conn || call->connection == conn) &&
		       atomic_cmpxchg(&call->state, CWRC_SENT, CWRC_NEW) == CWRC_SENT;
		if (sent) {
			t->unanswered += !call->unanswered;
			call->unanswered = true;
			atomic_dec(&t->info.calls);
		}
		if (rqst->rq_cong && (sent || !conn)) {
			rqst->rq_cong = 0;
			xprt->cong -= RPC_CWNDSCALE;
		}
		if (conn && sent)
			cwrc_resend(xprt, rqst);
	}
	spin_unlock(&t->calls_lock);
	cwrc_rails_set_window(t);
	spin_unlock(&xprt->transport_lock);
}

/* ---- the end of one rail ---- */

static void cwrc_reap_rail(struct cwrc_connection *conn)
{
	struct cwrc_transport *t = conn->transport;

	pr_info_ratelimited("causeway: nfs server %s: queue pair %u of %u was lost, its calls go by the others: %s\n",
			    t->xprt.address_strings[RPC_DISPLAY_ADDR], conn->index + 1, t->rails,
			    conn->reason);
	/*
	 * Remaining users: its completions and own works, which the drain ends; RPCs that end
	 * without a reply, which see under regions_lock that their regions are gone; loops over all
	 * rails, until it is unpublished; calls in CWRC_SENT, until they are detached.
	 */
	cwrc_connection_drain(conn);
	cwrc_rail_show(conn, CWR_BROKEN, cwrc_rail_set_aside(conn));
	cwrc_rail_unpublish(conn);
	cwrc_detach_calls(t, conn);
	cwrc_connection_free(conn);
	/* A call may be waiting for a region of this rail. */
	xprt_write_space(&t->xprt);
}

static void cwrc_reap(struct cwrc_transport *t)
{
	struct cwrc_connection *dead[CWRC_RAILS];
	u32 i, count = 0;
	bool live = false;

	for (i = 0; i < CWRC_RAILS; i++) {
		struct cwrc_connection *conn = READ_ONCE(t->rail[i]);

		if (!conn)
			continue;
		if (READ_ONCE(conn->ep.state) == CW_EP_DEAD)
			dead[count++] = conn;
		else
			live = true;
	}
	if (count && !live) {
		xprt_force_disconnect(&t->xprt); /* takes effect when the transport is released */
		return;
	}
	for (i = 0; i < count; i++)
		cwrc_reap_rail(dead[i]);
	if (count) {
		cwrc_rails_show(t);
		cwrc_open_missing(t);
	}
}

/* ---- holding the transport ---- */

/* Takes the transport. False: it is held; its holder queues the reaper again on release. */
static bool cwrc_reap_take(struct cwrc_transport *t)
{
	struct rpc_xprt *xprt = &t->xprt;
	bool held;

	spin_lock(&xprt->transport_lock);
	held = t->reap_holds || !test_and_set_bit(XPRT_LOCKED, &xprt->state);
	t->reap_holds = false;
	t->reap_waits = !held;
	spin_unlock(&xprt->transport_lock);
	return held;
}

void cwrc_release_xprt(struct rpc_xprt *xprt, struct rpc_task *task)
{
	struct cwrc_transport *t = cwrc_transport_of(xprt);

	lockdep_assert_held(&xprt->transport_lock);
	if (unlikely(t->reap_waits) && xprt->snd_task == task) {
		/* XPRT_LOCKED stays set, on behalf of the reaper. */
		xprt->snd_task = NULL;
		t->reap_waits = false;
		t->reap_holds = true;
		queue_work(cwrc_workqueue, &t->reap);
		return;
	}
	xprt_release_xprt_cong(xprt, task);
}

void cwrc_reap_work(struct work_struct *work)
{
	struct cwrc_transport *t = container_of(work, struct cwrc_transport, reap);
	unsigned int noio = memalloc_noio_save();
	struct rpc_xprt *xprt = &t->xprt;

	if (cwrc_reap_take(t)) {
		cwrc_reap(t);
		spin_lock(&xprt->transport_lock);
		xprt->ops->release_xprt(xprt, NULL);
		spin_unlock(&xprt->transport_lock);
		/*
		 * xprt_destroy() may wait for the bit. @xprt still exists, because cwrc_destroy()
		 * then waits for this work.
		 */
		wake_up_bit(&xprt->state, XPRT_LOCKED);
	}
	memalloc_noio_restore(noio);
}

/* ---- the end of all rails ---- */

bool cwrc_rails_close(struct cwrc_transport *t, int *error)
{
	struct cwrc_connection *rail[CWRC_RAILS];
	u32 i, count = 0;

	*error = 0;
	cwrc_stop_opening(t);
	for (i = 0; i < CWRC_RAILS; i++) {
		struct cwrc_connection *conn = t->rail[i];

		if (!conn)
			continue;
		rail[count++] = conn;
		if (READ_ONCE(conn->ep.state) == CW_EP_DEAD && conn->error && !*error) {
			*error = conn->error;
			cwr_connection_failed_with(&t->info, conn->error, conn->reason);
			pr_info_ratelimited("causeway: nfs server %s: the connection was lost: %s\n",
					    t->xprt.address_strings[RPC_DISPLAY_ADDR],
					    conn->reason);
		}
		cwrc_connection_drain(conn);
		cwrc_rail_show(conn, CWR_BROKEN, 0);
		cwrc_rail_unpublish(conn);
	}
	cwrc_detach_calls(t, NULL);
	for (i = 0; i < count; i++)
		cwrc_connection_free(rail[i]);
	return count;
}
