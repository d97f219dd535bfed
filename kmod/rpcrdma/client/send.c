// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends an RPC message.
 *
 * The way of the data (RFC 8166, 3; RFC 8267 lists the data that may be in a chunk by itself):
 *
 *   call    fits                          inline
 *           has data of a WRITE           data by a read chunk, the rest inline
 *           else                          all of it by a read chunk of position 0
 *   reply   fits at its longest           inline, no chunk is offered
 *           has data of a READ            write chunk for the data, the rest inline
 *           else                          reply chunk for all of it
 *
 * With security that touches the data (krb5i, krb5p), no data may be in a chunk by itself. A whole
 * call or reply is registered as SunRPC has it: its pages as they are, so that writing back dirty
 * pages needs no memory; head and tail, which share their memory with other objects, through own
 * pages. The head ends at the end of its own page, so that one region holds everything if the data
 * begins and ends at page boundaries.
 */
#include "../../core/verbs/region.h"
#include "backchannel.h"
#include "message.h"
#include "send.h"
#include "session.h"
#include "trace.h"
#include "whole.h"

/* The form in which a call is sent. */
struct cwrc_shape {
	bool read_chunk; /* the data pages are in a read chunk */
	bool whole_call;
	bool write_chunk; /* for the pages of the reply */
	bool whole_reply;
	u32 pad; /* bytes of the tail that pad the pages; not sent with a read chunk */
};

static bool cwrc_may_place(const struct rpc_rqst *rqst)
{
	return !test_bit(RPCAUTH_AUTH_DATATOUCH, &rqst->rq_cred->cr_auth->au_flags);
}

static u32 cwrc_beside_pages(const struct xdr_buf *buf)
{
	return buf->head[0].iov_len + buf->tail[0].iov_len;
}

/* Bytes of a header with these chunks, at most @segments segments each. */
static u32 cwrc_header_bound(const struct cwrc_shape *shape, u32 segments)
{
	u32 len = CWR_HEADER_MIN;

	if (shape->read_chunk || shape->whole_call)
		len += segments * CWR_READ_SEGMENT_BYTES;
	if (shape->write_chunk)
		len += 8;
	if (shape->whole_reply)
		len += 4;
	if (shape->write_chunk || shape->whole_reply)
		len += segments * CWR_SEGMENT_BYTES;
	return len;
}

/* The most segments for data of @len bytes with head and tail. */
static u32 cwrc_segments_of(const struct cwrc_connection *conn, u32 len)
{
	return min_t(u32, DIV_ROUND_UP(len, CW_REGION_PAGE * conn->depth) + 3, CWRC_REGIONS);
}

static void cwrc_choose_reply(const struct cwrc_connection *conn, const struct rpc_rqst *rqst,
			      struct cwrc_shape *shape)
{
	const struct xdr_buf *buf = &rqst->rq_rcv_buf;
	struct cwrc_shape echoed = { .write_chunk = true };
	u32 header;

	if (CWR_HEADER_MIN + buf->buflen <= conn->inline_receive)
		return;
	header = cwrc_header_bound(&echoed, cwrc_segments_of(conn, buf->page_len));
	if (buf->flags & XDRBUF_READ && cwrc_may_place(rqst) && buf->page_len &&
	    header + cwrc_beside_pages(buf) <= conn->inline_receive)
		shape->write_chunk = true;
	else
		shape->whole_reply = true;
}

static void cwrc_choose_call(const struct cwrc_connection *conn, const struct rpc_rqst *rqst,
			     struct cwrc_shape *shape)
{
	const struct xdr_buf *buf = &rqst->rq_snd_buf;
	u32 header = cwrc_header_bound(shape, cwrc_segments_of(conn, rqst->rq_rcv_buf.buflen));

	if (header + buf->len <= conn->inline_send)
		return;
	header += cwrc_segments_of(conn, buf->len) * CWR_READ_SEGMENT_BYTES;
	if (buf->flags & XDRBUF_WRITE && cwrc_may_place(rqst) && buf->page_len &&
	    header + cwrc_beside_pages(buf) <= conn->inline_send) {
		shape->read_chunk = true;
		shape->pad = min_t(u32, cwr_padded(buf->page_len) - buf->page_len,
				   buf->tail[0].iov_len);
	} else {
		shape->whole_call = true;
	}
}

/* ---- chunks ---- */

/*
 * Registers all chunks of a call. SunRPC may free some pages when it encodes the call again, while
 * they are registered. So references to those pages are held.
 */
static int cwrc_register_all(struct cwrc_call *call, struct cwrc_connection *conn,
			     struct rpc_rqst *rqst, const struct cwrc_shape *shape)
{
	const struct xdr_buf *out = &rqst->rq_snd_buf, *in = &rqst->rq_rcv_buf;
	struct cwrc_piece piece[CWRC_PIECES];
	u32 count = 0;
	int ret;

	call->reads = 0;
	call->writes = 0;
	call->own_reply = 0;
	call->reply_chunk = shape->whole_reply;
	if (unlikely(call->own)) /* from an earlier attempt */
		cwrc_call_free_own_pages(call);
	if (shape->whole_call || shape->whole_reply) {
		ret = cwrc_whole_prepare(call, rqst, shape->whole_call, shape->whole_reply);
		if (ret)
			return ret;
	}
	if (shape->whole_call)
		count = cwrc_whole_pieces(out, call->own, piece);
	else if (shape->read_chunk)
		piece[count++] = (struct cwrc_piece){ out->pages, out->page_base, out->page_len };
	ret = cwrc_chunks_register(conn, call, piece, count, DMA_TO_DEVICE,
				   !!rqst->rq_release_snd_buf, call->segment);
	if (ret < 0)
		return ret;
	call->reads = ret;
	count = 0;
	if (shape->whole_reply)
		count = cwrc_whole_pieces(in, call->own + call->own_reply, piece);
	else if (shape->write_chunk)
		piece[count++] = (struct cwrc_piece){ in->pages, in->page_base, in->page_len };
	ret = cwrc_chunks_register(conn, call, piece, count, DMA_FROM_DEVICE, false,
				   call->segment + call->reads);
	if (ret < 0)
		return ret;
	call->writes = ret;
	return 0;
}

/* ---- the header ---- */

/* Writes the header so that it ends where SunRPC's buffer begins. Returns its length, or -errno. */
static int cwrc_put_header(struct cwrc_call *call, const struct rpc_rqst *rqst,
			   const struct cwrc_shape *shape)
{
	u32 position = shape->whole_call ? 0 : rqst->rq_snd_buf.head[0].iov_len;
	const struct cwr_segment *writes = call->segment + call->reads;
	u32 credits = rqst->rq_xprt->max_reqs;
	struct cwr_encoder enc;
	u32 len, i;
	u8 *start;

	if (!call->reads && !call->writes) {
		start = call->memory + CWRC_ROOM - CWR_HEADER_MIN;
		cwr_put_plain(start, call->xid, credits);
		return CWR_HEADER_MIN;
	}
	len = CWR_HEADER_MIN + call->reads * CWR_READ_SEGMENT_BYTES +
	      call->writes * CWR_SEGMENT_BYTES;
	if (call->writes)
		len += call->reply_chunk ? 4 : 8;
	start = call->memory + CWRC_ROOM - len;
	cwr_put_start(&enc, start, len, call->xid, credits,
		      shape->whole_call ? CWR_NOMSG : CWR_MSG);
	for (i = 0; i < call->reads; i++)
		cwr_put_read(&enc, position, &call->segment[i]);
	cwr_put_none(&enc);
	if (call->writes && !call->reply_chunk)
		cwr_put_write(&enc, writes, call->writes);
	cwr_put_none(&enc);
	if (call->writes && call->reply_chunk)
		cwr_put_reply(&enc, writes, call->writes);
	else
		cwr_put_none(&enc);
	return cwr_put_end(&enc) == (int)len ? (int)len : -EMSGSIZE;
}

/* Allocates pages that SunRPC left to the transport. */
static int cwrc_fill_sparse(struct xdr_buf *buf)
{
	u32 first = buf->page_base >> PAGE_SHIFT;
	u32 last = DIV_ROUND_UP(buf->page_base + buf->page_len, PAGE_SIZE);

	for (; first < last; first++) {
		if (!buf->pages[first])
			buf->pages[first] = alloc_page(rpc_task_gfp_mask() | __GFP_NOWARN);
		if (!buf->pages[first])
			return -ENOBUFS;
	}
	return 0;
}

static int cwrc_marshal(struct cwrc_call *call, struct cwrc_connection *conn, struct rpc_rqst *rqst)
{
	const struct xdr_buf *buf = &rqst->rq_snd_buf;
	struct cwrc_shape shape = {};
	int header, ret;

	if (unlikely(rqst->rq_rcv_buf.flags & XDRBUF_SPARSE_PAGES)) {
		ret = cwrc_fill_sparse(&rqst->rq_rcv_buf);
		if (ret)
			return ret;
	}
	ret = cwrc_call_map(call, conn);
	if (ret)
		return ret;
	call->xid = be32_to_cpu(rqst->rq_xid);
	cwrc_choose_reply(conn, rqst, &shape);
	cwrc_choose_call(conn, rqst, &shape);
	ret = cwrc_register_all(call, conn, rqst, &shape);
	if (ret)
		return ret;
	header = cwrc_put_header(call, rqst, &shape);
	if (header < 0)
		return header;
	if (shape.whole_call) {
		cwrc_message_begin(call, conn, header, 0);
		return 0;
	}
	cwrc_message_begin(call, conn, header, buf->head[0].iov_len);
	return cwrc_message_add(call, conn, buf, shape.read_chunk ? 0 : buf->page_len, shape.pad);
}

static void cwrc_count_segments(struct cwrc_transport *t, const struct cwrc_call *call)
{
	u64 offered = 0;
	u16 i;

	for (i = 0; i < call->writes; i++)
		offered += call->segment[call->reads + i].length;
	cwr_count(&t->info, CWR_READ_SEGMENTS, call->reads);
	cwr_count(&t->info, call->reply_chunk ? CWR_REPLY_SEGMENTS : CWR_WRITE_SEGMENTS,
		  call->writes);
	cwr_count(&t->info, CWR_OFFERED_BYTES, offered);
}

static void cwrc_count(struct cwrc_transport *t, const struct cwrc_call *call,
		       const struct rpc_rqst *rqst)
{
	struct cwr_connection *info = &t->info;
	const struct xdr_buf *buf = &rqst->rq_snd_buf;

	cwr_count(info, CW_NFS_CALLS, 1);
	cwr_count(info, CW_NFS_SENDS, 1);
	cwr_count(info, CW_NFS_SENT_BYTES, buf->len);
	if (call->reads || call->writes)
		cwrc_count_segments(t, call);
	if (rqst->rq_ntrans > 1)
		cwr_count(info, CW_NFS_RESENT, 1);
	if (call->reads && call->own_reply)
		cwr_count(info, CW_NFS_LONG_CALLS, 1);
	else if (call->reads)
		cwr_count(info, CW_NFS_CHUNKED_WRITES, 1);
	else if (buf->flags & XDRBUF_WRITE && buf->page_len)
		cwr_count(info, CW_NFS_INLINE_WRITES, 1);
}

/* Same contract as cwrc_send_request(), but may fail the RPC of another task. */
static int cwrc_send(struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;
	struct cwrc_transport *t = cwrc_transport_of(xprt);
	struct cwrc_connection *conn;
	struct cwrc_call *call;
	int ret;

	if (!rqst->rq_buffer)
		return cwrc_callback_reply(rqst);
	if (!xprt_connected(xprt))
		return -ENOTCONN;
	ret = cwrc_session_rail(t, rqst->rq_task, &conn);
	if (unlikely(ret))
		return ret;
	if (!xprt_request_get_cong(xprt, rqst)) {
		cwr_count(&t->info, CW_NFS_CREDIT_WAITS, 1);
		return -EBADSLT;
	}
	call = cwrc_call_of(rqst);
	/*
	 * A second send on the same connection would use two credits, and memory that is registered
	 * for the first send. So a call whose reply timed out is sent on a new connection.
	 */
	if (rqst->rq_connect_cookie == xprt->connect_cookie)
		goto reconnect;
	ret = cwrc_marshal(call, conn, rqst);
	if (ret) {
		cwrc_chunks_cancel(call);
		if (ret != -EAGAIN)
			cwr_count(&t->info, CWR_FAILED_MARSHALS, 1);
		return ret;
	}
	if (unlikely(call->unanswered)) {
		spin_lock(&t->calls_lock);
		cwrc_call_settle(call);
		spin_unlock(&t->calls_lock);
	}
	call->connection = conn;
	atomic_inc(&conn->owed);
	atomic_inc(&t->info.calls);
	atomic_set_release(&call->state, CWRC_SENT);
	rqst->rq_xtime = ktime_get();
	cwrc_count(t, call, rqst);
	trace_cwrc_sent(call, rqst->rq_snd_buf.len);
	cwrc_message_post(call, conn);
	rqst->rq_xmit_bytes_sent += rqst->rq_snd_buf.len;
	/* A call without a reply would keep its credit forever. */
	if (!rpc_reply_expected(rqst->rq_task))
		goto reconnect;
	return 0;

reconnect:
	xprt->ops->close(xprt);
	return -ENOTCONN;
}

/* True if @ret fails the RPC. Otherwise the call is sent later. */
static bool cwrc_ends_rpc(int ret)
{
	switch (ret) {
	case 0:
	case -ENOTCONN:
	case -EBADSLT:
	case -EAGAIN:
	case -ENOBUFS:
	case -ENOMEM:
		return false;
	default:
		return true;
	}
}

/*
 * Returns the error for the task that holds the transport, instead of an error that belongs to the
 * task of @rqst, its owner. The holder then releases the transport. It tries again at once
 * (-EAGAIN) if the owner waits for the transport, because SunRPC passes the transport to the next
 * task that waits. Otherwise it tries again after a pause (-ENOBUFS): the owner sleeps or does not
 * wait yet, and a holder without a pause could keep the processor from the owner. The task of a
 * callback's reply has no tk_xprt.
 */
static int cwrc_leave_to_owner(const struct rpc_rqst *rqst)
{
	const struct rpc_task *owner = rqst->rq_task;
	const struct rpc_wait_queue *waits_on = READ_ONCE(owner->tk_waitqueue);

	return RPC_IS_QUEUED(owner) && waits_on == &rqst->rq_xprt->sending ? -EAGAIN : -ENOBUFS;
}

/*
 * SunRPC's send_request. The transport is held; may sleep. Returns 0; -ENOTCONN: send on the next
 * connection; -EBADSLT: no credit now; -EAGAIN, -ENOBUFS: send later; any other error fails the
 * RPC.
 *
 * SunRPC passes the result to the task that holds the transport, which also sends calls that other
 * tasks have queued. So an RPC fails only when its own task sends it.
 */
int cwrc_send_request(struct rpc_rqst *rqst)
{
	int ret = cwrc_send(rqst);

	if (unlikely(cwrc_ends_rpc(ret)) && rqst->rq_task != rqst->rq_xprt->snd_task)
		return cwrc_leave_to_owner(rqst);
	return ret;
}
