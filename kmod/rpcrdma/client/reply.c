// SPDX-License-Identifier: GPL-2.0-only
/*
 * Received messages: replies, error reports, and calls of the server.
 *
 * A reply is handled in steps. The header is checked. Its XID finds the request, which is pinned
 * and cannot end meanwhile. The chunks that the server wrote are checked against those that were
 * registered. Regions that the server did not invalidate are invalidated here, which may need a
 * completion. Only then is the reply put together in SunRPC's buffers, and the request completes.
 * The receive is posted again at the end, because the head of the reply is in it.
 *
 * Putting together means to lay out the whole reply as if it had arrived over TCP: a stream that
 * fills head, pages and tail. Data of a write chunk is in its place already, at the start of the
 * pages. SunRPC predicted the length of the header before the data, but a server may omit
 * attributes of NFS 3, or send more than before. So the head is set to the actual length of the
 * header; otherwise SunRPC would move the data.
 *
 * Completions run on a work queue, one at a time for each connection.
 *
 * A message that breaks the protocol ends the RPC that has its XID, if there is one: the server has
 * answered, and no other reply may ever arrive. Other such messages are dropped.
 */
#include "../wire/sizes.h"
#include "backchannel.h"
#include "chunks.h"
#include "rails.h"
#include "receives.h"
#include "reply.h"
#include "trace.h"
#include "whole.h"

/* Segments that a server may echo: a write chunk, and a reply chunk that it did not use. */
#define SEGMENTS (2 * CWRC_REGIONS)

/* ---- putting together ---- */

static u32 cwrc_reply_room(const struct xdr_buf *buf)
{
	return buf->head[0].iov_len + buf->page_len + buf->tail[0].iov_len;
}

/*
 * Copies @len bytes to position @at of the reply, as far as SunRPC has room. Returns the end
 * position.
 */
static u32 cwrc_reply_put(struct xdr_buf *buf, u32 at, const void *from, u32 len)
{
	u32 room = cwrc_reply_room(buf);

	if (at >= room)
		return room;
	len = min(len, room - at);
	if (len)
		write_bytes_to_xdr_buf(buf, at, (void *)from, len);
	return at + len;
}

/*
 * Sets the length of the head of @buf to @len. The tail follows the head in the same memory, so a
 * longer head takes space from the tail. False: there is not enough.
 */
static bool cwrc_set_head(struct xdr_buf *buf, u32 len)
{
	struct kvec *head = &buf->head[0], *tail = &buf->tail[0];

	if (len > head->iov_len) {
		u32 more = len - head->iov_len;

		if (tail->iov_base != head->iov_base + head->iov_len || more > tail->iov_len)
			return false;
		tail->iov_base += more;
		tail->iov_len -= more;
	}
	head->iov_len = len;
	return true;
}

/*
 * With data in a write chunk, the message is the header before the data: the NFS client offers a
 * chunk only for a READ that is the last operation of its call. SunRPC compares both buffers, so
 * the head of both gets that length.
 */
static int cwrc_reply_put_inline(struct cwrc_call *call, struct rpc_rqst *rqst)
{
	const struct cwrc_receive *receive = call->reply;
	const u8 *body = receive->buffer->data + call->header.len;
	u32 len = receive->len - call->header.len;
	struct xdr_buf *buf = &rqst->rq_private_buf;

	if (!call->written) {
		if (len > buf->head[0].iov_len)
			cwr_count(&call->transport->info, CWR_FIXUP_BYTES,
				  len - buf->head[0].iov_len);
		return cwrc_reply_put(buf, 0, body, len);
	}
	if (!cwrc_set_head(buf, len) || !cwrc_set_head(&rqst->rq_rcv_buf, len))
		return -EIO;
	cwrc_reply_put(buf, 0, body, len);
	return min(len + cwr_padded(call->written), cwrc_reply_room(buf));
}

/* The server wrote the pages in place; head and tail are in own pages of the call. */
static int cwrc_reply_put_whole(struct cwrc_call *call, struct xdr_buf *buf)
{
	struct page **own = call->own + call->own_reply;
	u32 head = min_t(u32, call->written, buf->head[0].iov_len), tail;

	if (head < sizeof(u32))
		return -EIO;
	cwrc_copy_head(own, &buf->head[0], head, true);
	if (cwr_get32(buf->head[0].iov_base) != call->xid)
		return -EIO;
	tail = call->written - head;
	tail -= min(tail, buf->page_len);
	cwrc_copy_own(own + DIV_ROUND_UP(buf->head[0].iov_len, PAGE_SIZE), 0, &buf->tail[0], tail,
		      true);
	cwr_count(&call->transport->info, CWR_FIXUP_BYTES, head + tail);
	return call->written;
}

/* ---- the end of a request ---- */

static void cwrc_reply_count(struct cwrc_call *call, const struct rpc_rqst *rqst, int len)
{
	struct cwr_connection *info = &call->transport->info;

	cwr_count(info, CW_NFS_REPLIES, 1);
	if (len > 0)
		cwr_count(info, CW_NFS_RECEIVED_BYTES, len);
	if (call->written)
		cwr_count(info, CWR_WRITTEN_BYTES, call->written);
	if (call->reply_chunk && call->written)
		cwr_count(info, CW_NFS_LONG_REPLIES, 1);
	else if (call->written)
		cwr_count(info, CW_NFS_CHUNKED_READS, 1);
	else if (rqst->rq_rcv_buf.flags & XDRBUF_READ)
		cwr_count(info, CW_NFS_INLINE_READS, 1);
}

/* Completes the request. Its regions are invalidated and unmapped. */
static void cwrc_reply_finish(struct cwrc_call *call)
{
	struct cwrc_receive *receive = call->reply;
	struct rpc_rqst *rqst = call->rqst;
	struct rpc_xprt *xprt = rqst->rq_xprt;
	int len = call->error;

	if (!len && call->header.proc == CWR_NOMSG)
		len = cwrc_reply_put_whole(call, &rqst->rq_private_buf);
	else if (!len)
		len = cwrc_reply_put_inline(call, rqst);
	call->reply = NULL;
	cwrc_reply_count(call, rqst, len);
	if (unlikely(len < 0)) {
		rqst->rq_task->tk_status = len;
		len = 0;
	}
	spin_lock(&xprt->queue_lock);
	xprt_complete_rqst(rqst->rq_task, len);
	xprt_unpin_rqst(rqst);
	spin_unlock(&xprt->queue_lock);
	cwrc_receive_post(receive);
}

/* An error means that the connection is dead: then no access reaches the memory either. */
static void cwrc_reply_fenced(struct cw_post *post, int err)
{
	struct cwrc_call *call = container_of(post, struct cwrc_call, fence);

	cwrc_chunks_release(call);
	cwrc_reply_finish(call);
}

/* ---- judging ---- */

/*
 * Checks the chunks that the server reports as written against the registered ones. 0 or the error
 * for the RPC.
 */
static int cwrc_reply_judge(struct cwrc_call *call, const struct cwr_segment *echo)
{
	const struct cwr_header *header = &call->header;
	const struct cwr_segment *registered = call->segment + call->reads;
	const struct cwr_chunk *chunk;

	if (header->proc == CWR_ERROR)
		return header->error == CWR_ERR_VERS ? -EPROTONOSUPPORT : -EREMOTEIO;
	if (header->proc == CWR_NOMSG) {
		if (!call->reply_chunk)
			return -EIO;
		chunk = &header->reply;
	} else {
		if (!header->writes)
			return 0;
		if (header->writes > 1 || !call->writes || call->reply_chunk)
			return -EIO;
		chunk = &header->write[0];
	}
	return cwr_used(registered, call->writes, echo + chunk->first, chunk->count,
			&call->written) ? -EIO : 0;
}

/*
 * The connection owes one reply less, whichever call it answers. Not below 0: the server may send
 * more replies than calls.
 */
static void cwrc_reply_credits(struct cwrc_connection *conn, u32 credits)
{
	atomic_dec_if_positive(&conn->owed);
	credits = cwrc_receives_credits(conn, credits);
	if (unlikely(credits != conn->credits || READ_ONCE(conn->transport->orphans)))
		cwrc_rails_grant(conn->transport, conn, credits);
}

/* Finds the request that @header answers, and pins it. NULL: none was sent on this connection. */
static struct cwrc_call *cwrc_reply_find(struct cwrc_connection *conn,
					 const struct cwr_header *header)
{
	struct rpc_xprt *xprt = &conn->transport->xprt;
	struct cwrc_call *call = NULL;
	struct rpc_rqst *rqst;

	spin_lock(&xprt->queue_lock);
	rqst = xprt_lookup_rqst(xprt, cpu_to_be32(header->xid));
	if (rqst && rqst->rq_buffer) {
		call = cwrc_call_of(rqst);
		if (atomic_read_acquire(&call->state) != CWRC_SENT || call->connection != conn)
			call = NULL;
	}
	if (call) {
		atomic_set(&call->state, CWRC_ANSWERED);
		atomic_dec(&conn->transport->info.calls);
		xprt_pin_rqst(rqst);
	} else if (rqst) {
		xprt->stat.bad_xids++; /* xprt_lookup_rqst() has counted the others */
	}
	spin_unlock(&xprt->queue_lock);
	return call;
}

/* @echo: the segments of @header, or NULL if the message is malformed. */
static void cwrc_reply_take(struct cwrc_receive *receive, const struct ib_wc *wc,
			    const struct cwr_header *header, const struct cwr_segment *echo)
{
	struct cwrc_connection *conn = receive->connection;
	struct cwrc_call *call = cwrc_reply_find(conn, header);

	trace_cwrc_reply(conn, header, call, receive->len);
	cwrc_reply_credits(conn, header->credits);
	if (unlikely(!call)) {
		cwrc_receive_post(receive);
		return;
	}
	if (header->proc == CWR_ERROR)
		cwr_count(&conn->transport->info, CW_NFS_ERRORS, 1);
	if (wc->wc_flags & IB_WC_WITH_INVALIDATE &&
	    !cwrc_chunks_invalidated(call, wc->ex.invalidate_rkey))
		cw_endpoint_kill(&conn->ep, -EPROTO,
				 "the server invalidated memory of another call");
	call->reply = receive;
	call->header = *header;
	call->written = 0;
	call->error = echo ? cwrc_reply_judge(call, echo) : -EIO;
	if (cwrc_chunks_fence(call, cwrc_reply_fenced))
		cwrc_reply_finish(call);
}

static void cwrc_malformed_count(struct cwrc_receive *receive)
{
	struct cwrc_connection *conn = receive->connection;

	cwr_count(&conn->transport->info, CW_NFS_MALFORMED, 1);
	trace_cwrc_malformed(conn, receive->len);
}

/*
 * Handles a message that is not a valid reply. The XID of a call of the server does not name a
 * request of this client.
 */
static void cwrc_malformed_take(struct cwrc_receive *receive, const struct ib_wc *wc,
				struct cwr_header *header)
{
	cwrc_malformed_count(receive);
	if (receive->len < CWR_REPLY_MIN ||
	    cwr_direction(receive->buffer->data, receive->len, header) == CWR_CALL) {
		cwrc_receive_post(receive);
		return;
	}
	header->credits = receive->connection->credits;
	cwrc_reply_take(receive, wc, header, NULL);
}

/* Handles a call of the server. */
static void cwrc_back_call_take(struct cwrc_receive *receive, const struct cwr_header *header)
{
	const void *data = receive->buffer->data;

	if (header->writes || header->has_reply)
		cwrc_malformed_count(receive);
	else
		cwrc_callback_received(receive->connection, data + header->len,
				       receive->len - header->len);
	cwrc_receive_post(receive);
}

void cwrc_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct cwrc_receive *receive = container_of(wc->wr_cqe, struct cwrc_receive, cqe);
	struct cwr_segment echo[SEGMENTS];
	const struct cwr_room room = {
		.segment = echo,
		.segments = SEGMENTS,
		/* so that a call with read chunks is recognised, and dropped */
		.read_bytes = CWR_PAYLOAD_MAX,
		.write_bytes = 2 * CWR_PAYLOAD_MAX,
	};
	const void *data = receive->buffer->data;
	struct cwr_header header;
	int direction = CWR_REPLY;

	if (!cwrc_receive_arrived(receive, wc))
		return;
	if (cwr_parse_reply(data, receive->len, &room, &header)) {
		cwrc_malformed_take(receive, wc, &header);
		return;
	}
	if (header.proc == CWR_MSG)
		direction = cwr_direction(data, receive->len, &header);
	if (direction == CWR_REPLY)
		cwrc_reply_take(receive, wc, &header, echo);
	else if (direction == CWR_CALL)
		cwrc_back_call_take(receive, &header);
	else
		cwrc_malformed_take(receive, wc, &header);
}
