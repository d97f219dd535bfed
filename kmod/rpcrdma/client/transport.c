// SPDX-License-Identifier: GPL-2.0-only
/*
 * The xprt classes and operations of the client.
 *
 * A transport that is held (XPRT_LOCKED) is used by one context at a time: a task that sends, the
 * work that connects, or SunRPC's work that closes. The holder owns the rails.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sunrpc/addr.h>

#include "../wire/sizes.h"
#include "backchannel.h"
#include "rails.h"
#include "open.h"
#include "reap.h"
#include "request.h"
#include "send.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define SLOTS_DEFAULT 128U
#define SLOTS_MIN 2U
#define SLOTS_KEPT 32U /* slots that SunRPC does not allocate for each call */
#define SLOTS_MAX 1024U
#define BIND_TIMEOUT (60U * HZ)
#define RECONNECT_FIRST (1U * HZ)
#define IDLE_TIMEOUT (5U * 60U * HZ)
#define CWRC_YOUNG (10 * HZ) /* a connection that fails sooner counts as a failed attempt */

static unsigned int slots = SLOTS_DEFAULT;
module_param(slots, uint, 0644);
MODULE_PARM_DESC(slots, "client: calls under way at once over a new transport, 2 to 1024");

struct workqueue_struct *cwrc_workqueue;
struct workqueue_struct *cwrc_completions;

static const struct rpc_timeout cwrc_default_timeout = {
	.to_initval = 60 * HZ,
	.to_maxval = 60 * HZ,
};

/* ---- closing ---- */

/*
 * A connection that failed soon after it was made counts as a failed attempt: the next attempt
 * waits, longer each time, and uses another local address if there is one. Otherwise, with a server
 * that accepts and then drops connections, both ends would make queue pairs without a pause.
 */
static void cwrc_judge_end(struct cwrc_transport *t, int error)
{
	if (error && time_before(jiffies, t->opened + CWRC_YOUNG)) {
		t->failed = error;
		t->suspect = true;
	} else {
		t->xprt.reestablish_timeout = 0;
	}
}

/*
 * The transport is held. Requests without a reply are woken and cause new queue pairs to be opened.
 */
static void cwrc_close(struct rpc_xprt *xprt)
{
	struct cwrc_transport *t = cwrc_transport_of(xprt);
	int error;

	if (cwrc_rails_close(t, &error)) {
		cwrc_judge_end(t, error);
		cwr_connection_state(&t->info, error ? CWR_BROKEN : CWR_IDLE);
	}
	xprt->connect_cookie++;
	xprt_disconnect_done(xprt);
}

/* ---- connecting ---- */

/*
 * Maps @err to an error that call_connect_status() handles; SunRPC ends the RPC for other errors.
 */
static int cwrc_status_of(int err)
{
	switch (err) {
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -ECONNABORTED:
	case -ENETDOWN:
	case -ENETUNREACH:
	case -EHOSTUNREACH:
	case -ETIMEDOUT:
		return err;
	case -EAGAIN:
	case -ENOMEM:
		return -EAGAIN;
	default:
		return -ENETUNREACH;
	}
}

static void cwrc_connect_work(struct work_struct *work)
{
	struct cwrc_transport *t = container_of(work, struct cwrc_transport, connect.work);
	struct rpc_xprt *xprt = &t->xprt;
	unsigned int noio = memalloc_noio_save();
	unsigned int swaps = current->flags & PF_MEMALLOC;
	int ret;

	if (atomic_read(&xprt->swapper))
		current->flags |= PF_MEMALLOC;
	cwr_connection_state(&t->info, CWR_CONNECTING);
	ret = cwrc_rails_open(t);
	xprt_clear_connecting(xprt);
	t->failed = ret;
	if (!ret) {
		xprt->connect_cookie++;
		xprt->stat.connect_count++;
		xprt->stat.connect_time += (long)jiffies - xprt->stat.connect_start;
		xprt_set_connected(xprt);
		ret = -EAGAIN;
	} else {
		cwr_connection_state(&t->info, CWR_BROKEN);
		ret = cwrc_status_of(ret);
	}
	xprt_unlock_connect(xprt, t);
	xprt_wake_pending_tasks(xprt, ret);
	current_restore_flags(swaps, PF_MEMALLOC);
	memalloc_noio_restore(noio);
}

static void cwrc_connect(struct rpc_xprt *xprt, struct rpc_task *task)
{
	struct cwrc_transport *t = cwrc_transport_of(xprt);
	unsigned long delay = 0;

	WARN_ON_ONCE(!xprt_lock_connect(xprt, task, t));
	if (t->failed) {
		delay = xprt_reconnect_delay(xprt);
		xprt_reconnect_backoff(xprt, RECONNECT_FIRST);
		cwr_connection_retry(&t->info, delay);
	}
	queue_delayed_work(cwrc_workqueue, &t->connect, delay);
}

static void cwrc_set_connect_timeout(struct rpc_xprt *xprt, unsigned long connect,
				     unsigned long reconnect)
{
	struct cwrc_transport *t = cwrc_transport_of(xprt);

	spin_lock(&xprt->transport_lock);
	if (connect < xprt->connect_timeout) {
		t->timeout = *xprt->timeout;
		t->timeout.to_initval = max_t(unsigned long, connect, 2 * RECONNECT_FIRST);
		t->timeout.to_maxval = t->timeout.to_initval;
		xprt->timeout = &t->timeout;
		xprt->connect_timeout = connect;
	}
	if (reconnect < xprt->max_reconnect_timeout)
		xprt->max_reconnect_timeout = reconnect;
	spin_unlock(&xprt->transport_lock);
}

/* ---- addresses ---- */

static void cwrc_addresses_free(struct rpc_xprt *xprt)
{
	kfree(xprt->address_strings[RPC_DISPLAY_ADDR]);
	kfree(xprt->address_strings[RPC_DISPLAY_PORT]);
	kfree(xprt->address_strings[RPC_DISPLAY_HEX_ADDR]);
	kfree(xprt->address_strings[RPC_DISPLAY_HEX_PORT]);
}

static void cwrc_port_format(struct rpc_xprt *xprt)
{
	unsigned short port = rpc_get_port((struct sockaddr *)&xprt->addr);

	kfree(xprt->address_strings[RPC_DISPLAY_PORT]);
	xprt->address_strings[RPC_DISPLAY_PORT] = kasprintf(GFP_KERNEL, "%u", port);
	kfree(xprt->address_strings[RPC_DISPLAY_HEX_PORT]);
	xprt->address_strings[RPC_DISPLAY_HEX_PORT] = kasprintf(GFP_KERNEL, "%4hx", port);
}

static int cwrc_addresses_format(struct rpc_xprt *xprt)
{
	const struct sockaddr *sa = (struct sockaddr *)&xprt->addr;
	char text[INET6_ADDRSTRLEN + 16];

	switch (sa->sa_family) {
	case AF_INET:
		snprintf(text, sizeof(text), "%08x",
			 ntohl(((struct sockaddr_in *)sa)->sin_addr.s_addr));
		xprt->address_strings[RPC_DISPLAY_NETID] = RPCBIND_NETID_RDMA;
		break;
	case AF_INET6:
		snprintf(text, sizeof(text), "%pi6", &((struct sockaddr_in6 *)sa)->sin6_addr);
		xprt->address_strings[RPC_DISPLAY_NETID] = RPCBIND_NETID_RDMA6;
		break;
	default:
		return -EAFNOSUPPORT;
	}
	xprt->address_strings[RPC_DISPLAY_HEX_ADDR] = kstrdup(text, GFP_KERNEL);
	rpc_ntop(sa, text, sizeof(text));
	xprt->address_strings[RPC_DISPLAY_ADDR] = kstrdup(text, GFP_KERNEL);
	xprt->address_strings[RPC_DISPLAY_PROTO] = "rdma";
	cwrc_port_format(xprt);
	return 0;
}

static void cwrc_set_port(struct rpc_xprt *xprt, unsigned short port)
{
	rpc_set_port((struct sockaddr *)&xprt->addr, port);
	cwrc_port_format(xprt);
}

static int cwrc_get_srcaddr(struct rpc_xprt *xprt, char *text, size_t size)
{
	struct cwrc_transport *t = cwrc_transport_of(xprt);
	struct sockaddr_storage local;
	unsigned long flags;

	spin_lock_irqsave(&t->info.lock, flags);
	local = t->info.local;
	spin_unlock_irqrestore(&t->info.lock, flags);
	if (!xprt_connected(xprt) || local.ss_family == AF_UNSPEC)
		return -ENOTCONN;
	return snprintf(text, size, "%pISc", &local);
}

static unsigned short cwrc_get_srcport(struct rpc_xprt *xprt)
{
	struct cwrc_transport *t = cwrc_transport_of(xprt);
	unsigned short port = 0;
	unsigned long flags;

	spin_lock_irqsave(&t->info.lock, flags);
	if (t->info.local.ss_family != AF_UNSPEC)
		port = rpc_get_port((struct sockaddr *)&t->info.local);
	spin_unlock_irqrestore(&t->info.lock, flags);
	return port;
}

/* ---- other operations for SunRPC ---- */

/* The columns of the in-tree transport, which programs read (mountstats). */
static void cwrc_print_stats(struct rpc_xprt *xprt, struct seq_file *seq)
{
	struct cwrc_transport *t = cwrc_transport_of(xprt);
	struct cwr_counters c;
	long idle = 0;

	cwr_connection_sum(&t->info, &c);
	if (xprt_connected(xprt))
		idle = (long)(jiffies - xprt->last_used) / HZ;
	seq_printf(seq, "\txprt:\trdma 0 %lu %lu %lu %ld %lu %lu %lu %llu %llu ",
		   xprt->stat.bind_count, xprt->stat.connect_count, xprt->stat.connect_time / HZ,
		   idle, xprt->stat.sends, xprt->stat.recvs, xprt->stat.bad_xids,
		   xprt->stat.req_u, xprt->stat.bklog_u);
	/* Segments: read, write, reply. Bytes: offered, written, copied out, in, allocated. */
	seq_printf(seq, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu ",
		   c.n[CWR_READ_SEGMENTS], c.n[CWR_WRITE_SEGMENTS], c.n[CWR_REPLY_SEGMENTS],
		   c.n[CWR_OFFERED_BYTES], c.n[CWR_WRITTEN_BYTES], c.n[CWR_PULLUP_BYTES],
		   c.n[CWR_FIXUP_BYTES], c.n[CWR_HARDWAY_BYTES], c.n[CWR_FAILED_MARSHALS],
		   c.n[CW_NFS_MALFORMED], c.n[CW_NFS_LONG_CALLS]);
	/* Regions: recycled, orphaned, allocated, invalidated locally; waits for the send queue. */
	seq_printf(seq, "0 0 %llu %llu 0 0\n", c.n[CWR_REGIONS_ALLOCATED],
		   c.n[CW_NFS_INVALIDATIONS]);
}

static int cwrc_enable_swap(struct rpc_xprt *xprt)
{
	return 0;
}

static void cwrc_disable_swap(struct rpc_xprt *xprt)
{
}

static void cwrc_inject_disconnect(struct rpc_xprt *xprt)
{
	struct cwrc_connection *conn = cwrc_rail_pick(cwrc_transport_of(xprt));

	if (conn)
		cw_endpoint_kill(&conn->ep, -ECONNABORTED, "a test asked for it");
}

/* A transport with a backchannel may have rails from any address: see open.c. */
static int cwrc_callbacks_setup(struct rpc_xprt *xprt, unsigned int requests)
{
	int ret = cwrc_callback_setup(xprt, requests);

	if (!ret)
		cwrc_rails_free_to_roam(cwrc_transport_of(xprt));
	return ret;
}

/* ---- creation and destruction ---- */

/* The last user is gone. The transport is held. */
static void cwrc_destroy(struct rpc_xprt *xprt)
{
	struct cwrc_transport *t = cwrc_transport_of(xprt);
	int error;

	cancel_delayed_work_sync(&t->connect);
	cwrc_rails_close(t, &error);
	cancel_work_sync(&t->reap);
	cwrc_callbacks_free(t);
	cwrc_calls_free(t);
	cwr_connection_remove(&t->info);
	cwrc_addresses_free(xprt);
	xprt_free(xprt);
	module_put(THIS_MODULE);
}

/*
 * There is no timer for replies: the queue pair detects a dead server (connection.c), and another
 * connection does not help with a slow one. If SunRPC stops waiting, it sends the call again, which
 * causes a new connection (send.c).
 */
static const struct rpc_xprt_ops cwrc_ops = {
	.reserve_xprt = xprt_reserve_xprt_cong,
	.release_xprt = cwrc_release_xprt,
	.alloc_slot = xprt_alloc_slot,
	.free_slot = xprt_free_slot,
	.release_request = cwrc_release_request,
	.rpcbind = rpcb_getport_async,
	.set_port = cwrc_set_port,
	.connect = cwrc_connect,
	.get_srcaddr = cwrc_get_srcaddr,
	.get_srcport = cwrc_get_srcport,
	.buf_alloc = cwrc_buf_alloc,
	.buf_free = cwrc_buf_free,
	.send_request = cwrc_send_request,
	.wait_for_reply_request = xprt_wait_for_reply_request_def,
	.close = cwrc_close,
	.destroy = cwrc_destroy,
	.set_connect_timeout = cwrc_set_connect_timeout,
	.print_stats = cwrc_print_stats,
	.enable_swap = cwrc_enable_swap,
	.disable_swap = cwrc_disable_swap,
	.inject_disconnect = cwrc_inject_disconnect,
	.bc_setup = cwrc_callbacks_setup,
	.bc_maxpayload = cwrc_callback_payload,
	.bc_num_slots = cwrc_callback_slots,
	.bc_free_rqst = cwrc_callback_free,
	.bc_destroy = cwrc_callback_destroy,
};

static struct xprt_class cwrc_class;

static struct rpc_xprt *cwrc_setup(struct xprt_create *args)
{
	unsigned int most = clamp(READ_ONCE(slots), SLOTS_MIN, SLOTS_MAX);
	struct cwrc_transport *t;
	struct rpc_xprt *xprt;
	int ret = -ENOMEM;

	if (args->addrlen > sizeof(xprt->addr))
		return ERR_PTR(-EBADF);
	if (!try_module_get(THIS_MODULE))
		return ERR_PTR(-EIO);
	xprt = xprt_alloc(args->net, sizeof(*t), min(most, SLOTS_KEPT), most);
	if (!xprt)
		goto put_module;
	t = cwrc_transport_of(xprt);

	xprt->ops = &cwrc_ops;
	xprt->timeout = &cwrc_default_timeout;
	xprt->connect_timeout = cwrc_default_timeout.to_initval;
	xprt->max_reconnect_timeout = cwrc_default_timeout.to_maxval;
	xprt->bind_timeout = BIND_TIMEOUT;
	xprt->reestablish_timeout = RECONNECT_FIRST;
	xprt->idle_timeout = IDLE_TIMEOUT;
	xprt->prot = IPPROTO_TCP; /* for the other protocols: MOUNT, NLM, rpcbind */
	xprt->xprt_class = &cwrc_class;
	xprt->max_payload = CWR_PAYLOAD_MAX;
	xprt->addrlen = args->addrlen;
	memcpy(&xprt->addr, args->dstaddr, args->addrlen);
	if (rpc_get_port(args->dstaddr))
		xprt_set_bound(xprt);
	ret = cwrc_addresses_format(xprt);
	if (ret)
		goto free_xprt;

	spin_lock_init(&t->calls_lock);
	INIT_LIST_HEAD(&t->calls);
	INIT_LIST_HEAD(&t->free_calls);
	spin_lock_init(&t->regions_lock);
	cwrc_rails_init(t);
	INIT_WORK(&t->reap, cwrc_reap_work);
	INIT_DELAYED_WORK(&t->connect, cwrc_connect_work);
	if (args->servername)
		strscpy(t->info.server, args->servername, sizeof(t->info.server));
	cwr_connection_add(&t->info, CWR_ROLE_CLIENT, args->dstaddr);
	return xprt;

free_xprt:
	xprt_free(xprt);
put_module:
	module_put(THIS_MODULE);
	return ERR_PTR(ret);
}

static struct xprt_class cwrc_class = {
	.list = LIST_HEAD_INIT(cwrc_class.list),
	.name = "rdma",
	.owner = THIS_MODULE,
	.ident = XPRT_TRANSPORT_RDMA,
	.setup = cwrc_setup,
	.netid = { "rdma", "rdma6", "" },
};

int cwrc_register(void)
{
	int ret;

	/*
	 * WQ_MEM_RECLAIM: connections are made and ended while memory is short, possibly to free
	 * some.
	 */
	cwrc_workqueue = alloc_workqueue("cw_rpcrdma", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!cwrc_workqueue)
		return -ENOMEM;
	ret = -ENOMEM;
	cwrc_completions = alloc_workqueue("cw_rpcrdma_done", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!cwrc_completions)
		goto destroy_queue;
	ret = xprt_register_transport(&cwrc_class);
	if (ret)
		goto destroy_completions;
	return 0;

destroy_completions:
	destroy_workqueue(cwrc_completions);
destroy_queue:
	destroy_workqueue(cwrc_workqueue);
	return ret;
}

void cwrc_unregister(void)
{
	xprt_unregister_transport(&cwrc_class);
	destroy_workqueue(cwrc_completions);
	destroy_workqueue(cwrc_workqueue);
}
