// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the server to this client, over the same connection (RFC 8167): callbacks of NFS 4.1.
 *
 * They arrive in messages without chunks, and the replies are sent the same way. A callback has
 * memory for both: the call is copied, so that its receive is posted again at once, and the reply
 * is built in the memory that it is sent from. Free callbacks are on SunRPC's bc_pa_list.
 *
 * A server may have CWRC_CALLBACKS calls without a reply on each connection. They are counted for
 * all connections of a transport; a server that sends more loses the connection. A callback becomes
 * free when the adapter is done with its reply, which is later than the moment at which the server
 * may send the next call. So replies are signalled, and there are twice as many callbacks as a
 * session has slots. They are allocated when NFS sets up its callback service, because calls also
 * arrive while memory is short. If a server uses the slots of several connections at once, more
 * callbacks are allocated as long as there is memory.
 */
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/bc_xprt.h>

#include "../wire/private_data.h"
#include "backchannel.h"
#include "rails.h"
#include "message.h"

/* bytes of a call or a reply, at most: one page with CWRC_ROOM */
#define CALLBACK_BYTES ((u32)(4096 - CWRC_ROOM))
#define CALLBACKS_READY (2 * CWRC_CALLBACKS)
#define CALLBACKS_MOST (CALLBACKS_READY + CWRC_CALLBACKS * CWRC_RAILS)

static struct cwrc_callback *cwrc_callback_of(struct rpc_rqst *rqst)
{
	return container_of(rqst, struct cwrc_callback, rqst);
}

size_t cwrc_callback_payload(struct rpc_xprt *xprt)
{
	const struct cwr_connection *info = &cwrc_transport_of(xprt)->info;
	u32 most = min(READ_ONCE(info->inline_send), READ_ONCE(info->inline_receive));

	return min(most ?: CWR_INLINE_DEFAULT, CALLBACK_BYTES) - CWR_HEADER_MIN;
}

unsigned int cwrc_callback_slots(struct rpc_xprt *xprt)
{
	return CWRC_CALLBACKS;
}

/* ---- memory ---- */

static void cwrc_callback_dispose(struct cwrc_callback *callback)
{
	cwrc_call_exit(&callback->call);
	kfree(callback->request);
	kfree(callback);
}

/* The last user of a callback's call is gone. */
static void cwrc_callback_free_last(struct cwrc_call *call)
{
	struct cwrc_callback *callback = container_of(call, struct cwrc_callback, call);
	struct rpc_xprt *xprt = callback->rqst.rq_xprt;

	spin_lock(&xprt->bc_pa_lock);
	list_add(&callback->rqst.rq_bc_pa_list, &xprt->bc_pa_list);
	spin_unlock(&xprt->bc_pa_lock);
}

static struct cwrc_callback *cwrc_callback_make(struct cwrc_transport *t, gfp_t gfp)
{
	struct cwrc_callback *callback = kzalloc(sizeof(*callback), gfp);
	struct rpc_rqst *rqst;

	if (!callback)
		return NULL;
	callback->request = kmalloc(CALLBACK_BYTES, gfp);
	if (!callback->request ||
	    cwrc_call_init(&callback->call, t, CALLBACK_BYTES, gfp, cwrc_callback_free_last)) {
		kfree(callback->request);
		kfree(callback);
		return NULL;
	}
	rqst = &callback->rqst;
	rqst->rq_xprt = &t->xprt;
	INIT_LIST_HEAD(&rqst->rq_bc_pa_list);
	__set_bit(RPC_BC_PA_IN_USE, &rqst->rq_bc_pa_state);
	return callback;
}

static struct cwrc_callback *cwrc_callback_get(struct cwrc_transport *t)
{
	struct rpc_xprt *xprt = &t->xprt;
	struct cwrc_callback *callback;
	struct rpc_rqst *rqst;
	bool more;

	spin_lock(&xprt->bc_pa_lock);
	rqst = list_first_entry_or_null(&xprt->bc_pa_list, struct rpc_rqst, rq_bc_pa_list);
	if (rqst)
		list_del_init(&rqst->rq_bc_pa_list);
	more = !rqst && xprt->bc_alloc_count < CALLBACKS_MOST;
	if (more)
		xprt->bc_alloc_count++;
	spin_unlock(&xprt->bc_pa_lock);
	if (rqst)
		return cwrc_callback_of(rqst);
	if (!more)
		return NULL;
	callback = cwrc_callback_make(t, GFP_NOWAIT | __GFP_NOWARN);
	if (!callback) {
		spin_lock(&xprt->bc_pa_lock);
		xprt->bc_alloc_count--;
		spin_unlock(&xprt->bc_pa_lock);
	}
	return callback;
}

/* The server's call got its reply, or will get none. */
static void cwrc_callback_close(struct cwrc_callback *callback)
{
	if (callback->open)
		atomic_dec(&callback->call.transport->callbacks);
	callback->open = false;
}

/* SunRPC is done with the callback; the adapter may still be sending its reply. */
void cwrc_callback_free(struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;

	cwrc_callback_close(cwrc_callback_of(rqst));
	cwrc_call_put(&cwrc_callback_of(rqst)->call);
	xprt_put(xprt); /* from cwrc_callback_pass() */
}

void cwrc_callbacks_free(struct cwrc_transport *t)
{
	struct rpc_rqst *rqst, *next;

	list_for_each_entry_safe(rqst, next, &t->xprt.bc_pa_list, rq_bc_pa_list) {
		list_del(&rqst->rq_bc_pa_list);
		cwrc_callback_dispose(cwrc_callback_of(rqst));
	}
}

/* NFS calls this once for each of its clients on the transport. Callbacks that exist stay. */
static int cwrc_callbacks_prepare(struct cwrc_transport *t)
{
	struct rpc_xprt *xprt = &t->xprt;

	for (;;) {
		struct cwrc_callback *callback;
		bool enough;

		spin_lock(&xprt->bc_pa_lock);
		enough = xprt->bc_alloc_count >= CALLBACKS_READY;
		xprt->bc_alloc_count += !enough;
		spin_unlock(&xprt->bc_pa_lock);
		if (enough)
			return 0;
		callback = cwrc_callback_make(t, GFP_KERNEL);
		spin_lock(&xprt->bc_pa_lock);
		if (callback)
			list_add(&callback->rqst.rq_bc_pa_list, &xprt->bc_pa_list);
		else
			xprt->bc_alloc_count--;
		spin_unlock(&xprt->bc_pa_lock);
		if (!callback)
			return -ENOMEM;
	}
}

int cwrc_callback_setup(struct rpc_xprt *xprt, unsigned int requests)
{
	struct cwr_connection *info = &cwrc_transport_of(xprt)->info;
	unsigned long flags;
	int ret;

	ret = cwrc_callbacks_prepare(cwrc_transport_of(xprt));
	if (ret)
		return ret;
	spin_lock_irqsave(&info->lock, flags);
	info->backchannel = true;
	spin_unlock_irqrestore(&info->lock, flags);
	spin_lock(&xprt->bc_pa_lock);
	cwrc_transport_of(xprt)->answers_callbacks = true;
	spin_unlock(&xprt->bc_pa_lock);
	return 0;
}

/* To the threads of @serv, which bc_pa_lock keeps. */
static void cwrc_callback_enqueue(struct svc_serv *serv, struct rpc_rqst *rqst)
{
	lwq_enqueue(&rqst->rq_bc_list, &serv->sv_cb_list);
	svc_pool_wake_idle_thread(&serv->sv_pools[0]);
}

/* Those of @xprt that no thread has taken, onto @left by rq_bc_pa_list. Under bc_pa_lock. */
static void cwrc_callbacks_dequeue(struct svc_serv *serv, struct rpc_xprt *xprt,
				   struct list_head *left)
{
	struct llist_node *all = lwq_dequeue_all(&serv->sv_cb_list), **at, *after;
	struct rpc_rqst *rqst;

	lwq_for_each_safe(rqst, at, after, &all, rq_bc_list) {
		if (rqst->rq_xprt == xprt)
			list_add_tail(&rqst->rq_bc_pa_list, left);
		else
			cwrc_callback_enqueue(serv, rqst);
		rqst = NULL; /* is not in the chain any more */
	}
}

/*
 * NFS drops its callback service after this, but the transport lives on. No callback is passed to
 * the service from here on, and those that no thread of the service has taken are freed. Their
 * memory is freed with the transport.
 */
void cwrc_callback_destroy(struct rpc_xprt *xprt, unsigned int requests)
{
	struct svc_serv *serv = READ_ONCE(xprt->bc_serv);
	struct rpc_rqst *rqst, *next;
	LIST_HEAD(left);

	spin_lock(&xprt->bc_pa_lock);
	if (cwrc_transport_of(xprt)->answers_callbacks && serv)
		cwrc_callbacks_dequeue(serv, xprt, &left);
	cwrc_transport_of(xprt)->answers_callbacks = false;
	spin_unlock(&xprt->bc_pa_lock);
	list_for_each_entry_safe(rqst, next, &left, rq_bc_pa_list) {
		list_del(&rqst->rq_bc_pa_list);
		cwrc_callback_free(rqst);
	}
}

/* ---- calls and replies ---- */

/* Passes a callback to NFS's service. False: there is none. A service holds the transport. */
static bool cwrc_callback_pass(struct cwrc_transport *t, struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = &t->xprt;
	struct svc_serv *serv;

	spin_lock(&xprt->bc_pa_lock);
	serv = t->answers_callbacks ? READ_ONCE(xprt->bc_serv) : NULL;
	if (serv) {
		xprt_get(xprt); /* put in cwrc_callback_free() */
		cwrc_callback_enqueue(serv, rqst);
	}
	spin_unlock(&xprt->bc_pa_lock);
	return serv;
}

void cwrc_callback_received(struct cwrc_connection *conn, const void *message, u32 len)
{
	struct cwrc_transport *t = conn->transport;
	struct cwrc_callback *callback;
	struct rpc_rqst *rqst;

	cwr_count(&t->info, CW_NFS_BACK_CALLS, 1);
	if (!READ_ONCE(t->answers_callbacks) || len > CALLBACK_BYTES) {
		cwr_count(&t->info, CW_NFS_MALFORMED, 1);
		return;
	}
	if (atomic_read(&t->callbacks) >= (int)(CWRC_CALLBACKS * READ_ONCE(t->rails))) {
		cw_endpoint_kill(&conn->ep, -EPROTO,
				 "the server makes more callbacks than we grant");
		return;
	}
	callback = cwrc_callback_get(t);
	if (!callback) {
		cw_endpoint_kill(&conn->ep, -ENOMEM, "no memory for a callback of the server");
		return;
	}
	atomic_inc(&t->callbacks);
	callback->open = true;
	memcpy(callback->request, message, len);
	refcount_set(&callback->call.users, 1);
	callback->connection = conn->number;
	rqst = &callback->rqst;
	rqst->rq_xid = cpu_to_be32(cwr_get32(message));
	rqst->rq_reply_bytes_recvd = 0;
	rqst->rq_bytes_sent = 0;
	xdr_buf_init(&rqst->rq_rcv_buf, callback->request, len);
	rqst->rq_rcv_buf.head[0].iov_len = len;
	rqst->rq_rcv_buf.len = len;
	rqst->rq_private_buf.len = len;
	xdr_buf_init(&rqst->rq_snd_buf, callback->call.memory + CWRC_ROOM, CALLBACK_BYTES);
	if (!cwrc_callback_pass(t, rqst)) {
		cwrc_callback_close(callback);
		cwrc_call_put(&callback->call);
	}
}

int cwrc_callback_reply(struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;
	struct cwrc_transport *t = cwrc_transport_of(xprt);
	struct cwrc_callback *callback = cwrc_callback_of(rqst);
	struct cwrc_connection *conn = cwrc_rail_of(t, callback->connection);
	const struct xdr_buf *buf = &rqst->rq_snd_buf;
	struct cwrc_call *call = &callback->call;
	int ret;

	/*
	 * The server accepts the reply only on the queue pair of its call. If that is gone, drop
	 * the reply.
	 */
	if (!conn)
		return 0;
	if (CWR_HEADER_MIN + buf->len > conn->inline_send)
		return -EMSGSIZE;
	call->xid = be32_to_cpu(rqst->rq_xid);
	/* Before the server can receive the reply and send its next call. */
	cwrc_callback_close(callback);
	ret = cwrc_message_send(call, conn, buf, CWRC_CALLBACKS);
	if (ret)
		return ret;
	cwr_count(&t->info, CW_NFS_BACK_REPLIES, 1);
	return 0;
}
