// SPDX-License-Identifier: GPL-2.0-only
/*
 * What comes in: replies, error reports, and calls of the server.
 *
 * A reply is taken in steps. The header is checked; its number finds the request, which is pinned
 * and cannot end meanwhile; what the server wrote by chunks is judged by what was lent; what it did
 * not invalidate is invalidated here, which may need a completion; only then the reply is put
 * together where SunRPC wants it, and the request completes. The receive goes back to the adapter
 * at the end, since the reply's head lies in it.
 *
 * Putting together means to lay the whole reply out as if it had come over TCP: a stream that fills
 * head, pages and tail. Data of a write chunk is in its place already, at the begin of the pages.
 * SunRPC predicted how long the header in front of it would be, but a server may leave attributes
 * of NFS 3 out, or send more than it did before. The head is given the length that the header has,
 * since SunRPC would move the data otherwise.
 *
 * Completions come on a work queue. One connection's come one after another.
 *
 * A message that breaks the protocol ends the RPC whose number it has, if there is one: the server
 * has answered, and nothing else may ever come. Others are dropped.
 */
#include "client.h"
#include "trace.h"

/* Room for what a server may echo: a write chunk, and a reply chunk that it has no use for. */
#define SEGMENTS (2 * CWRC_REGIONS)

/* ---- putting together ---- */

static u32 room_of(const struct xdr_buf *buf)
{
	return buf->head[0].iov_len + buf->page_len + buf->tail[0].iov_len;
}

/* @len bytes at @at of the reply; what SunRPC has no room for is left out. Bytes of the reply. */
static u32 put(struct xdr_buf *buf, u32 at, const void *from, u32 len)
{
	u32 room = room_of(buf);

	if (at >= room)
		return room;
	len = min(len, room - at);
	if (len)
		write_bytes_to_xdr_buf(buf, at, (void *)from, len);
	return at + len;
}

/*
 * Gives the head of @buf the length @len. The tail follows the head in the same memory, so a longer
 * head takes from the tail. False: there is no room.
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
 * With data in a write chunk the message is the header in front of the data: the client of NFS
 * offers a chunk only to a READ that is the last operation of its call. SunRPC compares both
 * buffers, so both get the head's length.
 */
static int put_inline(struct cwrc_call *call, struct rpc_rqst *rqst)
{
	const struct cwrc_receive *receive = call->reply;
	const u8 *body = receive->buffer->data + call->header.len;
	u32 len = receive->len - call->header.len;
	struct xdr_buf *buf = &rqst->rq_private_buf;

	if (!call->written) {
		if (len > buf->head[0].iov_len)
			cwr_count(&call->transport->info, CWR_FIXUP_BYTES,
				  len - buf->head[0].iov_len);
		return put(buf, 0, body, len);
	}
	if (!cwrc_set_head(buf, len) || !cwrc_set_head(&rqst->rq_rcv_buf, len))
		return -EIO;
	put(buf, 0, body, len);
	return min(len + cwr_padded(call->written), room_of(buf));
}

/* The server wrote the pages in place; head and tail are in pages of our own. */
static int put_whole(struct cwrc_call *call, struct xdr_buf *buf)
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

static void count(struct cwrc_call *call, const struct rpc_rqst *rqst, int len)
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

/* Nothing of the request is lent any more. */
static void finish(struct cwrc_call *call)
{
	struct cwrc_receive *receive = call->reply;
	struct rpc_rqst *rqst = call->rqst;
	struct rpc_xprt *xprt = rqst->rq_xprt;
	int len = call->error;

	if (!len && call->header.proc == CWR_NOMSG)
		len = put_whole(call, &rqst->rq_private_buf);
	else if (!len)
		len = put_inline(call, rqst);
	call->reply = NULL;
	count(call, rqst, len);
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

/* An error here is the end of the connection: nothing reaches the memory any more either. */
static void fenced(struct cw_post *post, int err)
{
	struct cwrc_call *call = container_of(post, struct cwrc_call, fence);

	cwrc_lent_release(call);
	finish(call);
}

/* ---- judging ---- */

/* What the server says that it wrote, against what was lent. 0 or the RPC's error. */
static int judge(struct cwrc_call *call, const struct cwr_segment *echo)
{
	const struct cwr_header *header = &call->header;
	const struct cwr_segment *lent = call->segment + call->reads;
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
	return cwr_used(lent, call->writes, echo + chunk->first, chunk->count, &call->written) ?
		       -EIO : 0;
}

/* One reply less is owed, whoever asked for it; the server may have sent more than that. */
static void update_credits(struct cwrc_connection *conn, u32 credits)
{
	atomic_dec_if_positive(&conn->owed);
	credits = cwrc_connection_credits(conn, credits);
	if (unlikely(credits != conn->credits || READ_ONCE(conn->transport->orphans)))
		cwrc_lanes_grant(conn->transport, conn, credits);
}

/* The request that @header answers, pinned; NULL: none that was sent on this connection. */
static struct cwrc_call *find(struct cwrc_connection *conn, const struct cwr_header *header)
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
		xprt->stat.bad_xids++; /* others xprt_lookup_rqst() has counted */
	}
	spin_unlock(&xprt->queue_lock);
	return call;
}

/* @echo: the segments of @header; NULL: the message is malformed. */
static void take_reply(struct cwrc_receive *receive, const struct ib_wc *wc,
		       const struct cwr_header *header, const struct cwr_segment *echo)
{
	struct cwrc_connection *conn = receive->connection;
	struct cwrc_call *call = find(conn, header);

	trace_cwrc_reply(conn, header, call, receive->len);
	update_credits(conn, header->credits);
	if (unlikely(!call)) {
		cwrc_receive_post(receive);
		return;
	}
	if (header->proc == CWR_ERROR)
		cwr_count(&conn->transport->info, CW_NFS_ERRORS, 1);
	if (wc->wc_flags & IB_WC_WITH_INVALIDATE &&
	    !cwrc_lent_invalidated(call, wc->ex.invalidate_rkey))
		cw_endpoint_kill(&conn->ep, -EPROTO,
				 "the server invalidated memory of another call");
	call->reply = receive;
	call->header = *header;
	call->written = 0;
	call->error = echo ? judge(call, echo) : -EIO;
	if (cwrc_lent_fence(call, fenced))
		finish(call);
}

static void count_malformed(struct cwrc_receive *receive)
{
	struct cwrc_connection *conn = receive->connection;

	cwr_count(&conn->transport->info, CW_NFS_MALFORMED, 1);
	trace_cwrc_malformed(conn, receive->len);
}

/* No reply that can be understood. A call of the server has a number that is none of ours. */
static void take_malformed(struct cwrc_receive *receive, const struct ib_wc *wc,
			   struct cwr_header *header)
{
	count_malformed(receive);
	if (receive->len < CWR_REPLY_MIN ||
	    cwr_direction(receive->buffer->data, receive->len, header) == CWR_CALL) {
		cwrc_receive_post(receive);
		return;
	}
	header->credits = receive->connection->credits;
	take_reply(receive, wc, header, NULL);
}

/* A call of the server. */
static void take_call(struct cwrc_receive *receive, const struct cwr_header *header)
{
	const void *data = receive->buffer->data;

	if (header->writes || header->has_reply)
		count_malformed(receive);
	else
		cwrc_callback_received(receive->connection, data + header->len,
				       receive->len - header->len);
	cwrc_receive_post(receive);
}

void cwrc_received(struct cwrc_receive *receive, const struct ib_wc *wc)
{
	struct cwr_segment echo[SEGMENTS];
	const struct cwr_room room = {
		.segment = echo,
		.segments = SEGMENTS,
		.read_bytes = CWR_PAYLOAD_MAX, /* to see that it is a call, which is refused */
		.write_bytes = 2 * CWR_PAYLOAD_MAX,
	};
	const void *data = receive->buffer->data;
	struct cwr_header header;
	int direction = CWR_REPLY;

	if (cwr_parse_reply(data, receive->len, &room, &header)) {
		take_malformed(receive, wc, &header);
		return;
	}
	if (header.proc == CWR_MSG)
		direction = cwr_direction(data, receive->len, &header);
	if (direction == CWR_REPLY)
		take_reply(receive, wc, &header, echo);
	else if (direction == CWR_CALL)
		take_call(receive, &header);
	else
		take_malformed(receive, wc, &header);
}
