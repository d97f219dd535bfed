// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners: each is a svc_xprt around an id of the connection manager.
 *
 * rpc.nfsd makes one for IPv4 and one for IPv6, bound to no address. For these, the connection
 * manager listens on each device, and follows devices that come and go. A listener of a certain
 * address (nfsdctl) has an id that is bound to the device with that address. This id must be
 * destroyed when the device is removed, or the removal waits forever, and it must move when the
 * address moves. So listen_work destroys the id and makes a new one: after the connection manager
 * reported a removal or an address change, after that address was added to the machine, and each
 * second while no device has the address.
 *
 * A request makes a connection at once, which waits in the listener's queue until a thread of nfsd
 * accepts it; its queue pair and memory are made then. The queue is short. A client that finds it
 * full is rejected and may try again.
 */
#include <linux/inetdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sunrpc/addr.h>
#include <linux/sunrpc/xprt.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <rdma/ib_cm.h>

#include "connection.h"
#include "limits.h"
#include "listener.h"
#include "trace.h"

#define CWRS_BACKLOG 64
#define CWRS_LISTEN_AGAIN HZ

static DEFINE_SPINLOCK(cwrs_bound_lock); /* bh; guards cwrs_bound and the entries */
static LIST_HEAD(cwrs_bound);

struct cwrs_listener {
	struct svc_xprt xprt;
	struct sockaddr_storage address; /* as requested by nfsd */
	struct list_head entry; /* in cwrs_bound, if bound to an address */
	struct delayed_work listen_work;
	struct mutex cm_lock; /* guards cm and detached; the handler of @cm must not take it */
	struct rdma_cm_id *cm; /* NULL: no device has the address */
	bool detached;
	spinlock_t lock; /* guards pending and count; process context */
	struct list_head pending;
	u32 count;
};

static struct cwrs_listener *cwrs_listener(struct svc_xprt *xprt)
{
	return container_of(xprt, struct cwrs_listener, xprt);
}

/* A non-zero result destroys @cm, the new id of the request. */
static int cwrs_request(struct cwrs_listener *listener, struct rdma_cm_id *cm,
			const struct rdma_conn_param *asked)
{
	struct cwrs_connection *conn = NULL;

	if (cwrs_memory_is_scarce())
		cwrs_limit_met(CWRS_REFUSED);
	else if (READ_ONCE(listener->count) < CWRS_BACKLOG)
		conn = cwrs_connection_create(&listener->xprt, cm, asked);
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
	struct cwrs_listener *listener = cm->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return cwrs_request(listener, cm, &event->param.conn);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		/* A handler must not destroy its own id, so a work does it. */
		mod_delayed_work(cwrs_workqueue, &listener->listen_work, 0);
		return 0;
	default:
		return 0;
	}
}

/* Takes the next pending connection. NULL: there is none. */
static struct cwrs_connection *cwrs_listener_next(struct cwrs_listener *listener)
{
	struct cwrs_connection *conn;

	spin_lock(&listener->lock);
	conn = list_first_entry_or_null(&listener->pending, struct cwrs_connection, entry);
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
	struct cwrs_connection *conn = cwrs_listener_next(cwrs_listener(xprt));
	int ret;

	if (!conn)
		return NULL;
	ret = cwrs_connection_accept(conn);
	trace_cwrs_accepted(conn, ret);
	if (!ret)
		return &conn->xprt;
	pr_info_ratelimited("causeway_rpcrdma: no connection for %s (%d)\n",
			    conn->xprt.xpt_remotebuf, ret);
	cwrs_connection_discard(conn);
	return NULL;
}

/* xpo_detach. On return no request arrives any more; nfsd has stopped to accept. */
static void cwrs_listener_detach(struct svc_xprt *xprt)
{
	struct cwrs_listener *listener = cwrs_listener(xprt);
	struct cwrs_connection *conn;

	spin_lock_bh(&cwrs_bound_lock);
	list_del_init(&listener->entry);
	spin_unlock_bh(&cwrs_bound_lock);
	mutex_lock(&listener->cm_lock);
	listener->detached = true;
	if (listener->cm)
		rdma_destroy_id(listener->cm);
	listener->cm = NULL;
	mutex_unlock(&listener->cm_lock);
	/* Not queued again: the handlers have ended, and the listener is not in cwrs_bound. */
	cancel_delayed_work_sync(&listener->listen_work);
	while ((conn = cwrs_listener_next(listener)))
		cwrs_connection_discard(conn);
}

static void cwrs_listener_free(struct svc_xprt *xprt)
{
	kfree(cwrs_listener(xprt));
}

static int cwrs_listener_has_wspace(struct svc_xprt *xprt)
{
	return 1;
}

/* xpo_release_ctxt: nfsd calls it after each accept. */
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

static void cwrs_listen_again(struct work_struct *work)
{
	struct cwrs_listener *listener =
		container_of(to_delayed_work(work), struct cwrs_listener, listen_work);
	struct rdma_cm_id *cm;

	mutex_lock(&listener->cm_lock);
	if (listener->detached)
		goto unlock;
	if (listener->cm)
		rdma_destroy_id(listener->cm);
	cm = cwrs_listen(listener->xprt.xpt_net, (struct sockaddr *)&listener->address, listener);
	trace_cwrs_listens(&listener->xprt, PTR_ERR_OR_ZERO(cm));
	listener->cm = IS_ERR(cm) ? NULL : cm;
	if (!listener->cm)
		queue_delayed_work(cwrs_workqueue, &listener->listen_work, CWRS_LISTEN_AGAIN);
unlock:
	mutex_unlock(&listener->cm_lock);
}

/* ---- addresses that move ---- */

static bool cwrs_is_at(const struct cwrs_listener *listener, const struct sockaddr *address)
{
	return rpc_cmp_addr((const struct sockaddr *)&listener->address, address);
}

static void cwrs_address_added(const struct sockaddr *address)
{
	struct cwrs_listener *listener;

	spin_lock_bh(&cwrs_bound_lock);
	list_for_each_entry(listener, &cwrs_bound, entry)
		if (cwrs_is_at(listener, address))
			mod_delayed_work(cwrs_workqueue, &listener->listen_work, 0);
	spin_unlock_bh(&cwrs_bound_lock);
}

static int cwrs_inet_event(struct notifier_block *block, unsigned long event, void *data)
{
	const struct in_ifaddr *added = data;
	struct sockaddr_in address = { .sin_family = AF_INET };

	address.sin_addr.s_addr = added->ifa_local;
	if (event == NETDEV_UP)
		cwrs_address_added((struct sockaddr *)&address);
	return NOTIFY_DONE;
}

static struct notifier_block cwrs_inet_notifier = { .notifier_call = cwrs_inet_event };

static int cwrs_inet6_event(struct notifier_block *block, unsigned long event, void *data)
{
	const struct inet6_ifaddr *added = data;
	struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_addr = added->addr };

	if (event == NETDEV_UP)
		cwrs_address_added((struct sockaddr *)&address);
	return NOTIFY_DONE;
}

static struct notifier_block cwrs_inet6_notifier = { .notifier_call = cwrs_inet6_event };

int cwrs_listeners_register(void)
{
	int ret;

	ret = register_inetaddr_notifier(&cwrs_inet_notifier);
	if (ret)
		return ret;
	ret = register_inet6addr_notifier(&cwrs_inet6_notifier);
	if (ret)
		unregister_inetaddr_notifier(&cwrs_inet_notifier);
	return ret;
}

void cwrs_listeners_unregister(void)
{
	unregister_inet6addr_notifier(&cwrs_inet6_notifier);
	unregister_inetaddr_notifier(&cwrs_inet_notifier);
}

/* ---- creation ---- */

static bool cwrs_is_any(const struct sockaddr *sa)
{
	if (sa->sa_family == AF_INET6)
		return ipv6_addr_any(&((const struct sockaddr_in6 *)sa)->sin6_addr);
	return ((const struct sockaddr_in *)sa)->sin_addr.s_addr == htonl(INADDR_ANY);
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
	INIT_LIST_HEAD(&listener->entry);
	INIT_DELAYED_WORK(&listener->listen_work, cwrs_listen_again);
	mutex_init(&listener->cm_lock);
	memcpy(&listener->address, sa, salen);

	/*
	 * Requests that arrive now wait for nfsd, which holds XPT_BUSY until this function returns.
	 */
	mutex_lock(&listener->cm_lock);
	cm = cwrs_listen(net, sa, listener);
	if (IS_ERR(cm)) {
		listener->detached = true;
		mutex_unlock(&listener->cm_lock);
		/* The id is destroyed, but its handler may have queued the work before. */
		cancel_delayed_work_sync(&listener->listen_work);
		/*
		 * svc_xprt_put() and the caller each drop a reference to the module; the caller has
		 * only one.
		 */
		__module_get(THIS_MODULE);
		svc_xprt_put(&listener->xprt);
		return ERR_CAST(cm);
	}
	listener->cm = cm;
	/* If port 0 was requested, the id has the actual port. */
	sa = (struct sockaddr *)&cm->route.addr.src_addr;
	svc_xprt_set_local(&listener->xprt, sa, salen);
	rpc_set_port((struct sockaddr *)&listener->address, rpc_get_port(sa));
	if (!cwrs_is_any(sa)) {
		spin_lock_bh(&cwrs_bound_lock);
		list_add_tail(&listener->entry, &cwrs_bound);
		spin_unlock_bh(&cwrs_bound_lock);
	}
	mutex_unlock(&listener->cm_lock);
	return &listener->xprt;
}
