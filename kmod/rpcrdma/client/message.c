// SPDX-License-Identifier: GPL-2.0-only
/*
 * The message of a call.
 *
 * A message has up to two fragments: header and head; then a copy of data and tail, or the tail in
 * place.
 */
#include "chunks.h"
#include "message.h"

static void cwrc_message_fragment(struct cwrc_call *call, struct cwrc_connection *conn, u64 addr,
				  u32 len)
{
	call->sge[call->send.num_sge++] = (struct ib_sge){
		.addr = addr,
		.length = len,
		.lkey = conn->ep.domain->pd->local_dma_lkey,
	};
	ib_dma_sync_single_for_device(conn->ib, addr, len, DMA_TO_DEVICE);
}

void cwrc_message_begin(struct cwrc_call *call, struct cwrc_connection *conn, u32 header, u32 head)
{
	call->send.num_sge = 0;
	/* One fragment, because SunRPC's buffer begins with the head. */
	cwrc_message_fragment(call, conn, call->memory_dma + CWRC_ROOM - header, header + head);
}

static bool cwrc_message_is_mapped(const struct cwrc_call *call, const struct kvec *vec)
{
	return vec->iov_base >= call->memory &&
	       vec->iov_base + vec->iov_len <= call->memory + call->size;
}

int cwrc_message_add(struct cwrc_call *call, struct cwrc_connection *conn,
		     const struct xdr_buf *buf, u32 pages, u32 pad)
{
	struct kvec tail = {
		.iov_base = buf->tail[0].iov_base + pad,
		.iov_len = buf->tail[0].iov_len - pad,
	};
	int ret;

	if (!pages && !tail.iov_len)
		return 0;
	if (!pages && cwrc_message_is_mapped(call, &tail)) {
		cwrc_message_fragment(call, conn, call->memory_dma + (tail.iov_base - call->memory),
				      tail.iov_len);
		return 0;
	}
	ret = cwrc_call_copy_area(call, conn, pages + tail.iov_len);
	if (ret)
		return ret;
	if (pages)
		_copy_from_pages(call->copy, buf->pages, buf->page_base, pages);
	memcpy(call->copy + pages, tail.iov_base, tail.iov_len);
	cwr_count(&call->transport->info, CWR_PULLUP_BYTES, pages + tail.iov_len);
	cwrc_message_fragment(call, conn, call->copy_dma, pages + tail.iov_len);
	return 0;
}

/* The adapter is done with the message. */
static void cwrc_message_sent(struct cw_post *post, int err)
{
	cwrc_call_put(container_of(post, struct cwrc_call, post));
}

void cwrc_message_post(struct cwrc_call *call, struct cwrc_connection *conn)
{
	struct cw_post *post = &call->post;

	call->send.opcode = IB_WR_SEND;
	call->send.send_flags = 0;
	call->send.sg_list = call->sge;
	call->send.next = NULL;
	post->first = cwrc_chunks_chain(call, &call->send, &post->wrs);
	post->last = &call->send;
	/* Callbacks are few, and the next call of the server needs one. */
	post->signal = call->ended;
	post->complete = cwrc_message_sent;
	refcount_inc(&call->users); /* for the adapter; cwrc_message_sent() drops it */
	cw_endpoint_post_now(&conn->ep, post);
}

int cwrc_message_send(struct cwrc_call *call, struct cwrc_connection *conn,
		      const struct xdr_buf *buf, u32 credits)
{
	int ret;

	ret = cwrc_call_map(call, conn);
	if (ret)
		return ret;
	cwr_put_plain(call->memory + CWRC_ROOM - CWR_HEADER_MIN, call->xid, credits);
	cwrc_message_begin(call, conn, CWR_HEADER_MIN, buf->head[0].iov_len);
	ret = cwrc_message_add(call, conn, buf, buf->page_len, 0);
	if (!ret)
		cwrc_message_post(call, conn);
	return ret;
}
