// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives of a link over an endpoint: a data area and a trailer each.
 *
 * The tail is found at the byte length less its own; records that straddle the two areas are copied
 * together. A message with immediate data has neither records nor tail. There are as many receives
 * as messages with records may come without new credit, and a few for the others. A receive is
 * posted again when its data is not needed any more, and then counts as credit.
 */
#include <linux/slab.h>

#include "../trace.h"
#include "link_rdma.h"

static void cw_rx_done(struct ib_cq *cq, struct ib_wc *wc);

static int cw_rx_post(struct cw_rx *rx)
{
	struct cw_link_rdma *l = to_rdma(rx->msg.link);
	u32 area = min(rx->used, l->rx_bufs.data_size);

	if (area)
		ib_dma_sync_single_for_device(device_of(l), rx->sge[0].addr, area, DMA_FROM_DEVICE);
	if (rx->used > area)
		ib_dma_sync_single_for_device(device_of(l), rx->sge[1].addr, rx->used - area,
					      DMA_FROM_DEVICE);
	return ib_post_recv(l->ep.qp, &rx->wr, NULL);
}

void cw_rdma_message_put(struct cw_message *msg)
{
	struct cw_rx *rx = container_of(msg, struct cw_rx, msg);
	bool credited = msg->frame.record; /* once posted, the next message may be in it */
	int ret;

	if (cw_link_is_dead(msg->link))
		return;
	ret = cw_rx_post(rx);
	if (ret)
		cw_link_kill(msg->link, ret, "posting a receive failed (%d)", ret);
	else if (credited)
		cw_link_taken(msg->link);
}

/* Copies @len bytes at @at of the message in @rx. */
static void cw_rx_copy(const struct cw_link_rdma *l, const struct cw_rx *rx, u32 at, u32 len,
		       void *to)
{
	u32 area = l->rx_bufs.data_size;
	u32 first = at < area ? min(len, area - at) : 0;

	memcpy(to, rx->buf->data + at, first);
	if (first < len)
		memcpy(to + first, rx->buf->trailer + (at + first - area), len - first);
}

/* Returns the records in one piece: where they lie, or copied to l->records if they straddle. */
static const void *cw_rx_records(struct cw_link_rdma *l, const struct cw_rx *rx, u32 at, u32 len)
{
	u32 area = l->rx_bufs.data_size;

	if (at + len <= area)
		return rx->buf->data + at;
	if (at >= area)
		return rx->buf->trailer + (at - area);
	cw_rx_copy(l, rx, at, len, l->records);
	return l->records;
}

/* The message has nothing but a page of data. */
static int cw_rx_parse_bare(struct cw_link_rdma *l, struct cw_message *msg, const struct ib_wc *wc)
{
	struct cw_link *link = &l->link;
	u32 imm = be32_to_cpu(wc->ex.imm_data);

	msg->records = l->records;
	if (link->server)
		return cw_parse_bare_write(imm, wc->byte_len, link->rx_ordinal, link->credited,
					   &link->limits, &msg->frame, (void *)l->records);
	return cw_parse_bare_read(imm, wc->byte_len, link->rx_ordinal, link->credited,
				  &link->limits, &msg->frame, (void *)l->records);
}

static int cw_rx_parse(struct cw_link_rdma *l, struct cw_rx *rx, u32 len)
{
	struct cw_message *msg = &rx->msg;
	struct cw_link *link = &l->link;
	struct cw_wire_tail tail;
	int ret;

	if (len < sizeof(tail))
		return -EPROTO;
	cw_rx_copy(l, rx, len - sizeof(tail), sizeof(tail), &tail);
	ret = cw_parse_tail(&tail, len, link->area, link->kind, link->server, &msg->frame);
	if (ret)
		return ret;
	if (msg->frame.ordinal != link->rx_ordinal)
		return -EPROTO;
	msg->records = cw_rx_records(l, rx, msg->frame.data_len,
				     msg->frame.count * msg->frame.record);
	return 0;
}

static int cw_rx_take(struct cw_link_rdma *l, struct cw_rx *rx, const struct ib_wc *wc)
{
	struct cw_link *link = &l->link;
	struct cw_message *msg = &rx->msg;
	u32 area = l->rx_bufs.data_size;
	u32 len = wc->byte_len;
	int ret;

	/* An RDMA WRITE with immediate data takes a receive too, and leaves nothing in it. */
	if (wc->opcode != IB_WC_RECV || len > area + CW_WIRE_TRAILER)
		return -EPROTO;
	rx->used = len;
	ib_dma_sync_single_for_cpu(device_of(l), rx->sge[0].addr, min(len, area), DMA_FROM_DEVICE);
	if (len > area)
		ib_dma_sync_single_for_cpu(device_of(l), rx->sge[1].addr, len - area,
					   DMA_FROM_DEVICE);
	if (wc->wc_flags & IB_WC_WITH_IMM)
		ret = cw_rx_parse_bare(l, msg, wc);
	else
		ret = cw_rx_parse(l, rx, len);
	if (ret)
		return ret;
	link->rx_ordinal++;
	msg->data = rx->buf->data;
	msg->invalidated = wc->wc_flags & IB_WC_WITH_INVALIDATE;
	msg->rkey = msg->invalidated ? wc->ex.invalidate_rkey : 0;
	atomic_set(&msg->users, 1);
	link->stats.n[CW_N_RECEIVES]++;
	WRITE_ONCE(link->last_rx, jiffies);
	trace_cw_message_received(link, msg->frame.type, msg->frame.count, msg->frame.data_len);
	return cw_link_take(link, msg);
}

static void cw_rx_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct cw_rx *rx = container_of(wc->wr_cqe, struct cw_rx, cqe);
	struct cw_link_rdma *l = to_rdma(rx->msg.link);
	int ret;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		/*
		 * The connection manager reports a rejection to a client, with its reason, after
		 * the flush. A server may get no other report of a queue pair that dies early.
		 */
		if (wc->status == IB_WC_WR_FLUSH_ERR && !l->link.server &&
		    cw_endpoint_is_connecting(&l->ep))
			return;
		/* A flush may be the first report of a queue pair's death. */
		cw_link_kill(&l->link, -EIO, "a receive failed: %s", ib_wc_status_msg(wc->status));
		return;
	}
	l->link.stats.n[CW_N_RECEIVE_COMPLETIONS]++;
	/* The last messages of a control link count even if the link was closed meanwhile. */
	if (unlikely(cw_link_is_dead(&l->link)) && l->link.kind != CW_LINK_CONTROL)
		return;
	if (unlikely(cw_endpoint_is_connecting(&l->ep)))
		cw_endpoint_seen(&l->ep);
	ret = cw_rx_take(l, rx, wc);
	if (unlikely(ret == -ENOMEM)) {
		cw_link_kill(&l->link, ret, "no memory to take a message");
	} else if (unlikely(ret)) {
		l->link.stats.n[CW_N_MALFORMED]++;
		cw_link_kill(&l->link, ret, "the peer broke the protocol (%d)", ret);
	}
}

int cw_rx_make(struct cw_link_rdma *l)
{
	u32 i;
	int ret;

	ret = cw_buffers_alloc(&l->rx_bufs, device_of(l), l->rx_count, l->link.area,
			       CW_WIRE_TRAILER, DMA_FROM_DEVICE);
	if (ret)
		return ret;
	l->rx = kvcalloc(l->rx_count, sizeof(*l->rx), GFP_KERNEL);
	if (!l->rx)
		return -ENOMEM;
	for (i = 0; i < l->rx_count; i++) {
		struct cw_rx *rx = &l->rx[i];
		u32 lkey = l->ep.domain->pd->local_dma_lkey;

		rx->buf = &l->rx_bufs.entry[i];
		rx->msg.link = &l->link;
		rx->cqe.done = cw_rx_done;
		rx->sge[0] = (struct ib_sge) {
			.addr = rx->buf->data_dma, .length = l->rx_bufs.data_size, .lkey = lkey };
		rx->sge[1] = (struct ib_sge) {
			.addr = rx->buf->trailer_dma, .length = CW_WIRE_TRAILER, .lkey = lkey };
		rx->wr.wr_cqe = &rx->cqe;
		rx->wr.sg_list = rx->sge;
		rx->wr.num_sge = 2;
		ret = cw_rx_post(rx);
		if (ret)
			return ret;
	}
	return 0;
}
