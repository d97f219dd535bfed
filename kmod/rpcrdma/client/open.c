// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens the rails of a transport.
 *
 * Connecting opens one rail, so that no call waits for the others. The opening work adds the empty
 * rails, including the first one if that has died.
 *
 * A rail that died is opened again: the first time at once, then after a pause that doubles each
 * time, until the rail has lived for CWRC_FORGIVEN. So a rail whose connection manager works but
 * whose data does not get through is set aside, while calls use the other rails. An attempt to open
 * a rail delays no call, and is repeated every CWRC_OPEN_AGAIN. If the whole transport ends, a bad
 * rail cannot be distinguished from a bad server, so all pauses are forgotten.
 *
 * Local addresses. A rule (rules.h) may name several. A server of NFS 3 and 4.0 recognises a call
 * that it has executed by the client's address. So all rails of such a transport use one address,
 * and a new connection uses the same one as long as a call that was sent has no reply, even if the
 * rule has changed by then. NFS 4.1 recognises calls by their session: once SunRPC sets up a
 * backchannel, rails are spread over all addresses of the rule. A transport whose connection failed
 * soon after it was made tries the next address first.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sunrpc/addr.h>

#include "../netlink/rules.h"
#include "rails.h"
#include "open.h"
#include "reply.h"

#define CWRC_OPEN_AGAIN (10UL * HZ) /* after a rail could not be opened */

static unsigned int queue_pairs = 1;
module_param(queue_pairs, uint, 0644);
MODULE_PARM_DESC(queue_pairs, "client: queue pairs of a new connection, 1 to 16");

static const struct sockaddr *cwrc_server(const struct cwrc_transport *t)
{
	return (const struct sockaddr *)&t->xprt.addr;
}

/* ---- local addresses ---- */

static bool cwrc_has_unanswered(struct cwrc_transport *t)
{
	bool has;

	spin_lock(&t->calls_lock);
	has = t->unanswered;
	spin_unlock(&t->calls_lock);
	return has;
}

/*
 * True if a new connection must use the address of the previous one. False if neither a rule named
 * that address nor a rule applies now: the routing decided and decides again, because the address
 * may be gone.
 */
static bool cwrc_stays(struct cwrc_transport *t, u32 sources)
{
	return !READ_ONCE(t->info.backchannel) && (t->by_rule || sources) &&
	       t->local.ss_family != AF_UNSPEC && cwrc_has_unanswered(t);
}

/*
 * Opens @conn from the local address @from. If @from is NULL, the rule for the server gives the
 * address. If no rule applies, the routing chooses the address.
 */
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

/* ---- additional rails ---- */

static void cwrc_add_rail(struct cwrc_transport *t, u32 index)
{
	const struct sockaddr *from = READ_ONCE(t->info.backchannel) ?
					      NULL : (struct sockaddr *)&t->local;
	struct cwrc_connection *conn = cwrc_connection_new(t, index, cwrc_received);
	unsigned long retry_at = jiffies + CWRC_OPEN_AGAIN;
	int ret;

	spin_lock(&t->rails_lock);
	ret = t->opens ? 0 : -ESHUTDOWN;
	t->past[index].retry_at = retry_at; /* valid if this attempt fails */
	t->opening = conn;
	spin_unlock(&t->rails_lock);
	if (!conn)
		return;
	if (!ret)
		ret = cwrc_open_from(conn, from);
	spin_lock(&t->rails_lock);
	t->opening = NULL;
	spin_unlock(&t->rails_lock);
	if (!ret)
		ret = cwrc_rail_publish(conn, false);
	if (!ret)
		return;
	cwrc_rail_show(conn, CWR_BROKEN, retry_at);
	cwrc_discard(conn);
}

/* Sets @delay to the jiffies until the next empty rail may be opened. False: no rail is empty. */
static bool cwrc_next_opening(struct cwrc_transport *t, unsigned long *delay)
{
	unsigned long now = jiffies;
	bool missing = false;
	u32 i;

	lockdep_assert_held(&t->rails_lock);
	for (i = 0; i < t->rails; i++) {
		unsigned long at = t->past[i].retry_at, wait = 0;

		if (t->rail[i])
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

	spin_lock(&t->rails_lock);
	if (t->opens && cwrc_next_opening(t, &delay))
		mod_delayed_work(cwrc_workqueue, &t->open, delay);
	spin_unlock(&t->rails_lock);
}

static bool cwrc_may_open(struct cwrc_transport *t, u32 index)
{
	bool may;

	spin_lock(&t->rails_lock);
	may = t->opens && !t->rail[index] &&
	      !(t->past[index].retry_at && time_before(jiffies, t->past[index].retry_at));
	spin_unlock(&t->rails_lock);
	return may;
}

static void cwrc_open_work(struct work_struct *work)
{
	struct cwrc_transport *t = container_of(work, struct cwrc_transport, open.work);
	unsigned int noio = memalloc_noio_save();
	u32 i;

	for (i = 0; i < READ_ONCE(t->rails); i++)
		if (cwrc_may_open(t, i))
			cwrc_add_rail(t, i);
	cwrc_rails_show(t);
	memalloc_noio_restore(noio);
	cwrc_open_missing(t);
}

/*
 * Sets the number of wanted rails: at least one for each usable address, and not fewer than before
 * if rails are @in_use.
 */
static void cwrc_plan(struct cwrc_transport *t, u32 sources, bool in_use)
{
	u32 rails = clamp(READ_ONCE(queue_pairs), 1U, (unsigned int)CWRC_RAILS);

	spin_lock(&t->rails_lock);
	if (READ_ONCE(t->info.backchannel))
		rails = max(rails, sources);
	WRITE_ONCE(t->rails, in_use ? max(rails, t->rails) : rails);
	spin_unlock(&t->rails_lock);
}

void cwrc_rails_free_to_roam(struct cwrc_transport *t)
{
	/* Rails are in use: more are added, and none is moved. */
	cwrc_plan(t, cwr_rule_source(cwrc_server(t), 0, NULL), true);
	cwrc_open_missing(t);
}

/* ---- the first rail ---- */

/* Keeps the address of the first rail, which all rails use unless there is a backchannel. */
static void cwrc_keep_address(struct cwrc_connection *conn)
{
	struct cwrc_transport *t = conn->transport;

	memcpy(&t->local, cwrc_connection_local(conn), sizeof(t->local));
	rpc_set_port((struct sockaddr *)&t->local, 0);
	t->by_rule = conn->by_rule;
	t->opened = jiffies;
}

int cwrc_rails_open(struct cwrc_transport *t)
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
		/* The last user is gone and waits for the transport. */
		if (!kref_read(&t->xprt.kref))
			return -ESHUTDOWN;
		conn = cwrc_connection_new(t, 0, cwrc_received);
		if (!conn)
			return -ENOMEM;
		conn->by_rule = stays && t->by_rule;
		ret = cwrc_open_from(conn, stays ? (struct sockaddr *)&t->local : NULL);
		if (!ret) {
			cwrc_keep_address(conn);
			ret = cwrc_rail_publish(conn, true);
		}
		if (!ret) {
			cwrc_rails_show(t);
			cwr_connection_state(&t->info, CWR_CONNECTED);
			cwrc_open_missing(t);
			return 0;
		}
		pr_info_ratelimited("causeway: nfs server %s: not connected: %s\n",
				    t->xprt.address_strings[RPC_DISPLAY_ADDR], conn->reason);
		cwr_connection_failed_with(&t->info, ret, conn->reason);
		cwrc_rail_show(conn, CWR_BROKEN, 0);
		cwrc_discard(conn);
		if (tries > 1)
			t->source++;
	}
	return ret;
}

/* ---- the end of opening ---- */

void cwrc_stop_opening(struct cwrc_transport *t)
{
	spin_lock(&t->rails_lock);
	WRITE_ONCE(t->opens, false);
	if (t->opening)
		cw_endpoint_kill(&t->opening->ep, -ESHUTDOWN, "closed here");
	memset(t->past, 0, sizeof(t->past));
	spin_unlock(&t->rails_lock);
	cancel_delayed_work_sync(&t->open);
}

void cwrc_rails_init(struct cwrc_transport *t)
{
	spin_lock_init(&t->rails_lock);
	INIT_DELAYED_WORK(&t->open, cwrc_open_work);
	t->rails = 1;
}
