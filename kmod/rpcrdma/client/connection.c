// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue pair to a server.
 *
 * Keepalive. The server's adapter acknowledges each message. So if the server is gone when a call
 * is sent, the queue pair itself fails, after six retries, about four seconds with the default
 * ack_timeout. A server that dies between the acknowledgment and its reply is silent. So while
 * calls wait and no message arrived for a while, an RDMA WRITE of no bytes is posted. It touches no
 * memory, needs no rkey (InfiniBand architecture, volume 1, C9-88), takes no receive and no credit,
 * and RPC does not see it; but the server's adapter must acknowledge it, or the queue pair fails.
 * On iWARP, TCP's retransmission has the same effect. A server whose queue pair forbids RDMA WRITE
 * ends the connection instead, and is not probed again. A slow server passes, because its adapter
 * acknowledges.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "../wire/private_data.h"
#include "../wire/sizes.h"
#include "call.h"
#include "receives.h"
#include "regions.h"
#include "trace.h"

#define RETRIES 6 /* 7 retries would never end on Soft-RoCE */
#define RESOLVE_MS 5000U
#define CONNECT_MS 10000U
#define LOOK_AGAIN 5U /* seconds, while keepalive is off */
/*
 * Seconds until a probe has failed: twice the time for which a queue pair with the default
 * ack_timeout may repeat a message (InfiniBand architecture, volume 1, 9.7.6.1.3: up to four times
 * ack_timeout each).
 */
#define PROBE_PATIENCE 30U

static unsigned int inline_size = CWR_INLINE_OFFER;
module_param(inline_size, uint, 0644);
MODULE_PARM_DESC(inline_size,
		 "client: bytes of the largest message without chunks that is offered to servers, 1024 to 65536");

static unsigned int keepalive = 5;
module_param(keepalive, uint, 0644);
MODULE_PARM_DESC(keepalive,
		 "client: seconds of silence after which a server that owes replies is probed, 0 for never");

/* ---- keepalive ---- */

static void cwrc_probe_answered(struct cw_probe *probe, int err)
{
	struct cwrc_connection *conn = container_of(probe, struct cwrc_connection, probe);

	if (err == -EREMOTEIO)
		WRITE_ONCE(conn->transport->refuses_probes, true);
}

static void cwrc_look_later(struct cwrc_connection *conn, unsigned int seconds)
{
	queue_delayed_work(cwrc_workqueue, &conn->look, seconds * HZ);
}

static void cwrc_look(struct work_struct *work)
{
	struct cwrc_connection *conn = container_of(work, struct cwrc_connection, look.work);
	unsigned int seconds = READ_ONCE(keepalive);
	u32 heard = READ_ONCE(conn->heard);

	if (cw_probe_is_under_way(&conn->probe)) {
		/* Soft-RoCE can stop a queue pair without an error. */
		if (time_after_eq(jiffies, conn->probed + PROBE_PATIENCE * HZ))
			cw_endpoint_kill(&conn->ep, -ETIMEDOUT,
					 "a probe was not acknowledged within %u s",
					 PROBE_PATIENCE);
	} else if (seconds && heard == conn->heard_before && atomic_read(&conn->owed) > 0 &&
		   !READ_ONCE(conn->transport->refuses_probes)) {
		conn->probed = jiffies;
		cw_endpoint_probe(&conn->ep, &conn->probe);
	}
	conn->heard_before = heard;
	/* Goes on while keepalive is off, because it may be turned on later. */
	cwrc_look_later(conn, seconds ?: LOOK_AGAIN);
}

/* ---- the endpoint ---- */

static void cwrc_connection_live(struct cw_endpoint *ep)
{
}

static void cwrc_connection_down(struct cw_endpoint *ep, int err, const char *reason)
{
	struct cwrc_connection *conn = container_of(ep, struct cwrc_connection, ep);
	struct cwrc_transport *t = conn->transport;

	/* Closed by this end: it was idle, or the file system was unmounted. */
	if (err == -ESHUTDOWN)
		return;
	conn->error = err;
	trace_cwrc_down(conn, err, reason);
	strscpy(conn->reason, reason, sizeof(conn->reason));
	/*
	 * Before the connection is established, the thread that makes it handles the failure. Pairs
	 * with smp_mb() in cwrc_connection_establish(): either this sees established, or that sees
	 * the endpoint dead.
	 */
	smp_mb();
	if (READ_ONCE(conn->established))
		queue_work(cwrc_workqueue, &t->reap);
}

static const struct cw_endpoint_ops cwrc_connection_ops = {
	.live = cwrc_connection_live,
	.down = cwrc_connection_down,
};

/* ---- open and close ---- */

static int cwrc_connection_make_qp(struct cwrc_connection *conn)
{
	u32 slots = conn->transport->xprt.max_reqs;
	struct cw_endpoint_shape shape = {
		.recvs = conn->replies_most + CWRC_CALLBACKS,
		.sends = 3 * slots + 2 * CWRC_CALLBACKS + 2 * CWRC_REGIONS,
		.sges = CWRC_SGES,
		.workqueue = cwrc_completions,
		.vector = conn->transport->info.id + conn->index,
	};
	struct cw_domain *domain;

	domain = cw_domain_create(conn->ib);
	if (IS_ERR(domain))
		return PTR_ERR(domain);
	conn->domain = domain;
	return cw_endpoint_create_qp(&conn->ep, domain, &shape);
}

static int cwrc_connection_connect(struct cwrc_connection *conn)
{
	struct cwr_private own = {
		.remote_invalidate = true,
		.send = conn->receive_size,
		.receive = conn->receive_size,
	};
	struct cwr_private peer;
	u8 data[CWR_PRIVATE_BYTES];
	int ret;

	cwr_put_private(data, &own);
	ret = cw_endpoint_connect(&conn->ep, data, sizeof(data), CONNECT_MS);
	if (ret)
		return ret;
	cwr_parse_private(conn->ep.rep, conn->ep.rep_len, &peer);
	conn->inline_send = cwr_inline(own.send, peer.receive);
	conn->inline_receive = cwr_inline(peer.send, own.receive);
	conn->remote_invalidate = peer.remote_invalidate;
	return 0;
}

void cwrc_connection_drain(struct cwrc_connection *conn)
{
	/*
	 * Remaining users: own works, which end when they see the dead endpoint; completions, which
	 * the drain ends; RPCs that end without a reply, which see under regions_lock that their
	 * regions are gone.
	 */
	cw_endpoint_disconnect(&conn->ep);
	cancel_delayed_work_sync(&conn->look);
	cancel_work_sync(&conn->grow_receives);
	cw_endpoint_drain(&conn->ep);
	cancel_work_sync(&conn->grow_receives);
	cwrc_regions_free(conn);
}

void cwrc_connection_free(struct cwrc_connection *conn)
{
	/*
	 * A receive that was posted while the drain began may complete until the completion queue
	 * is destroyed, so receives are freed after it.
	 */
	cw_endpoint_destroy(&conn->ep);
	cwrc_receives_free(conn);
	if (conn->domain)
		cw_domain_put(conn->domain);
	kfree(conn);
}

static int cwrc_connection_prepare(struct cwrc_connection *conn)
{
	int receives = conn->ib->attrs.max_qp_wr - 1;
	int ret;

	if (receives <= CWRC_CALLBACKS)
		return -EOPNOTSUPP;
	conn->replies_most = min_t(u32, receives - CWRC_CALLBACKS, conn->transport->xprt.max_reqs);
	ret = cwrc_connection_make_qp(conn);
	if (ret)
		return ret;
	ret = cwrc_regions_init(conn);
	if (ret)
		return ret;
	return cwrc_receives_make(conn);
}

struct cwrc_connection *cwrc_connection_new(struct cwrc_transport *t, u32 index,
					    void (*received)(struct ib_cq *cq, struct ib_wc *wc))
{
	struct cwrc_connection *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	conn->transport = t;
	conn->number = atomic_inc_return(&t->made);
	conn->index = index;
	conn->received = received;
	conn->credits = 1;
	INIT_LIST_HEAD(&conn->free_regions);
	INIT_LIST_HEAD(&conn->regions);
	INIT_LIST_HEAD(&conn->receives);
	INIT_WORK(&conn->grow_receives, cwrc_receives_grow);
	INIT_DELAYED_WORK(&conn->grow_regions, cwrc_regions_grow);
	INIT_DELAYED_WORK(&conn->look, cwrc_look);
	conn->probe.answered = cwrc_probe_answered;
	cw_endpoint_init(&conn->ep, &cwrc_connection_ops);
	conn->ep.net = t->xprt.xprt_net;
	conn->ep.retries = RETRIES;
	conn->receive_size = cwr_inline_offer(READ_ONCE(inline_size));
	return conn;
}

int cwrc_connection_open(struct cwrc_connection *conn, const struct sockaddr *from)
{
	struct sockaddr *peer = (struct sockaddr *)&conn->transport->xprt.addr;
	int ret;

	ret = cw_endpoint_resolve(&conn->ep, from, peer, RESOLVE_MS);
	if (ret)
		return ret;
	conn->ib = conn->ep.cm->device;
	ret = cwrc_connection_prepare(conn);
	if (ret) {
		cw_endpoint_kill(&conn->ep, ret, "preparing a queue pair on %s failed (%d)",
				 conn->ib->name, ret);
		return ret;
	}
	return cwrc_connection_connect(conn);
}

void cwrc_connection_establish(struct cwrc_connection *conn)
{
	cwr_count(&conn->transport->info, CW_NFS_CONNECTS, 1);
	WRITE_ONCE(conn->established, true);
	smp_mb(); /* pairs with smp_mb() in cwrc_connection_down() */
	if (READ_ONCE(conn->ep.state) == CW_EP_DEAD)
		queue_work(cwrc_workqueue, &conn->transport->reap);
	cwrc_look_later(conn, READ_ONCE(keepalive) ?: LOOK_AGAIN);
}
