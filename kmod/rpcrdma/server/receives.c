// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives, from the post to the completion: buffers for the client's largest messages, mapped for
 * the adapter once.
 *
 * A connection begins with few receives and grants as few credits, because any host may connect and
 * most clients are not busy. A client that sends as many messages in a second as it has credits
 * gets another set of receives and as many more credits, up to server_credits, unless memory is
 * scarce. Receives for its replies to calls of the server are added with the backchannel. A posted
 * receive cannot be taken back, so a set stays until the end of the connection.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "../wire/sizes.h"
#include "connection.h"
#include "limits.h"
#include "pages.h"
#include "receives.h"

#define CWRS_RECEIVES 16U /* a connection's first receives, and the size of each further set */

struct cwrs_receives {
	struct list_head entry; /* in conn->rx_sets */
	struct cw_buffers bufs;
	u32 pages;
	u32 count;
	struct cwrs_receive rx[];
};

static int cwrs_receive_post(struct cwrs_receive *rx)
{
	ib_dma_sync_single_for_device(cwrs_device(rx->conn), rx->buf->data_dma, rx->length,
				      DMA_FROM_DEVICE);
	return ib_post_recv(rx->conn->ep.qp, &rx->wr, NULL);
}

/* Frees everything that a call holds besides its message. Process context. */
static void cwrs_receive_clear(struct cwrs_receive *rx)
{
	cwrs_pull_free(rx);
	cwrs_hold_drop(rx);
	if (unlikely(rx->segment != rx->own))
		kfree(rx->segment);
	rx->segment = rx->own;
	rx->pull.waited = false;
	rx->results = 0;
}

void cwrs_receive_put(struct cwrs_receive *rx)
{
	struct cwrs_connection *conn = rx->conn;
	int ret;

	cwrs_receive_clear(rx);
	if (rx->is_call)
		atomic_dec(&conn->info.calls);
	rx->is_call = false;
	if (unlikely(cwrs_is_dead(conn)))
		return;
	ret = cwrs_receive_post(rx);
	if (unlikely(ret))
		cw_endpoint_kill(&conn->ep, ret, "posting a receive failed (%d)", ret);
}

/* Counts a received message. */
static void cwrs_receives_count(struct cwrs_connection *conn)
{
	if (likely(conn->credits == conn->credits_most))
		return;
	if (time_after(jiffies, conn->burst_end)) {
		conn->burst = 0;
		conn->burst_end = jiffies + HZ;
	}
	if (++conn->burst >= conn->credits)
		set_bit(CWRS_WANTS_RECEIVES, &conn->flags);
}

static void cwrs_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct cwrs_receive *rx = container_of(wc->wr_cqe, struct cwrs_receive, cqe);
	struct cwrs_connection *conn = rx->conn;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		/*
		 * The endpoint is killed even before the connection manager reports the connection
		 * as established, because the queue pair may have failed by then.
		 */
		cw_endpoint_kill(&conn->ep, -EIO, "a receive failed: %s",
				 ib_wc_status_msg(wc->status));
		return;
	}
	/* An RDMA Write with immediate data consumes a receive too, but carries no message. */
	if (unlikely(wc->opcode != IB_WC_RECV || wc->byte_len > conn->receive_inline)) {
		cw_endpoint_kill(&conn->ep, -EPROTO, "the client broke the protocol");
		return;
	}
	if (unlikely(cwrs_is_dead(conn)))
		return;
	if (unlikely(cw_endpoint_is_connecting(&conn->ep)))
		cw_endpoint_seen(&conn->ep);
	rx->length = wc->byte_len;
	rx->parsed = false;
	cwrs_receives_count(conn);
	spin_lock_bh(&conn->rx_lock);
	list_add_tail(&rx->entry, &conn->arrived);
	cwrs_has_data(conn);
	spin_unlock_bh(&conn->rx_lock);
	svc_xprt_enqueue(&conn->xprt);
}

static void cwrs_receive_init(struct cwrs_receive *rx, struct cwrs_connection *conn,
			      const struct cw_buffer *buf)
{
	rx->conn = conn;
	rx->buf = buf;
	rx->segment = rx->own;
	rx->cqe.done = cwrs_received;
	rx->sge.addr = buf->data_dma;
	rx->sge.length = conn->receive_inline;
	rx->sge.lkey = conn->ep.domain->pd->local_dma_lkey;
	rx->wr.wr_cqe = &rx->cqe;
	rx->wr.sg_list = &rx->sge;
	rx->wr.num_sge = 1;
}

int cwrs_receives_add(struct cwrs_connection *conn, u32 count)
{
	u32 size = PAGE_ALIGN(conn->receive_inline);
	struct cwrs_receives *set;
	u32 i;
	int ret;

	set = kvzalloc(struct_size(set, rx, count), GFP_KERNEL);
	if (!set)
		return -ENOMEM;
	ret = cw_buffers_alloc(&set->bufs, cwrs_device(conn), count, size, 0, DMA_FROM_DEVICE);
	if (ret) {
		kvfree(set);
		return ret;
	}
	set->count = count;
	set->pages = count << get_order(size);
	cwrs_memory_add(set->pages);
	for (i = 0; i < count; i++)
		cwrs_receive_init(&set->rx[i], conn, &set->bufs.entry[i]);
	spin_lock_bh(&conn->rx_lock);
	list_add_tail(&set->entry, &conn->rx_sets);
	spin_unlock_bh(&conn->rx_lock);
	for (i = 0; !ret && i < count; i++)
		ret = cwrs_receive_post(&set->rx[i]);
	return ret;
}

/* Halves the size of the receives if free memory is too fragmented for large ones. */
int cwrs_receives_make(struct cwrs_connection *conn)
{
	int ret;

	conn->credits = min(conn->credits_most, CWRS_RECEIVES);
	for (;;) {
		ret = cwrs_receives_add(conn, conn->credits);
		if (ret != -ENOMEM || conn->receive_inline <= PAGE_SIZE)
			return ret;
		conn->receive_inline = cwr_inline_offer(conn->receive_inline / 2);
	}
}

void cwrs_receives_grow(struct cwrs_connection *conn)
{
	u32 more;
	int ret;

	if (test_and_set_bit(CWRS_MAKES_RECEIVES, &conn->flags))
		return;
	clear_bit(CWRS_WANTS_RECEIVES, &conn->flags);
	/* Only the thread that has the bit changes the credits. */
	more = min(conn->credits_most - conn->credits, CWRS_RECEIVES);
	if (!more || cwrs_is_dead(conn) || cwrs_memory_is_scarce())
		goto out;
	ret = cwrs_receives_add(conn, more);
	if (ret == -ENOMEM)
		goto out; /* the client keeps the credits that it has */
	if (ret) {
		cw_endpoint_kill(&conn->ep, ret, "posting a receive failed (%d)", ret);
		goto out;
	}
	/* Granted with the next answer. */
	WRITE_ONCE(conn->credits, conn->credits + more);
	WRITE_ONCE(conn->info.credits, conn->credits);
out:
	clear_bit_unlock(CWRS_MAKES_RECEIVES, &conn->flags);
}

void cwrs_receives_free(struct cwrs_connection *conn)
{
	struct cwrs_receives *set, *next;
	u32 i;

	list_for_each_entry_safe(set, next, &conn->rx_sets, entry) {
		for (i = 0; i < set->count; i++)
			cwrs_receive_clear(&set->rx[i]);
		cw_buffers_free(&set->bufs);
		cwrs_memory_add(-(long)set->pages);
		kvfree(set);
	}
	INIT_LIST_HEAD(&conn->rx_sets);
}
