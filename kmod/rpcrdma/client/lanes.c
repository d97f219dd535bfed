// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue pairs of a transport: lanes.
 *
 * SunRPC sees one connection, made and closed as one, with one window of credits, which is the sum
 * of what the server grants on each lane. Each lane has its completions on a vector of its own.
 *
 * Connecting makes one lane, so that nobody waits for the others; the mending worker adds those
 * that are missing, and tries again now and then while one cannot be made. When a lane breaks, the
 * transport is closed and connects again by what works. So the loss of one of several costs a
 * reconnect, and what had no reply is sent again with everything else.
 *
 * Which local addresses. A rule (rules.h) may name several. A server of NFS 3 and 4.0 knows a call
 * that it ran already by the address that it came from, so a transport of those stays on one
 * address, and goes to another only when no call is without a reply. NFS 4.1 knows calls by their
 * session: once SunRPC sets up a backchannel, lanes are spread over all addresses of the rule.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "../rules.h"
#include "client.h"
#include "trace.h"

#define MEND_AFTER (10 * HZ)

static unsigned int queue_pairs = 1;
module_param(queue_pairs, uint, 0644);
MODULE_PARM_DESC(queue_pairs, "client: queue pairs of a new connection, 1 to 16");

/* ---- which ---- */

/*
 * The one that owes the fewest replies of those with credit, in turn where they are equal: a new
 * lane has one credit, and gets more only by being used. Calls that hold a credit of the window may
 * be more than all lanes grant now (a grant may shrink); then the one that is least beyond.
 */
struct cwrc_connection *cwrc_lane_pick(struct cwrc_transport *t)
{
	struct cwrc_connection *best = NULL, *spare = NULL;
	int least = INT_MAX, most = INT_MIN;
	u32 lanes = READ_ONCE(t->lanes);
	u32 i;

	if (lanes == 1)
		return t->lane[0];
	for (i = 0; i < lanes; i++) {
		struct cwrc_connection *conn = READ_ONCE(t->lane[(t->next_lane + i) % lanes]);
		int owed, room;

		if (!conn)
			continue;
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
	best = best ?: spare;
	if (best)
		t->next_lane = best->index + 1;
	return best;
}

struct cwrc_connection *cwrc_lane_in_turn(struct cwrc_transport *t)
{
	u32 lanes = READ_ONCE(t->lanes);
	u32 i;

	for (i = 0; i < lanes; i++) {
		struct cwrc_connection *conn = READ_ONCE(t->lane[t->bind_lane++ % lanes]);

		if (conn)
			return conn;
	}
	return NULL;
}

struct cwrc_connection *cwrc_lane_of(struct cwrc_transport *t, u32 number)
{
	u32 i;

	for (i = 0; i < CWRC_LANES; i++) {
		struct cwrc_connection *conn = READ_ONCE(t->lane[i]);

		if (conn && conn->number == number)
			return conn;
	}
	return NULL;
}

/* ---- credits ---- */

/*
 * Tasks that wait for credit look at the window again. SunRPC itself wakes them only when a call
 * that holds credit ends. Whoever holds the transport wakes the next task when releasing it.
 */
static void cwrc_lanes_wake(struct rpc_xprt *xprt)
{
	if (xprt->cong >= xprt->cwnd || !test_and_clear_bit(XPRT_CWND_WAIT, &xprt->state))
		return;
	if (!test_and_set_bit(XPRT_LOCKED, &xprt->state))
		xprt->ops->release_xprt(xprt, NULL);
}

/*
 * An RPC that ends without a reply gives its share of the window back, but the server owes the
 * reply still, and counts the credit as used until it has sent it. One call may always go: if no
 * such reply ever comes, it is the adapter that makes it wait, or ends the connection.
 */
void cwrc_lanes_set_window(struct cwrc_transport *t)
{
	struct rpc_xprt *xprt = &t->xprt;
	int granted = 0, orphans, i;

	lockdep_assert_held(&xprt->transport_lock);
	orphans = -atomic_read(&t->info.calls);
	for (i = 0; i < CWRC_LANES; i++) {
		const struct cwrc_connection *conn = READ_ONCE(t->lane[i]);

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
	cwrc_lanes_wake(xprt);
}

void cwrc_lanes_grant(struct cwrc_transport *t, struct cwrc_connection *conn, u32 credits)
{
	spin_lock(&t->xprt.transport_lock);
	WRITE_ONCE(conn->credits, credits);
	cwrc_lanes_set_window(t);
	spin_unlock(&t->xprt.transport_lock);
}

/* ---- what people see ---- */

static void tell_lane(struct cwrc_connection *conn, enum cwr_state state)
{
	struct cwrc_transport *t = conn->transport;
	struct cwr_rail rail = { .state = state };
	u32 lanes = READ_ONCE(t->lanes);

	if (lanes > CW_NFS_SOURCES || lanes == 1)
		return;
	if (state == CWR_CONNECTED) {
		rail.local = conn->ep.cm->route.addr.src_addr;
		rail.device_port = conn->ep.cm->port_num;
		strscpy(rail.device, conn->ib->name, sizeof(rail.device));
	} else {
		strscpy(rail.reason, conn->reason, sizeof(rail.reason));
	}
	cwr_connection_rail(&t->info, conn->index, lanes, &rail);
}

static void tell_connected(struct cwrc_connection *conn)
{
	struct cwr_connection *info = &conn->transport->info;
	unsigned long flags;

	spin_lock_irqsave(&info->lock, flags);
	info->local = conn->ep.cm->route.addr.src_addr;
	strscpy(info->device, conn->ib->name, sizeof(info->device));
	info->device_port = conn->ep.cm->port_num;
	info->inline_send = conn->inline_send;
	info->inline_receive = conn->inline_receive;
	info->queue_pairs = 1;
	if (READ_ONCE(conn->transport->lanes) == 1)
		info->nr_rails = 0;
	info->remote_invalidate = conn->remote_invalidate;
	spin_unlock_irqrestore(&info->lock, flags);
	cwr_connection_state(info, CWR_CONNECTED);
}

/* ---- adding ---- */

/* The @first makes the transport one whose lanes are mended. -ESHUTDOWN: no lane is wanted. */
static int publish(struct cwrc_connection *conn, bool first)
{
	struct cwrc_transport *t = conn->transport;
	int ret = 0;

	if (READ_ONCE(conn->ep.state) == CW_EP_DEAD)
		ret = conn->error ?: -ECONNRESET;
	trace_cwrc_open(conn, ret);
	if (ret)
		return ret;
	spin_lock(&t->lanes_lock);
	if (first)
		WRITE_ONCE(t->mends, true);
	if (!t->mends || WARN_ON_ONCE(t->lane[conn->index])) {
		ret = -ESHUTDOWN;
	} else {
		WRITE_ONCE(t->lane[conn->index], conn);
		cwrc_connection_establish(conn);
	}
	spin_unlock(&t->lanes_lock);
	if (ret)
		return ret;
	spin_lock(&t->xprt.transport_lock);
	cwrc_lanes_set_window(t);
	spin_unlock(&t->xprt.transport_lock);
	return 0;
}

static void discard(struct cwrc_connection *conn)
{
	cwrc_connection_drain(conn);
	cwrc_connection_free(conn);
}

/* From the one address of a transport that stays, or the lane's of one that may roam. */
static int open_lane(struct cwrc_connection *conn)
{
	const struct cwrc_transport *t = conn->transport;
	u32 source = t->source + (READ_ONCE(t->info.backchannel) ? conn->index : 0);
	struct sockaddr_storage from;

	if (!cwr_rule_source((struct sockaddr *)&t->xprt.addr, source, &from))
		return cwrc_connection_open(conn, NULL);
	return cwrc_connection_open(conn, (struct sockaddr *)&from);
}

static void add_lane(struct cwrc_transport *t, u32 index)
{
	struct cwrc_connection *conn = cwrc_connection_new(t, index);
	int ret;

	if (!conn)
		return;
	spin_lock(&t->lanes_lock);
	t->opening = conn;
	ret = t->mends ? 0 : -ESHUTDOWN;
	spin_unlock(&t->lanes_lock);
	if (!ret)
		ret = open_lane(conn);
	spin_lock(&t->lanes_lock);
	t->opening = NULL;
	spin_unlock(&t->lanes_lock);
	if (!ret)
		ret = publish(conn, false);
	if (!ret)
		return;
	tell_lane(conn, CWR_BROKEN);
	discard(conn);
}

static void mend(struct work_struct *work)
{
	struct cwrc_transport *t = container_of(work, struct cwrc_transport, mend.work);
	unsigned int noio = memalloc_noio_save();
	unsigned long flags;
	u32 i, open = 0;

	for (i = 0; i < READ_ONCE(t->lanes) && READ_ONCE(t->mends); i++) {
		/* The first is the connecting worker's. */
		if (i && !READ_ONCE(t->lane[i]))
			add_lane(t, i);
		if (!READ_ONCE(t->lane[i]))
			continue;
		/* The first one too, which there was before there were to be several. */
		tell_lane(t->lane[i], CWR_CONNECTED);
		open++;
	}
	spin_lock_irqsave(&t->info.lock, flags);
	t->info.queue_pairs = open;
	spin_unlock_irqrestore(&t->info.lock, flags);
	memalloc_noio_restore(noio);
	if (open < READ_ONCE(t->lanes) && READ_ONCE(t->mends))
		queue_delayed_work(cwrc_workqueue, &t->mend, MEND_AFTER);
}

/*
 * How many lanes there shall be: at least one for each address that may be used, and no fewer than
 * before where some are @in_use.
 */
static void plan(struct cwrc_transport *t, u32 sources, bool in_use)
{
	u32 lanes = clamp(READ_ONCE(queue_pairs), 1U, (unsigned int)CWRC_LANES);

	spin_lock(&t->lanes_lock);
	if (READ_ONCE(t->info.backchannel))
		lanes = max(lanes, sources);
	WRITE_ONCE(t->lanes, in_use ? max(lanes, t->lanes) : lanes);
	spin_unlock(&t->lanes_lock);
}

void cwrc_lanes_free_to_roam(struct cwrc_transport *t)
{
	/* Not while lanes are used: more are added, none is moved. */
	plan(t, cwr_rule_source((struct sockaddr *)&t->xprt.addr, 0, NULL), true);
	if (READ_ONCE(t->lanes) > 1 && READ_ONCE(t->mends))
		queue_delayed_work(cwrc_workqueue, &t->mend, 0);
}

/* ---- all of them ---- */

void cwrc_lanes_init(struct cwrc_transport *t)
{
	spin_lock_init(&t->lanes_lock);
	INIT_DELAYED_WORK(&t->mend, mend);
	t->lanes = 1;
}

int cwrc_lanes_open(struct cwrc_transport *t)
{
	u32 sources = cwr_rule_source((struct sockaddr *)&t->xprt.addr, 0, NULL);
	u32 tries = t->stays && !t->info.backchannel ? 1 : max(sources, 1U);
	struct cwrc_connection *conn;
	int ret = -ENETUNREACH;

	plan(t, sources, false);
	for (; tries; tries--) {
		conn = cwrc_connection_new(t, 0);
		if (!conn)
			return -ENOMEM;
		ret = open_lane(conn);
		if (!ret)
			ret = publish(conn, true);
		if (!ret) {
			t->stays = false;
			tell_connected(conn);
			if (t->lanes > 1)
				queue_delayed_work(cwrc_workqueue, &t->mend, 0);
			return 0;
		}
		pr_info_ratelimited("causeway: nfs server %s: not connected: %s\n",
				    t->xprt.address_strings[RPC_DISPLAY_ADDR], conn->reason);
		tell_lane(conn, CWR_BROKEN);
		discard(conn);
		if (tries > 1)
			t->source++;
	}
	return ret;
}

/* The mending worker ends soon: what it opens is killed. */
static void stop_mending(struct cwrc_transport *t)
{
	spin_lock(&t->lanes_lock);
	t->mends = false;
	if (t->opening)
		cw_endpoint_kill(&t->opening->ep, -ESHUTDOWN, "closed here");
	spin_unlock(&t->lanes_lock);
	cancel_delayed_work_sync(&t->mend);
}

bool cwrc_lanes_close(struct cwrc_transport *t, int *error)
{
	bool any = false;
	u32 i;

	*error = 0;
	stop_mending(t);
	for (i = 0; i < CWRC_LANES; i++) {
		struct cwrc_connection *conn = t->lane[i];

		if (!conn)
			continue;
		any = true;
		if (conn->error && !*error) {
			*error = conn->error;
			pr_info_ratelimited("causeway: nfs server %s: the connection was lost: %s\n",
					    t->xprt.address_strings[RPC_DISPLAY_ADDR],
					    conn->reason);
		}
		cwrc_connection_drain(conn);
		tell_lane(conn, CWR_BROKEN);
	}
	cwrc_calls_detach(t);
	for (i = 0; i < CWRC_LANES; i++) {
		if (t->lane[i])
			cwrc_connection_free(t->lane[i]);
		WRITE_ONCE(t->lane[i], NULL);
	}
	return any;
}
