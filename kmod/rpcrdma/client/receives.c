// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receives of a queue pair. There is one for each reply and callback that can arrive: credits
 * of the server count only as far as there are receives. Receives are made in sets as the credits
 * grow, since most servers grant less than is asked for.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "../wire/header.h"
#include "../wire/sizes.h"
#include "receives.h"

#define RECEIVES_FIRST 16U /* replies that can be received at first */
#define RECEIVES_SET 32U

bool cwrc_receive_arrived(struct cwrc_receive *receive, const struct ib_wc *wc)
{
	struct cwrc_connection *conn = receive->connection;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		/*
		 * After a rejection receives are flushed first; then the connection manager reports
		 * its reason.
		 */
		if (wc->status != IB_WC_WR_FLUSH_ERR || !cw_endpoint_is_connecting(&conn->ep))
			cw_endpoint_kill(&conn->ep, -EIO, "a receive failed: %s",
					 ib_wc_status_msg(wc->status));
		return false;
	}
	/*
	 * Does not mark the endpoint as live: only the connection manager's event has the server's
	 * inline sizes.
	 */
	WRITE_ONCE(conn->heard, conn->heard + 1);
	receive->len = wc->byte_len;
	ib_dma_sync_single_for_cpu(conn->ib, receive->sge.addr, receive->len, DMA_FROM_DEVICE);
	cwr_count(&conn->transport->info, CW_NFS_RECEIVES, 1);
	return true;
}

void cwrc_receive_post(struct cwrc_receive *receive)
{
	struct cwrc_connection *conn = receive->connection;
	int ret;

	if (unlikely(READ_ONCE(conn->ep.state) == CW_EP_DEAD))
		return;
	ib_dma_sync_single_for_device(conn->ib, receive->sge.addr, receive->len, DMA_FROM_DEVICE);
	ret = ib_post_recv(conn->ep.qp, &receive->wr, NULL);
	if (unlikely(ret))
		cw_endpoint_kill(&conn->ep, ret, "posting a receive failed (%d)", ret);
}

static int cwrc_receives_add(struct cwrc_connection *conn, u32 count)
{
	struct cwrc_receives *set;
	int ret;
	u32 i;

	set = kvzalloc(struct_size(set, receive, count), GFP_KERNEL);
	if (!set)
		return -ENOMEM;
	ret = cw_buffers_alloc(&set->buffers, conn->ib, count, PAGE_ALIGN(conn->receive_size), 0,
			       DMA_FROM_DEVICE);
	if (ret) {
		kvfree(set);
		return ret;
	}
	list_add(&set->entry, &conn->receives);
	for (i = 0; i < count; i++) {
		struct cwrc_receive *receive = &set->receive[i];

		receive->connection = conn;
		receive->buffer = &set->buffers.entry[i];
		receive->cqe.done = conn->received;
		receive->sge.addr = receive->buffer->data_dma;
		receive->sge.length = conn->receive_size;
		receive->sge.lkey = conn->ep.domain->pd->local_dma_lkey;
		receive->wr.wr_cqe = &receive->cqe;
		receive->wr.sg_list = &receive->sge;
		receive->wr.num_sge = 1;
		ret = ib_post_recv(conn->ep.qp, &receive->wr, NULL);
		if (ret)
			return ret; /* the set is freed with the connection, after the drain */
	}
	return 0;
}

/* Halves the size of the receives if free memory is too fragmented for large ones. */
int cwrc_receives_make(struct cwrc_connection *conn)
{
	int ret;

	conn->replies = min(RECEIVES_FIRST, conn->replies_most);
	for (;;) {
		ret = cwrc_receives_add(conn, conn->replies + CWRC_CALLBACKS);
		if (ret != -ENOMEM || conn->receive_size <= PAGE_SIZE)
			return ret;
		conn->receive_size = cwr_inline_offer(conn->receive_size / 2);
	}
}

void cwrc_receives_free(struct cwrc_connection *conn)
{
	struct cwrc_receives *set, *next;

	list_for_each_entry_safe(set, next, &conn->receives, entry) {
		cw_buffers_free(&set->buffers);
		kvfree(set);
	}
	INIT_LIST_HEAD(&conn->receives);
}

void cwrc_receives_grow(struct work_struct *work)
{
	struct cwrc_connection *conn = container_of(work, struct cwrc_connection, grow_receives);
	unsigned int noio = memalloc_noio_save();
	u32 wanted = READ_ONCE(conn->replies_wanted);

	while (conn->replies < wanted && READ_ONCE(conn->ep.state) == CW_EP_LIVE) {
		u32 count = min(wanted - conn->replies, RECEIVES_SET);

		if (cwrc_receives_add(conn, count))
			break; /* the credits stay; the next reply queues this work again */
		WRITE_ONCE(conn->replies, conn->replies + count);
	}
	memalloc_noio_restore(noio);
}

u32 cwrc_receives_credits(struct cwrc_connection *conn, u32 credits)
{
	u32 ready = READ_ONCE(conn->replies);

	credits = cwr_credits(credits, conn->replies_most);
	if (unlikely(credits > ready)) {
		WRITE_ONCE(conn->replies_wanted, credits);
		queue_work(cwrc_workqueue, &conn->grow_receives);
		return ready;
	}
	return credits;
}
