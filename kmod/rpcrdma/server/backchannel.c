// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the server to the client over the client's own connection (RFC 8167): recalls of
 * delegations and layouts, in NFS 4.1 and later.
 *
 * nfsd makes an RPC client on a transport of the class below. This transport does not connect: it
 * uses a svc_xprt, which lives longer (nfsd holds both), and its calls are messages without chunks
 * among the answers. A reply of the client arrives like any message, and a thread of nfsd passes it
 * to the call that waits. The client grants credits for these calls, independent of the credits
 * that the server grants.
 */
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sunrpc/sched.h>
#include <linux/sunrpc/xprt.h>

#include "backchannel.h"
#include "connection.h"
#include "receives.h"
#include "send.h"

#define CWRS_BACK_TIMEOUT (60 * HZ)

static const struct rpc_timeout cwrs_back_timeout = {
	.to_initval = CWRS_BACK_TIMEOUT,
	.to_maxval = CWRS_BACK_TIMEOUT,
};

/* ---- calls ---- */

static int cwrs_back_alloc(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;

	rqst->rq_buffer = kmalloc(rqst->rq_callsize + rqst->rq_rcvsize, rpc_task_gfp_mask());
	if (!rqst->rq_buffer)
		return -ENOMEM;
	rqst->rq_rbuffer = rqst->rq_buffer + rqst->rq_callsize;
	return 0;
}

static void cwrs_back_free(struct rpc_task *task)
{
	kfree(task->tk_rqstp->rq_buffer);
}

/* Sends a copy, so that the buffer of the call may be freed before the adapter is done. */
static int cwrs_back_send(struct rpc_rqst *rqst)
{
	struct cwrs_connection *conn = cwrs_connection(rqst->rq_xprt->bc_xprt);
	const struct xdr_buf *buf = &rqst->rq_snd_buf;
	struct cwrs_send *send;

	/*
	 * Without this, SunRPC regards the transport as connected and retries at once, until nfsd
	 * closes it.
	 */
	if (cwrs_is_dead(conn)) {
		xprt_disconnect_done(rqst->rq_xprt);
		return -ENOTCONN;
	}
	if (buf->len > conn->send_inline - CWR_HEADER_MIN)
		return -EMSGSIZE;
	if (!xprt_request_get_cong(rqst->rq_xprt, rqst))
		return -EBADSLT;
	send = cwrs_send_get(conn, rpc_task_gfp_mask());
	if (!send)
		return -ENOBUFS;
	cwr_put_plain(send->data, be32_to_cpu(rqst->rq_xid), CWRS_BACK_CALLS);
	if (read_bytes_from_xdr_buf(buf, 0, send->data + CWR_HEADER_MIN, buf->len)) {
		cwrs_send_put(send);
		return -EIO;
	}
	rqst->rq_xtime = ktime_get();
	rqst->rq_xmit_bytes_sent += buf->len;
	cwr_count(&conn->info, CW_NFS_BACK_CALLS, 1);
	cwrs_send_post(send, CWR_HEADER_MIN + buf->len, 0);
	return 0;
}

/* ---- replies ---- */

static void cwrs_back_grant(struct rpc_xprt *xprt, u32 credits)
{
	spin_lock(&xprt->transport_lock);
	xprt->cwnd = (unsigned long)cwr_credits(credits, CWRS_BACK_CALLS) << RPC_CWNDSHIFT;
	spin_unlock(&xprt->transport_lock);
}

void cwrs_back_reply(struct cwrs_receive *rx)
{
	struct rpc_xprt *xprt = READ_ONCE(rx->conn->xprt.xpt_bc_xprt);
	u32 length = rx->length - rx->header.len;
	struct rpc_rqst *rqst;
	struct kvec *head;

	if (!xprt)
		return;
	cwrs_back_grant(xprt, rx->header.credits);
	spin_lock(&xprt->queue_lock);
	rqst = xprt_lookup_rqst(xprt, cpu_to_be32(rx->header.xid));
	if (!rqst)
		goto unlock;
	head = &rqst->rq_private_buf.head[0];
	if (length > head->iov_len)
		goto unlock; /* larger than any valid reply: the call times out */
	xprt_pin_rqst(rqst);
	spin_unlock(&xprt->queue_lock);

	memcpy(head->iov_base, rx->buf->data + rx->header.len, length);
	cwr_count(&rx->conn->info, CW_NFS_BACK_REPLIES, 1);

	spin_lock(&xprt->queue_lock);
	xprt_complete_rqst(rqst->rq_task, length);
	xprt_unpin_rqst(rqst);
unlock:
	spin_unlock(&xprt->queue_lock);
}

/* ---- creation and destruction ---- */

/* Ends no connection: nfsd ends the one that this transport uses. */
static void cwrs_back_close(struct rpc_xprt *xprt)
{
	xprt_disconnect_done(xprt);
}

static void cwrs_back_destroy(struct rpc_xprt *xprt)
{
	kfree(xprt->address_strings[RPC_DISPLAY_ADDR]);
	kfree(xprt->address_strings[RPC_DISPLAY_PORT]);
	xprt_free(xprt);
	module_put(THIS_MODULE);
}

static void cwrs_back_print_stats(struct rpc_xprt *xprt, struct seq_file *seq)
{
	seq_printf(seq, "\txprt:\trdma-bc %lu %lu\n", xprt->stat.sends, xprt->stat.recvs);
}

static const struct rpc_xprt_ops cwrs_back_ops = {
	.reserve_xprt = xprt_reserve_xprt_cong,
	.release_xprt = xprt_release_xprt_cong,
	.alloc_slot = xprt_alloc_slot,
	.free_slot = xprt_free_slot,
	.release_request = xprt_release_rqst_cong,
	.buf_alloc = cwrs_back_alloc,
	.buf_free = cwrs_back_free,
	.send_request = cwrs_back_send,
	.wait_for_reply_request = xprt_wait_for_reply_request_def,
	.close = cwrs_back_close,
	.destroy = cwrs_back_destroy,
	.print_stats = cwrs_back_print_stats,
};

static int cwrs_back_name(struct rpc_xprt *xprt)
{
	struct sockaddr *sa = (struct sockaddr *)&xprt->addr;

	xprt->address_strings[RPC_DISPLAY_ADDR] = kasprintf(GFP_KERNEL, "%pISc", sa);
	xprt->address_strings[RPC_DISPLAY_PORT] = kasprintf(GFP_KERNEL, "%u", svc_addr_port(sa));
	xprt->address_strings[RPC_DISPLAY_PROTO] = "rdma";
	xprt->address_strings[RPC_DISPLAY_NETID] = "rdma";
	if (!xprt->address_strings[RPC_DISPLAY_ADDR] || !xprt->address_strings[RPC_DISPLAY_PORT])
		return -ENOMEM;
	return 0;
}

/*
 * Adds receives for the client's replies, once for a connection: nfsd may make several RPC clients.
 */
static int cwrs_back_receives(struct cwrs_connection *conn)
{
	int ret;

	if (test_and_set_bit(CWRS_HAS_BACK_RECEIVES, &conn->flags))
		return 0;
	ret = cwrs_receives_add(conn, CWRS_BACK_CALLS);
	if (ret == -ENOMEM)
		clear_bit(CWRS_HAS_BACK_RECEIVES, &conn->flags);
	return ret;
}

/* nfsd holds args->bc_xprt as long as it uses the result. */
static struct rpc_xprt *cwrs_back_setup(struct xprt_create *args)
{
	struct svc_xprt *over = args->bc_xprt;
	struct rpc_xprt *xprt;
	int ret;

	if (!over || over->xpt_class != &cwrs_class || args->addrlen > sizeof(xprt->addr))
		return ERR_PTR(-EINVAL);
	ret = cwrs_back_receives(cwrs_connection(over));
	if (ret)
		return ERR_PTR(ret);
	xprt = xprt_alloc(args->net, sizeof(*xprt), CWRS_BACK_CALLS, CWRS_BACK_CALLS);
	if (!xprt)
		return ERR_PTR(-ENOMEM);
	/* returned by cwrs_back_destroy(); the connection holds a reference to @xprt */
	__module_get(THIS_MODULE);
	memcpy(&xprt->addr, args->dstaddr, args->addrlen);
	xprt->addrlen = args->addrlen;
	xprt->ops = &cwrs_back_ops;
	xprt->timeout = &cwrs_back_timeout;
	xprt->prot = IPPROTO_TCP;
	xprt->max_payload = cwrs_connection(over)->send_inline - CWR_HEADER_MIN;
	ret = cwrs_back_name(xprt);
	if (ret) {
		cwrs_back_destroy(xprt);
		return ERR_PTR(ret);
	}
	xprt_set_bound(xprt);
	xprt_set_connected(xprt);

	/*
	 * The connection keeps the transport until its end, for the next RPC client that nfsd
	 * makes.
	 */
	xprt->bc_xprt = over;
	over->xpt_bc_xprt = xprt_get(xprt);
	spin_lock_irq(&cwrs_connection(over)->info.lock);
	cwrs_connection(over)->info.backchannel = true;
	spin_unlock_irq(&cwrs_connection(over)->info.lock);
	return xprt;
}

static struct xprt_class cwrs_back_class = {
	.list = LIST_HEAD_INIT(cwrs_back_class.list),
	.ident = XPRT_TRANSPORT_BC_RDMA,
	.setup = cwrs_back_setup,
	.owner = THIS_MODULE,
	.name = "causeway rdma backchannel",
	.netid = { "" },
};

int cwrs_back_register(void)
{
	return xprt_register_transport(&cwrs_back_class);
}

void cwrs_back_unregister(void)
{
	xprt_unregister_transport(&cwrs_back_class);
}
