// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners: one for IPv4 and one for IPv6, each a svc_xprt around an id of the connection
 * manager that is bound to no device, so that devices may come and go.
 *
 * A request makes a connection at once, which waits in the listener's queue until a thread of
 * nfsd accepts it: only then are its queue pair and memory made. The queue is short; who finds
 * it full is rejected and may come again.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sunrpc/xprt.h>
#include <rdma/ib_cm.h>

#include "parts.h"
#include "trace.h"

#define CWRS_BACKLOG 64

struct cwrs_listener {
	struct svc_xprt xprt;
	struct rdma_cm_id *cm;
	spinlock_t lock; /* pending, count; process context */
	struct list_head pending;
	u32 count;
};

static struct cwrs_listener *cwrs_listener(struct svc_xprt *xprt)
{
	return container_of(xprt, struct cwrs_listener, xprt);
}

/* Returning non-zero destroys @cm, which is the new id of a request. */
static int cwrs_request(struct cwrs_listener *listener, struct rdma_cm_id *cm,
			const struct rdma_conn_param *asked)
{
	struct cwrs_conn *conn = NULL;

	if (READ_ONCE(listener->count) < CWRS_BACKLOG)
		conn = cwrs_conn_create(&listener->xprt, cm, asked);
	if (!conn) {
		rdma_reject(cm, NULL, 0, IB_CM_REJ_CONSUMER_DEFINED);
		return -ENOMEM;
	}
	spin_lock(&listener->lock);
	list_add_tail(&conn->entry, &listener->pending);
	listener->count++;
	set_bit(XPT_CONN, &listener->xprt.xpt_flags);
	spin_unlock(&listener->lock);
	svc_xprt_enqueue(&listener->xprt);
	return 0;
}

static int cwrs_listener_event(struct rdma_cm_id *cm, struct rdma_cm_event *event)
{
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	return cwrs_request(cm->context, cm, &event->param.conn);
}

/* The next connection that waits, or NULL. */
static struct cwrs_conn *cwrs_listener_next(struct cwrs_listener *listener)
{
	struct cwrs_conn *conn;

	spin_lock(&listener->lock);
	conn = list_first_entry_or_null(&listener->pending, struct cwrs_conn, entry);
	if (conn) {
		list_del_init(&conn->entry);
		listener->count--;
	}
	if (list_empty(&listener->pending))
		clear_bit(XPT_CONN, &listener->xprt.xpt_flags);
	spin_unlock(&listener->lock);
	return conn;
}

/* xpo_accept, in a thread of nfsd. */
static struct svc_xprt *cwrs_listener_accept(struct svc_xprt *xprt)
{
	struct cwrs_conn *conn = cwrs_listener_next(cwrs_listener(xprt));
	int ret;

	if (!conn)
		return NULL;
	ret = cwrs_conn_accept(conn);
	trace_cwrs_accepted(conn, ret);
	if (!ret)
		return &conn->xprt;
	pr_info_ratelimited("causeway_rpcrdma: no connection for %s (%d)\n",
			    conn->xprt.xpt_remotebuf, ret);
	cwrs_conn_discard(conn);
	return NULL;
}

/* After it no request comes; nfsd does not accept any more. */
static void cwrs_listener_detach(struct svc_xprt *xprt)
{
	struct cwrs_listener *listener = cwrs_listener(xprt);
	struct cwrs_conn *conn;

	rdma_destroy_id(listener->cm);
	listener->cm = NULL;
	while ((conn = cwrs_listener_next(listener)))
		cwrs_conn_discard(conn);
}

static void cwrs_listener_free(struct svc_xprt *xprt)
{
	kfree(cwrs_listener(xprt));
}

static int cwrs_listener_has_wspace(struct svc_xprt *xprt)
{
	return 1;
}

/* nfsd calls it after each accept. */
static void cwrs_listener_release_ctxt(struct svc_xprt *xprt, void *ctxt)
{
}

static void cwrs_listener_kill_temp(struct svc_xprt *xprt)
{
}

const struct svc_xprt_ops cwrs_listener_ops = {
	.xpo_accept = cwrs_listener_accept,
	.xpo_has_wspace = cwrs_listener_has_wspace,
	.xpo_release_ctxt = cwrs_listener_release_ctxt,
	.xpo_detach = cwrs_listener_detach,
	.xpo_free = cwrs_listener_free,
	.xpo_kill_temp_xprt = cwrs_listener_kill_temp,
};

static struct rdma_cm_id *cwrs_listen(struct net *net, struct sockaddr *sa,
				      struct cwrs_listener *listener)
{
	struct rdma_cm_id *cm;
	int ret;

	cm = rdma_create_id(net, cwrs_listener_event, listener, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(cm))
		return cm;
	ret = rdma_set_afonly(cm, 1);
	if (!ret)
		ret = rdma_bind_addr(cm, sa);
	if (!ret)
		ret = rdma_listen(cm, CWRS_BACKLOG);
	if (ret) {
		rdma_destroy_id(cm);
		return ERR_PTR(ret);
	}
	return cm;
}

struct svc_xprt *cwrs_listener_create(struct svc_serv *serv, struct net *net, struct sockaddr *sa,
				      int salen, int flags)
{
	struct cwrs_listener *listener;
	struct rdma_cm_id *cm;

	listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	if (!listener)
		return ERR_PTR(-ENOMEM);
	svc_xprt_init(net, &cwrs_class, &listener->xprt, serv);
	listener->xprt.xpt_ops = &cwrs_listener_ops;
	set_bit(XPT_LISTENER, &listener->xprt.xpt_flags);
	strscpy(listener->xprt.xpt_remotebuf, "listener", sizeof(listener->xprt.xpt_remotebuf));
	spin_lock_init(&listener->lock);
	INIT_LIST_HEAD(&listener->pending);

	/* Requests that come now wait for nfsd, which holds XPT_BUSY until this returns. */
	cm = cwrs_listen(net, sa, listener);
	if (IS_ERR(cm)) {
		/* The put gives back a reference to the module, and the caller gives one back. */
		__module_get(THIS_MODULE);
		svc_xprt_put(&listener->xprt);
		return ERR_CAST(cm);
	}
	listener->cm = cm;
	/* The port may have been 0. */
	svc_xprt_set_local(&listener->xprt, (struct sockaddr *)&cm->route.addr.src_addr, salen);
	return &listener->xprt;
}
