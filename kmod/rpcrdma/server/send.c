// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages to the client. A send is memory, mapped for the adapter once, that holds a header, the
 * message behind it, and small data that an RDMA Write takes from there.
 *
 * Such a send holds no other memory, so the endpoint signals only one in a few, and the last sends
 * of an idle connection stay uncompleted. A thread of nfsd copies the answer, posts it, and keeps
 * its pages: copying 4 KiB costs less than a completion. If the data is too large for that, the
 * adapter reads nfsd's own pages. Such a send is signalled, and its completion frees the pages.
 *
 * Sends are allocated on demand and kept as long as needed: as many as answers were recently in
 * flight at once. xpo_has_wspace bounds that number.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "connection.h"
#include "limits.h"
#include "send.h"
#include "trace.h"
#include "transfers.h"

/*
 * The key of the client may be invalid. The Send behind the RDMA Write completes only as flushed,
 * so the reason is known only here.
 */
static void cwrs_push_failed(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS)
		cw_endpoint_kill(cq->cq_context, -EIO, "an RDMA Write failed: %s",
				 ib_wc_status_msg(wc->status));
}

static struct cwrs_send *cwrs_send_make(struct cwrs_connection *conn, gfp_t gfp)
{
	struct ib_device *ib = cwrs_device(conn);
	struct cwrs_send *send = kzalloc(sizeof(*send), gfp);
	struct page *page;
	u8 i;

	if (!send)
		return NULL;
	page = alloc_pages_node(cw_memory_node(ib), gfp | __GFP_NOWARN | __GFP_COMP,
				get_order(conn->tx_size));
	if (!page)
		goto free_send;
	send->data = page_address(page);
	send->dma = ib_dma_map_single(ib, send->data, conn->tx_size, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(ib, send->dma))
		goto free_data;
	send->conn = conn;
	send->push_cqe.done = cwrs_push_failed;
	send->sge.addr = send->dma;
	send->sge.lkey = conn->ep.domain->pd->local_dma_lkey;
	send->wr.sg_list = &send->sge;
	send->wr.num_sge = 1;
	for (i = 0; i < CWRS_PUSHES; i++) {
		send->push_sge[i].lkey = send->sge.lkey;
		send->push[i].wr.sg_list = &send->push_sge[i];
		send->push[i].wr.num_sge = 1;
		send->push[i].wr.opcode = IB_WR_RDMA_WRITE;
		send->push[i].wr.wr_cqe = &send->push_cqe;
	}
	cwrs_memory_add(1L << get_order(conn->tx_size));
	spin_lock_bh(&conn->tx_lock);
	list_add(&send->made, &conn->tx_made);
	spin_unlock_bh(&conn->tx_lock);
	return send;

free_data:
	free_pages((unsigned long)send->data, get_order(conn->tx_size));
free_send:
	kfree(send);
	return NULL;
}

struct cwrs_send *cwrs_send_get(struct cwrs_connection *conn, gfp_t gfp)
{
	struct cwrs_send *send;

	spin_lock_bh(&conn->tx_lock);
	send = list_first_entry_or_null(&conn->tx_free, struct cwrs_send, entry);
	if (send) {
		list_del(&send->entry);
		conn->tx_least = min(conn->tx_least, --conn->tx_spare);
	}
	spin_unlock_bh(&conn->tx_lock);
	if (!send)
		send = cwrs_send_make(conn, gfp);
	if (!send)
		return NULL;
	atomic_inc(&conn->tx_busy);
	send->pushes = 0;
	send->transfers = NULL;
	return send;
}

void cwrs_send_put(struct cwrs_send *send)
{
	struct cwrs_connection *conn = send->conn;

	cwrs_transfers_free(conn, send->transfers);
	send->transfers = NULL;
	if (send->pages)
		atomic_sub(send->pages, &conn->pushing);
	send->pages = 0;
	spin_lock_bh(&conn->tx_lock);
	list_add(&send->entry, &conn->tx_free);
	conn->tx_spare++;
	spin_unlock_bh(&conn->tx_lock);
	atomic_dec(&conn->tx_busy);
	/* pairs with smp_mb__after_atomic() in cwrs_connection_has_wspace() */
	smp_mb__after_atomic();
	if (unlikely(test_bit(CWRS_STALLED, &conn->flags)) &&
	    test_and_clear_bit(CWRS_STALLED, &conn->flags))
		svc_xprt_enqueue(&conn->xprt);
}

static void cwrs_sent(struct cw_post *post, int err)
{
	struct cwrs_send *send = container_of(post, struct cwrs_send, post);

	if (likely(!err))
		cwrs_count_completions(send->conn);
	cwrs_send_put(send);
}

void cwrs_send_push(struct cwrs_send *send, u32 at, u32 length, u32 handle, u64 offset)
{
	u8 i = send->pushes++;

	send->push_sge[i].addr = send->dma + at;
	send->push_sge[i].length = length;
	send->push[i].remote_addr = offset;
	send->push[i].rkey = handle;
	ib_dma_sync_single_for_device(cwrs_device(send->conn), send->dma + at, length,
				      DMA_TO_DEVICE);
}

/* Links the RDMA Writes before the Send, which is the last. */
static struct ib_send_wr *cwrs_send_chain(struct cwrs_send *send)
{
	struct ib_send_wr *first = &send->wr;
	u8 i = send->pushes;

	while (i--) {
		send->push[i].wr.next = first;
		first = &send->push[i].wr;
	}
	if (send->transfers)
		first = cwrs_transfers_chain(send->conn, send->transfers, NULL, first);
	return first;
}

void cwrs_send_post(struct cwrs_send *send, u32 length, u32 invalidate)
{
	struct cwrs_connection *conn = send->conn;

	ib_dma_sync_single_for_device(cwrs_device(conn), send->dma, length, DMA_TO_DEVICE);
	send->sge.length = length;
	send->wr.next = NULL;
	send->wr.send_flags = 0;
	send->wr.opcode = invalidate ? IB_WR_SEND_WITH_INV : IB_WR_SEND;
	send->wr.ex.invalidate_rkey = invalidate;
	send->post.first = cwrs_send_chain(send);
	send->post.last = &send->wr;
	send->post.wrs = 1 + send->pushes + (send->transfers ? send->transfers->wrs : 0);
	send->post.signal = send->transfers; /* its completion frees the pages soon */
	send->post.complete = cwrs_sent;
	if (send->transfers) {
		send->pages = send->transfers->pages;
		atomic_add(send->pages, &conn->pushing);
	}
	trace_cwrs_sent(send, length, invalidate);
	cwr_count(&conn->info, CW_NFS_SENDS, 1);
	if (send->pushes || send->transfers)
		cwr_count(&conn->info, CW_NFS_PUSHED_WRITES,
			  send->pushes + (send->transfers ? send->transfers->count : 0));
	if (invalidate)
		cwr_count(&conn->info, CW_NFS_REMOTE_INVALIDATIONS, 1);
	/*
	 * cw_endpoint_post_now() would send the many packets of transfers, and handle their
	 * results, in this thread, one call at a time.
	 */
	if (send->transfers)
		cw_endpoint_post(&conn->ep, &send->post);
	else
		cw_endpoint_post_now(&conn->ep, &send->post);
}

static void cwrs_send_destroy(struct cwrs_send *send)
{
	struct cwrs_connection *conn = send->conn;
	unsigned int order = get_order(conn->tx_size);

	ib_dma_unmap_single(cwrs_device(conn), send->dma, conn->tx_size, DMA_TO_DEVICE);
	free_pages((unsigned long)send->data, order);
	cwrs_memory_add(-(1L << order));
	kfree(send);
}

void cwrs_sends_trim(struct cwrs_connection *conn)
{
	struct cwrs_send *send, *next;
	LIST_HEAD(unneeded);

	spin_lock_bh(&conn->tx_lock);
	for (; conn->tx_least; conn->tx_least--, conn->tx_spare--) {
		/* the least recently used one */
		send = list_last_entry(&conn->tx_free, struct cwrs_send, entry);
		list_del(&send->made);
		list_move(&send->entry, &unneeded);
	}
	conn->tx_least = conn->tx_spare;
	spin_unlock_bh(&conn->tx_lock);
	list_for_each_entry_safe(send, next, &unneeded, entry)
		cwrs_send_destroy(send);
}

void cwrs_sends_free(struct cwrs_connection *conn)
{
	struct cwrs_send *send, *next;

	list_for_each_entry_safe(send, next, &conn->tx_made, made)
		cwrs_send_destroy(send);
	INIT_LIST_HEAD(&conn->tx_made);
	INIT_LIST_HEAD(&conn->tx_free);
}
