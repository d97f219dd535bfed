// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes are opened.
 *
 * Connecting makes one lane, so that no call waits for the others; the opening worker adds those
 * that are missing, the first one too if it is the one that died.
 *
 * A lane that died is opened again after a pause. The first time there is no pause; each further
 * time it doubles, until the lane has lived for CWRC_FORGIVEN. So a rail whose connection manager
 * works and whose data does not get through is set aside, while the calls go by the others. A lane
 * that cannot be opened costs no call anything, and is tried again every CWRC_OPEN_AGAIN. When the
 * whole transport ends nothing tells a bad rail from a bad server, and all begin anew.
 *
 * Which local addresses. A rule (rules.h) may name several. A server of NFS 3 and 4.0 knows a call
 * that it ran already by the address that it came from, so all lanes of a transport of those go
 * from one address, and a new connection goes from the same one as long as a call that was sent has
 * no reply, whatever the rule says by then. NFS 4.1 knows calls by their session: once SunRPC sets
 * up a backchannel, lanes are spread over all addresses of the rule. A transport whose connection
 * broke soon after it was made takes the next address first.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "../netlink/rules.h"
#include "client.h"

static unsigned int queue_pairs = 1;
module_param(queue_pairs, uint, 0644);
MODULE_PARM_DESC(queue_pairs, "client: queue pairs of a new connection, 1 to 16");

static const struct sockaddr *cwrc_server(const struct cwrc_transport *t)
{
	return (const struct sockaddr *)&t->xprt.addr;
}

/* ---- from where ---- */

static bool cwrc_has_unanswered(struct cwrc_transport *t)
{
	bool has;

	spin_lock(&t->calls_lock);
	has = t->unanswered;
	spin_unlock(&t->calls_lock);
	return has;
}

/*
 * A connection must come from the address of the one before. Where no rule named that address, and
 * none does now, the routing decided and decides again: the address may be gone.
 */
static bool cwrc_stays(struct cwrc_transport *t, u32 sources)
{
	return !READ_ONCE(t->info.backchannel) && (t->by_rule || sources) &&
	       t->local.ss_family != AF_UNSPEC && cwrc_has_unanswered(t);
}

/* Opens @conn from @from; from where the rule and the routing say when it is NULL. */
static int cwrc_open_from(struct cwrc_connection *conn, const struct sockaddr *from)
{
	struct cwrc_transport *t = conn->transport;
	u32 source = t->source + (READ_ONCE(t->info.backchannel) ? conn->index : 0);
	struct sockaddr_storage named;

	if (!from && cwr_rule_source(cwrc_server(t), source, &named)) {
		conn->by_rule = true;
		from = (struct sockaddr *)&named;
	}
	return cwrc_connection_open(conn, from);
}

static void cwrc_discard(struct cwrc_connection *conn)
{
	cwrc_connection_drain(conn);
	cwrc_connection_free(conn);
}

/* ---- one more ---- */

static void cwrc_add_lane(struct cwrc_transport *t, u32 index)
{
	const struct sockaddr *from = READ_ONCE(t->info.backchannel) ?
					      NULL : (struct sockaddr *)&t->local;
	struct cwrc_connection *conn = cwrc_connection_new(t, index);
	unsigned long retry_at = jiffies + CWRC_OPEN_AGAIN;
	int ret;

	spin_lock(&t->lanes_lock);
	ret = t->opens ? 0 : -ESHUTDOWN;
	t->past[index].retry_at = retry_at; /* counts when this attempt fails */
	t->opening = conn;
	spin_unlock(&t->lanes_lock);
	if (!conn)
		return;
	if (!ret)
		ret = cwrc_open_from(conn, from);
	spin_lock(&t->lanes_lock);
	t->opening = NULL;
	spin_unlock(&t->lanes_lock);
	if (!ret)
		ret = cwrc_lane_publish(conn, false);
	if (!ret)
		return;
	cwrc_lane_show(conn, CWR_BROKEN, retry_at);
	cwrc_discard(conn);
}

/* When the next of the missing lanes may be opened, in jiffies from now; false: none is missing. */
static bool cwrc_next_opening(struct cwrc_transport *t, unsigned long *delay)
{
	unsigned long now = jiffies;
	bool missing = false;
	u32 i;

	lockdep_assert_held(&t->lanes_lock);
	for (i = 0; i < t->lanes; i++) {
		unsigned long at = t->past[i].retry_at, wait = 0;

		if (t->lane[i])
			continue;
		if (at && time_after(at, now))
			wait = at - now;
		*delay = missing ? min(*delay, wait) : wait;
		missing = true;
	}
	return missing;
}

void cwrc_open_missing(struct cwrc_transport *t)
{
	unsigned long delay;

	spin_lock(&t->lanes_lock);
	if (t->opens && cwrc_next_opening(t, &delay))
		mod_delayed_work(cwrc_workqueue, &t->open, delay);
	spin_unlock(&t->lanes_lock);
}

static bool cwrc_may_open(struct cwrc_transport *t, u32 index)
{
	bool may;

	spin_lock(&t->lanes_lock);
	may = t->opens && !t->lane[index] &&
	      !(t->past[index].retry_at && time_before(jiffies, t->past[index].retry_at));
	spin_unlock(&t->lanes_lock);
	return may;
}

static void cwrc_open_work(struct work_struct *work)
{
	struct cwrc_transport *t = container_of(work, struct cwrc_transport, open.work);
	unsigned int noio = memalloc_noio_save();
	u32 i;

	for (i = 0; i < READ_ONCE(t->lanes); i++)
		if (cwrc_may_open(t, i))
			cwrc_add_lane(t, i);
	cwrc_lanes_show(t);
	memalloc_noio_restore(noio);
	cwrc_open_missing(t);
}

/*
 * How many lanes there shall be: at least one for each address that may be used, and no fewer than
 * before where some are @in_use.
 */
static void cwrc_plan(struct cwrc_transport *t, u32 sources, bool in_use)
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
	cwrc_plan(t, cwr_rule_source(cwrc_server(t), 0, NULL), true);
	cwrc_open_missing(t);
}

/* ---- the first ---- */

/* All lanes of a transport that stays go from where the first one does. */
static void cwrc_keep_address(struct cwrc_connection *conn)
{
	struct cwrc_transport *t = conn->transport;

	memcpy(&t->local, cwrc_connection_local(conn), sizeof(t->local));
	rpc_set_port((struct sockaddr *)&t->local, 0);
	t->by_rule = conn->by_rule;
	t->opened = jiffies;
}

int cwrc_lanes_open(struct cwrc_transport *t)
{
	u32 sources = cwr_rule_source(cwrc_server(t), 0, NULL);
	bool stays = cwrc_stays(t, sources);
	u32 tries = stays ? 1 : max(sources, 1U);
	struct cwrc_connection *conn;
	int ret = -ENETUNREACH;

	cwrc_plan(t, sources, false);
	if (t->suspect && !stays)
		t->source++;
	t->suspect = false;
	for (; tries; tries--) {
		/* The last user is gone, and waits for the transport. */
		if (!kref_read(&t->xprt.kref))
			return -ESHUTDOWN;
		conn = cwrc_connection_new(t, 0);
		if (!conn)
			return -ENOMEM;
		conn->by_rule = stays && t->by_rule;
		ret = cwrc_open_from(conn, stays ? (struct sockaddr *)&t->local : NULL);
		if (!ret) {
			cwrc_keep_address(conn);
			ret = cwrc_lane_publish(conn, true);
		}
		if (!ret) {
			cwrc_lanes_show(t);
			cwr_connection_state(&t->info, CWR_CONNECTED);
			cwrc_open_missing(t);
			return 0;
		}
		pr_info_ratelimited("causeway: nfs server %s: not connected: %s\n",
				    t->xprt.address_strings[RPC_DISPLAY_ADDR], conn->reason);
		cwr_connection_failed_with(&t->info, ret, conn->reason);
		cwrc_lane_show(conn, CWR_BROKEN, 0);
		cwrc_discard(conn);
		if (tries > 1)
			t->source++;
	}
	return ret;
}

/* ---- none any more ---- */

void cwrc_stop_opening(struct cwrc_transport *t)
{
	spin_lock(&t->lanes_lock);
	WRITE_ONCE(t->opens, false);
	if (t->opening)
		cw_endpoint_kill(&t->opening->ep, -ESHUTDOWN, "closed here");
	memset(t->past, 0, sizeof(t->past));
	spin_unlock(&t->lanes_lock);
	cancel_delayed_work_sync(&t->open);
}

void cwrc_lanes_init(struct cwrc_transport *t)
{
	spin_lock_init(&t->lanes_lock);
	INIT_DELAYED_WORK(&t->open, cwrc_open_work);
	INIT_WORK(&t->reap, cwrc_reap_work);
	t->lanes = 1;
}
