// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives of a link over an endpoint: a data area and a trailer each.
 *
 * A message with immediate data has neither records nor tail. There are as many receives as
 * messages with records may come without new credit, and a few for the others. A receive is posted
 * again when its data is not needed any more, and then counts as credit.
 */
#include <linux/slab.h>

#include "link_rdma.h"

static void cw_rx_done(struct ib_cq *cq, struct ib_wc *wc);

static int cw_rx_post(struct cw_rx *rx)
{
	struct cw_link_rdma *l = to_rdma(rx->base.msg.link);
	u32 area = min(rx->used, l->link.pools.rx_bufs.data_size);

	if (area)
		ib_dma_sync_single_for_device(device_of(l), rx->sge[0].addr, area, DMA_FROM_DEVICE);
	if (rx->used > area)
		ib_dma_sync_single_for_device(device_of(l), rx->sge[1].addr, rx->used - area,
					      DMA_FROM_DEVICE);
	return ib_post_recv(l->ep.qp, &rx->wr, NULL);
}

void cw_rdma_message_put(struct cw_message *msg)
{
	struct cw_rx *rx = container_of(msg, struct cw_rx, base.msg);
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

/* The message has nothing but a page of data. */
static int cw_rx_parse_bare(struct cw_message *msg, const struct ib_wc *wc)
{
	struct cw_link *link = msg->link;
	u32 imm = be32_to_cpu(wc->ex.imm_data);

	msg->records = link->records;
	if (link->server)
		return cw_parse_bare_write(imm, wc->byte_len, link->rx_ordinal, link->credited,
					   &link->limits, &msg->frame, (void *)link->records);
	return cw_parse_bare_read(imm, wc->byte_len, link->rx_ordinal, link->credited,
				  &link->limits, &msg->frame, (void *)link->records);
}

static int cw_rx_take(struct cw_link_rdma *l, struct cw_rx *rx, const struct ib_wc *wc)
{
	struct cw_message *msg = &rx->base.msg;
	u32 area = l->link.pools.rx_bufs.data_size;
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
		ret = cw_rx_parse_bare(msg, wc);
	else
		ret = cw_receive_parse(&rx->base, len);
	if (ret)
		return ret;
	msg->invalidated = wc->wc_flags & IB_WC_WITH_INVALIDATE;
	msg->rkey = msg->invalidated ? wc->ex.invalidate_rkey : 0;
	return cw_receive_take(&rx->base);
}

static void cw_rx_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct cw_rx *rx = container_of(wc->wr_cqe, struct cw_rx, cqe);
	struct cw_link_rdma *l = to_rdma(rx->base.msg.link);
	int ret;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		/*
		 * The connection manager reports a rejection to a client, with its reason, after
		 * the flush. A server may get no other report of a queue pair that dies early.
		 */
		if (wc->status == IB_WC_WR_FLUSH_ERR && !l->link.server &&
		    cw_endpoint_is_connecting(&l->ep))
			return;
		/*
		 * A flush may be the first report of a queue pair's death. If the endpoint is dead
		 * already, the thread that killed it reports why, perhaps a moment later.
		 */
		cw_endpoint_kill(&l->ep, -EIO, "a receive failed: %s",
				 ib_wc_status_msg(wc->status));
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
	struct cw_pools *pools = &l->link.pools;
	u32 i, lkey = l->ep.domain->pd->local_dma_lkey;
	int ret;

	l->rx = kvcalloc(pools->rx_count, sizeof(*l->rx), GFP_KERNEL);
	if (!l->rx)
		return -ENOMEM;
	for (i = 0; i < pools->rx_count; i++) {
		struct cw_rx *rx = &l->rx[i];
		const struct cw_buffer *buf;

		cw_receive_init(&rx->base, &l->link, i);
		buf = rx->base.buf;
		rx->cqe.done = cw_rx_done;
		rx->sge[0] = (struct ib_sge) {
			.addr = buf->data_dma, .length = pools->rx_bufs.data_size, .lkey = lkey };
		rx->sge[1] = (struct ib_sge) {
			.addr = buf->trailer_dma, .length = CW_WIRE_TRAILER, .lkey = lkey };
		rx->wr.wr_cqe = &rx->cqe;
		rx->wr.sg_list = rx->sge;
		rx->wr.num_sge = 2;
		ret = cw_rx_post(rx);
		if (ret)
			return ret;
	}
	return 0;
}
