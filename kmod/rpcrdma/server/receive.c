// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a message to a call for nfsd.
 *
 * A receive is memory for the largest message of the client, mapped for the adapter once. nfsd
 * reads a call where it arrived, including small data of a WRITE: it is the head of rq_arg, in one
 * piece. The receive is posted again before the answer is sent. So there are as many receives as
 * calls that a client may have outstanding, plus some for its replies to calls of the server, and a
 * client that obeys its credits always finds one. A client that exceeds its credits waits at its
 * own end.
 *
 * A completion only queues the receive and wakes a thread. The thread parses the header. If the
 * client left data in its own memory, the thread starts the RDMA Reads and turns to other work.
 * When the data has arrived, the receive is queued once more, and any thread takes the call.
 */
#include <linux/slab.h>

#include <causeway_svc_pages.h>

#include "../wire/sizes.h"
#include "backchannel.h"
#include "connection.h"
#include "pages.h"
#include "receives.h"
#include "reply.h"
#include "trace.h"

#define CWRS_SEGMENTS_MAX 256 /* segments of a message at most */
#define CWRS_MESSAGE_MIN 8 /* bytes of an RPC message: its XID and its direction */

/* ---- parsing ---- */

/*
 * Parses a header that has more segments than the receive itself has room for. -ENOMEM, or as
 * cwr_parse_call().
 */
static int cwrs_parse_more(struct cwrs_receive *rx, struct cwr_room *room)
{
	struct cwr_segment *segment;
	int ret;

	segment = kmalloc_array(CWRS_SEGMENTS_MAX, sizeof(*segment), GFP_KERNEL);
	if (!segment)
		return -ENOMEM;
	room->segment = segment;
	room->segments = CWRS_SEGMENTS_MAX;
	ret = cwr_parse_call(rx->buf->data, rx->length, room, &rx->header);
	if (ret)
		kfree(segment);
	else
		rx->segment = segment;
	return ret;
}

static int cwrs_parse(struct cwrs_receive *rx, u32 pull_bytes)
{
	struct cwr_room room = {
		.segment = rx->own,
		.segments = CWRS_SEGMENTS,
		.read_bytes = pull_bytes,
		.write_bytes = S32_MAX, /* RDMA Writes take no memory of the server */
	};
	int ret;

	ib_dma_sync_single_for_cpu(cwrs_device(rx->conn), rx->buf->data_dma, rx->length,
				   DMA_FROM_DEVICE);
	ret = cwr_parse_call(rx->buf->data, rx->length, &room, &rx->header);
	if (unlikely(ret == -EPROTO &&
		     rx->length >= CWR_HEADER_MIN + CWRS_SEGMENTS * CWR_SEGMENT_BYTES))
		ret = cwrs_parse_more(rx, &room);
	rx->parsed = true;
	return ret;
}

static bool cwrs_has_chunks(const struct cwr_header *header)
{
	return header->has_call || header->reads || header->writes || header->has_reply;
}

static void cwrs_refuse(struct cwrs_receive *rx, int err)
{
	trace_cwrs_refused(rx, err);
	cwr_count(&rx->conn->info, CW_NFS_MALFORMED, 1);
	if (err == -EBADMSG)
		cwrs_receive_put(rx);
	else
		cwrs_send_error(rx, err);
}

/* True if @rx is a call. Otherwise @rx was handled. */
static bool cwrs_is_call(struct cwrs_receive *rx, u32 pull_bytes)
{
	int ret = cwrs_parse(rx, pull_bytes);

	if (unlikely(ret == -ENOMEM)) {
		/* The message is valid: the client sends it again on another connection. */
		cw_endpoint_kill(&rx->conn->ep, ret, "no memory to read a message");
		cwrs_receive_put(rx);
		return false;
	}
	if (unlikely(ret)) {
		cwrs_refuse(rx, ret);
		return false;
	}
	if (rx->header.proc == CWR_NOMSG)
		return true;
	ret = cwr_direction(rx->buf->data, rx->length, &rx->header);
	if (ret == CWR_CALL)
		return true;
	if (ret == CWR_REPLY) {
		if (!cwrs_has_chunks(&rx->header))
			cwrs_back_reply(rx);
		cwrs_receive_put(rx);
		return false;
	}
	/* Too short for any RPC message, or neither a call nor a reply. */
	cwrs_refuse(rx, rx->length - rx->header.len < CWRS_MESSAGE_MIN ? -EBADMSG : -EPROTO);
	return false;
}

/* ---- recvfrom ---- */

/* The next receive that a thread can work on, or NULL. Under rx_lock. */
static struct cwrs_receive *cwrs_peek(struct cwrs_connection *conn)
{
	struct cwrs_receive *rx;

	rx = list_first_entry_or_null(&conn->pulled, struct cwrs_receive, entry);
	if (!rx)
		rx = cwrs_pull_parked(conn);
	if (!rx)
		rx = list_first_entry_or_null(&conn->arrived, struct cwrs_receive, entry);
	return rx;
}

/*
 * Takes the next receive off its list: pulled, parked or arrived. Clears XPT_DATA under the same
 * lock if no other receive can be worked on. If the bit stayed set, each RPC call would wake a
 * second thread for nothing.
 */
static struct cwrs_receive *cwrs_next(struct cwrs_connection *conn)
{
	struct cwrs_receive *rx;

	spin_lock_bh(&conn->rx_lock);
	rx = cwrs_peek(conn);
	if (rx) {
		list_del(&rx->entry);
		cwrs_pull_unpark(rx);
	}
	if (!cwrs_peek(conn))
		clear_bit(XPT_DATA, &conn->xprt.xpt_flags);
	spin_unlock_bh(&conn->rx_lock);
	return rx;
}

static void cwrs_pull(struct cwrs_receive *rx, struct svc_rqst *rqstp)
{
	struct cwrs_connection *conn = rx->conn;
	int ret = cwrs_pull_start(rx, rqstp);

	switch (ret) {
	case 0:
		break;
	case -EAGAIN:
	case -ENOBUFS:
		cwrs_pull_park(rx, ret == -ENOBUFS);
		break;
	case -EPROTO:
		cwrs_refuse(rx, ret);
		break;
	default:
		cw_endpoint_kill(&conn->ep, ret, "fetching a call's data failed (%d)", ret);
		cwrs_receive_put(rx);
		break;
	}
}

/* Points rq_arg to a call that is complete in the receive. */
static int cwrs_take_inline(struct cwrs_receive *rx, struct svc_rqst *rqstp)
{
	struct xdr_buf *arg = &rqstp->rq_arg;
	u32 length = rx->length - rx->header.len;

	if (length < CWRS_CALL_MIN)
		return -EBADMSG;
	arg->head[0].iov_base = rx->buf->data + rx->header.len;
	arg->head[0].iov_len = length;
	/* a decoder may use the pointer to the first page, but reads no byte of that page */
	arg->pages = rqstp->rq_pages + 1;
	arg->page_base = 0;
	arg->page_len = 0;
	arg->tail[0].iov_base = NULL;
	arg->tail[0].iov_len = 0;
	arg->buflen = length;
	arg->len = length;
	return 0;
}

/*
 * xpo_recvfrom: returns the bytes of a call in rq_arg, or 0. Called with XPT_BUSY set, and clears
 * it as soon as a receive was taken, so that other threads handle other calls.
 */
int cwrs_recvfrom(struct svc_rqst *rqstp)
{
	struct cwrs_connection *conn = cwrs_connection(rqstp->rq_xprt);
	struct cwrs_receive *rx;
	int ret;

	/*
	 * No page holds data of the call: all pages are for the answer, and stay if there is none.
	 */
	svc_answer_has_all_pages(rqstp);
	rqstp->rq_xprt_ctxt = NULL;

	rx = cwrs_next(conn);
	svc_xprt_received(rqstp->rq_xprt);
	if (!rx)
		return 0;

	if (unlikely(test_bit(CWRS_WANTS_RECEIVES, &conn->flags)))
		cwrs_receives_grow(conn);
	if (!rx->parsed) {
		cwr_count(&conn->info, CW_NFS_RECEIVES, 1);
		if (!cwrs_is_call(rx, (cwrs_call_pages(rqstp) - 1) << PAGE_SHIFT))
			return 0;
	}
	if (!rx->pull.transfers && (rx->header.reads || rx->header.has_call)) {
		cwrs_pull(rx, rqstp);
		return 0;
	}
	ret = rx->pull.transfers ? cwrs_pull_finish(rx, rqstp) : cwrs_take_inline(rx, rqstp);
	if (unlikely(ret)) {
		cwrs_refuse(rx, ret);
		return 0;
	}
	cwrs_hold(rx, rqstp);
	trace_cwrs_call(rx, rqstp->rq_arg.len);
	rx->is_call = true;
	atomic_inc(&conn->info.calls);
	cwr_count(&conn->info, CW_NFS_CALLS, 1);
	cwr_count(&conn->info, CW_NFS_RECEIVED_BYTES, rqstp->rq_arg.len);
	rqstp->rq_xprt_ctxt = rx;
	rqstp->rq_prot = IPPROTO_MAX;
	svc_xprt_copy_addrs(rqstp, rqstp->rq_xprt);
	/* A port of RDMA proves no privilege. Every user of the device is trusted like root. */
	set_bit(RQ_SECURE, &rqstp->rq_flags);
	return rqstp->rq_arg.len;
}
