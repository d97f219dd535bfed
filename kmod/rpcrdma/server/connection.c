// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection: a svc_xprt of nfsd around an endpoint of causeway.ko.
 *
 * Its end: any source of a failure (the connection manager, a work request, removal of the device)
 * calls cwrs_connection_down(), possibly with interrupts disabled. That only queues close_work,
 * which sets XPT_CLOSE for nfsd. nfsd, or the thread that stops it, then calls detach: the peer is
 * notified and the adapter flushes its work requests. Threads may still have calls, and each call
 * holds a reference. The last put queues free_work. Nothing is posted any more at that point, so
 * free_work drains the queue pair and frees everything that the adapter used. Sends and pulls hold
 * no references, because the drain waits for them.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sunrpc/addr.h>

#include "../wire/sizes.h"
#include "backchannel.h"
#include "connection.h"
#include "keepalive.h"
#include "pages.h"
#include "receives.h"
#include "reply.h"
#include "send.h"
#include "trace.h"

/*
 * Room in the send queue: work requests of sends, and contexts of rdma_rw. RDMA Writes of a reply
 * use either kind.
 */
#define CWRS_SENDS 128U
#define CWRS_TRANSFERS 32U
#define CWRS_REGIONS_MIN 128U /* memory regions for a queue pair, at least */
#define CWRS_REGIONS_MAX 256U
#define CWRS_REGION_PAGES 256U /* pages of a region; the RDMA core allows no more */
#define CWRS_TX_MIN 8192U /* bytes of memory of a send: a header and small data beside it */
/* bytes; the least for the data of calls, and for that of answers */
#define CWRS_PAGES_MIN (8U << 20)

static const struct svc_xprt_ops cwrs_connection_ops;
static atomic_t cwrs_vector;

/* ---- the end ---- */

static void cwrs_close_work(struct work_struct *work)
{
	struct cwrs_connection *conn = container_of(work, struct cwrs_connection, close_work);

	svc_xprt_deferred_close(&conn->xprt);
}

/* cw_endpoint_ops.down: any context, called once. */
static void cwrs_connection_down(struct cw_endpoint *ep, int err, const char *reason)
{
	struct cwrs_connection *conn = container_of(ep, struct cwrs_connection, ep);

	trace_cwrs_down(conn, err, reason);
	cwr_connection_failed_with(&conn->info, err, reason);
	cwr_connection_state(&conn->info, CWR_BROKEN);
	queue_work(cwrs_workqueue, &conn->close_work);
}

static void cwrs_free_work(struct work_struct *work)
{
	struct cwrs_connection *conn = container_of(work, struct cwrs_connection, free_work);

	/*
	 * Remaining holders: the keepalive work; the adapter and the connection manager, until the
	 * endpoint is drained; close_work, until it is cancelled; a dump, until the connection is
	 * off the list.
	 */
	cwrs_keepalive_stop(conn);
	cw_endpoint_drain(&conn->ep);
	cwrs_receives_free(conn);
	cwrs_spares_free(conn);
	cwrs_sends_free(conn);
	cw_endpoint_destroy(&conn->ep);
	cancel_work_sync(&conn->close_work);
	cwr_connection_remove(&conn->info);
	kfree(conn);
}

/* xpo_detach: disconnects, and does not wait for the peer. */
static void cwrs_connection_detach(struct svc_xprt *xprt)
{
	struct cwrs_connection *conn = cwrs_connection(xprt);

	cw_endpoint_disconnect(&conn->ep);
}

/* xpo_free: the last reference is gone. May run in a handler of the connection manager. */
static void cwrs_connection_free(struct svc_xprt *xprt)
{
	struct cwrs_connection *conn = cwrs_connection(xprt);

	queue_work(cwrs_workqueue, &conn->free_work);
}

void cwrs_connection_discard(struct cwrs_connection *conn)
{
	/* The put drops a reference to the module, which only accepted connections hold. */
	__module_get(THIS_MODULE);
	svc_xprt_put(&conn->xprt);
}

/* ---- set-up ---- */

static void cwrs_connection_live(struct cw_endpoint *ep)
{
}

static const struct cw_endpoint_ops cwrs_endpoint_ops = {
	.live = cwrs_connection_live,
	.down = cwrs_connection_down,
};

static void cwrs_connection_name(struct cwrs_connection *conn, struct rdma_cm_id *cm)
{
	struct sockaddr *peer = (struct sockaddr *)&cm->route.addr.dst_addr;
	struct sockaddr *local = (struct sockaddr *)&cm->route.addr.src_addr;

	svc_xprt_set_local(&conn->xprt, local, svc_addr_len(local));
	svc_xprt_set_remote(&conn->xprt, peer, svc_addr_len(peer));
	/*
	 * The port differs for each connection and has no meaning. nfsd recognises a repeated call
	 * by the address.
	 */
	rpc_set_port((struct sockaddr *)&conn->xprt.xpt_remote, 0);
	memcpy(&conn->info.local, &cm->route.addr.src_addr, sizeof(conn->info.local));
	strscpy(conn->info.device, cm->device->name, sizeof(conn->info.device));
	cwr_connection_add(&conn->info, CWR_ROLE_SERVER, peer);
}

struct cwrs_connection *cwrs_connection_create(struct svc_xprt *listener, struct rdma_cm_id *cm,
					       const struct rdma_conn_param *asked)
{
	struct cwrs_connection *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	INIT_LIST_HEAD(&conn->entry);
	INIT_WORK(&conn->close_work, cwrs_close_work);
	INIT_WORK(&conn->free_work, cwrs_free_work);
	cwrs_keepalive_init(conn);
	spin_lock_init(&conn->rx_lock);
	INIT_LIST_HEAD(&conn->rx_sets);
	INIT_LIST_HEAD(&conn->arrived);
	INIT_LIST_HEAD(&conn->parked);
	INIT_LIST_HEAD(&conn->pulled);
	spin_lock_init(&conn->spares_lock);
	INIT_LIST_HEAD(&conn->spare);
	spin_lock_init(&conn->tx_lock);
	INIT_LIST_HEAD(&conn->tx_free);
	INIT_LIST_HEAD(&conn->tx_made);

	conn->asked = *asked;
	cwr_parse_private(asked->private_data, asked->private_data_len, &conn->peer);
	svc_xprt_init(listener->xpt_net, &cwrs_class, &conn->xprt, listener->xpt_server);
	conn->xprt.xpt_ops = &cwrs_connection_ops;
	set_bit(XPT_CONG_CTRL, &conn->xprt.xpt_flags);
	cw_endpoint_init(&conn->ep, &cwrs_endpoint_ops);
	cwrs_connection_name(conn, cm);
	cwr_connection_state(&conn->info, CWR_CONNECTING);
	cw_endpoint_adopt(&conn->ep, cm);
	return conn;
}

/*
 * Plans the pool of memory regions of rdma_rw. An adapter may use memory regions for every RDMA
 * Read (iWARP), or for transfers of many pages (mlx5). Then each call whose data is being fetched
 * holds some of them. The pool suffices to fetch the data of all calls of the largest size at once,
 * up to CWRS_REGIONS_MAX.
 */
static void cwrs_connection_plan_regions(struct cwrs_connection *conn, struct ib_device *ib)
{
	u32 factor = rdma_rw_mr_factor(ib, conn->ep.port_num, CWR_PAYLOAD_MAX / PAGE_SIZE + 1);

	conn->regions = clamp(conn->credits_most * factor, CWRS_REGIONS_MIN, CWRS_REGIONS_MAX);
	conn->region_pages = clamp(ib->attrs.max_fast_reg_page_list_len, 1U, CWRS_REGION_PAGES);
}

static int cwrs_connection_equip(struct cwrs_connection *conn)
{
	struct ib_device *ib = conn->ep.cm->device;
	struct cw_endpoint_shape shape = {
		.sends = CWRS_SENDS,
		.transfers = CWRS_TRANSFERS,
		.poll = IB_POLL_SOFTIRQ,
		.vector = (u32)atomic_inc_return(&cwrs_vector),
	};
	struct cw_domain *domain;
	int ret;

	conn->credits_most = clamp(READ_ONCE(cwrs_credits), 1U, 1024U);
	conn->credits_most = min_t(u32, conn->credits_most, ib->attrs.max_qp_wr / 4);
	conn->pages_most = max(CWRS_PAGES_MIN, 2 * conn->xprt.xpt_server->sv_max_mesg) >>
			   PAGE_SHIFT;
	conn->spares_most = conn->pages_most / 4;
	cwrs_connection_plan_regions(conn, ib);
	shape.recvs = conn->credits_most + CWRS_BACK_CALLS;
	shape.regions = conn->regions;
	domain = cw_domain_create(ib);
	if (IS_ERR(domain))
		return PTR_ERR(domain);
	ret = cw_endpoint_create_qp(&conn->ep, domain, &shape);
	cw_domain_put(domain); /* the endpoint holds its own reference */
	if (ret)
		return ret;
	return cwrs_receives_make(conn);
}

/*
 * The sizes and features that both ends support. Receives larger than the client's messages would
 * waste memory.
 */
static void cwrs_connection_negotiate(struct cwrs_connection *conn)
{
	u32 own = cwr_inline_offer(READ_ONCE(cwrs_inline));

	conn->receive_inline = cwr_inline(conn->peer.send, own);
	conn->send_inline = cwr_inline(own, conn->peer.receive);
	conn->tx_size = max_t(u32, CWRS_TX_MIN, roundup_pow_of_two(conn->send_inline));
	conn->may_invalidate = conn->peer.remote_invalidate;
	conn->may_pull = conn->asked.initiator_depth;
}

static int cwrs_connection_answer(struct cwrs_connection *conn)
{
	u8 words[CWR_PRIVATE_BYTES];
	struct cwr_private own = {
		.remote_invalidate = true,
		.send = conn->send_inline,
		.receive = conn->receive_inline,
	};
	int ret;

	cwr_put_private(words, &own);
	rdma_lock_handler(conn->ep.cm);
	ret = cw_endpoint_accept(&conn->ep, &conn->asked, words, sizeof(words));
	rdma_unlock_handler(conn->ep.cm);
	return ret;
}

int cwrs_connection_accept(struct cwrs_connection *conn)
{
	int ret;

	cwrs_connection_negotiate(conn);
	ret = cwrs_connection_equip(conn);
	if (ret)
		return ret;
	spin_lock_irq(&conn->info.lock);
	conn->info.inline_send = conn->send_inline;
	conn->info.inline_receive = conn->receive_inline;
	WRITE_ONCE(conn->info.credits, conn->credits);
	conn->info.queue_pairs = 1;
	conn->info.remote_invalidate = conn->may_invalidate;
	conn->info.device_port = conn->ep.port_num;
	spin_unlock_irq(&conn->info.lock);
	/*
	 * Before the acceptance, because the connection may fail right after it, and that sets a
	 * state too.
	 */
	cwr_connection_state(&conn->info, CWR_CONNECTED);
	ret = cwrs_connection_answer(conn);
	if (!ret)
		cwrs_keepalive_start(conn);
	return ret;
}

/* ---- operations for nfsd ---- */

/*
 * True if another call may be received. Its answer needs memory, and a client that does not take
 * answers must not make the server keep many of them.
 */
static bool cwrs_connection_takes_answers(const struct cwrs_connection *conn)
{
	return atomic_read(&conn->tx_busy) < 2 * (int)(conn->credits + CWRS_BACK_CALLS) &&
	       atomic_read(&conn->pushing) <= (int)conn->pages_most;
}

static int cwrs_connection_has_wspace(struct svc_xprt *xprt)
{
	struct cwrs_connection *conn = cwrs_connection(xprt);

	if (likely(cwrs_connection_takes_answers(conn)))
		return 1;
	set_bit(CWRS_STALLED, &conn->flags);
	smp_mb__after_atomic(); /* pairs with smp_mb__after_atomic() in cwrs_send_put() */
	return cwrs_connection_takes_answers(conn);
}

static void cwrs_connection_release_ctxt(struct svc_xprt *xprt, void *ctxt)
{
	/* The call got no answer because nfsd dropped it. NULL: no call was received. */
	if (ctxt)
		cwrs_receive_put(ctxt);
}

static void cwrs_connection_kill_temp(struct svc_xprt *xprt)
{
}

static const struct svc_xprt_ops cwrs_connection_ops = {
	.xpo_has_wspace = cwrs_connection_has_wspace,
	.xpo_recvfrom = cwrs_recvfrom,
	.xpo_sendto = cwrs_sendto,
	.xpo_result_payload = cwrs_result_payload,
	.xpo_release_ctxt = cwrs_connection_release_ctxt,
	.xpo_detach = cwrs_connection_detach,
	.xpo_free = cwrs_connection_free,
	.xpo_kill_temp_xprt = cwrs_connection_kill_temp,
};
