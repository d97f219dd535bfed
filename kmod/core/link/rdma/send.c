// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends of a link over an endpoint.
 *
 * A tx goes out as one work request, a fragment for each page and, unless it goes bare, one for the
 * trailer, with the chain of registrations (client) or the transfer (server) before it in the same
 * post. It comes back when the adapter is done with it, which the endpoint learns from one
 * signalled send in a few; a tx with more than one page is signalled itself.
 */
#include <linux/slab.h>

#include "../trace.h"
#include "link_rdma.h"

struct cw_tx_rdma {
	struct cw_tx tx;
	struct cw_post post;
	struct ib_send_wr wr;
	struct ib_sge sge[CW_TX_PAGES + 1];
	struct cw_buffer *buf;
	struct ib_send_wr *regs_first, *regs_last; /* if attached: what goes before it */
};

static void cw_tx_done(struct cw_post *post, int err)
{
	struct cw_tx_rdma *t = container_of(post, struct cw_tx_rdma, post);

	cw_link_released(t->tx.link, &t->tx);
	if (t->tx.transfer)
		cw_rdma_transfer_end(to_transfer(t->tx.transfer), err);
	if (t->tx.released)
		t->tx.released(&t->tx, t->tx.cookie);
	cw_link_tx_put(&t->tx);
}

void cw_rdma_tx_attach(struct cw_tx *tx, struct cw_map *map)
{
	struct cw_tx_rdma *t = container_of(tx, struct cw_tx_rdma, tx);
	struct cw_mr *mr = map->mr;
	struct ib_send_wr *reg = &mr->region.reg.wr;

	if (tx->attached)
		t->regs_last->next = reg;
	else
		t->regs_first = reg;
	t->regs_last = reg;
	tx->attached++;
}

void cw_rdma_send(struct cw_link *link, struct cw_tx *tx)
{
	struct cw_tx_rdma *t = container_of(tx, struct cw_tx_rdma, tx);
	struct cw_link_rdma *l = to_rdma(link);
	u32 trailer = tx->count * tx->record + sizeof(struct cw_wire_tail);
	int n;

	lockdep_assert_held(&link->tx_lock);
	for (n = 0; n < tx->nr_pages; n++) {
		t->sge[n].addr = tx->pages[n]->dma;
		t->sge[n].length = tx->page_len[n];
		ib_dma_sync_single_for_device(device_of(l), tx->pages[n]->dma, tx->page_len[n],
					      DMA_TO_DEVICE);
	}
	if (!tx->bare) {
		t->sge[n].addr = t->buf->trailer_dma;
		t->sge[n++].length = trailer;
		ib_dma_sync_single_for_device(device_of(l), t->buf->trailer_dma, trailer,
					      DMA_TO_DEVICE);
	}

	t->wr.num_sge = n;
	t->wr.next = NULL;
	t->wr.send_flags = 0;
	if (tx->bare) {
		t->wr.opcode = IB_WR_SEND_WITH_IMM;
		t->wr.ex.imm_data = cpu_to_be32(tx->imm);
	} else if (tx->invalidate) {
		t->wr.opcode = IB_WR_SEND_WITH_INV;
		t->wr.ex.invalidate_rkey = tx->invalidate;
	} else {
		t->wr.opcode = IB_WR_SEND;
		t->wr.ex.invalidate_rkey = 0;
	}
	t->post.first = &t->wr;
	t->post.last = &t->wr;
	t->post.wrs = 1 + tx->attached;
	/* A caller waits for the completion, or for the pages. */
	t->post.signal = tx->released || tx->nr_pages > 1;
	if (tx->attached) {
		t->regs_last->next = &t->wr;
		t->post.first = t->regs_first;
		link->stats.n[CW_N_REGISTRATIONS] += tx->attached;
	}
	if (tx->transfer) {
		struct cw_transfer_rdma *b = to_transfer(tx->transfer);

		t->post.first = cw_rw_chain(&b->rw, &l->ep, NULL, &t->wr);
		t->post.wrs += b->wrs;
		t->post.signal = true; /* gives the transfer's memory back soon */
		link->stats.n[CW_N_BULK_WRITES]++;
	}
	link->stats.n[CW_N_SENDS]++;
	trace_cw_message_sent(link, tx->type, tx->count, tx->data_len);
	cw_endpoint_post(&l->ep, &t->post);
}

int cw_tx_make(struct cw_link_rdma *l)
{
	struct cw_pools *pools = &l->link.pools;
	u32 i;
	int n;

	l->tx = kvcalloc(pools->tx_count, sizeof(*l->tx), GFP_KERNEL);
	if (!l->tx)
		return -ENOMEM;
	for (i = 0; i < pools->tx_count; i++) {
		struct cw_tx_rdma *t = &l->tx[i];

		t->buf = &pools->tx_bufs.entry[i];
		for (n = 0; n < ARRAY_SIZE(t->sge); n++)
			t->sge[n].lkey = l->ep.domain->pd->local_dma_lkey;
		t->wr.sg_list = t->sge;
		t->post.complete = cw_tx_done;
		cw_pools_add_tx(&l->link, &t->tx, i);
	}
	l->link.pages_max = min3((u32)CW_TX_PAGES, l->ep.send_sges - 1, (u32)pools->peer_area);
	return 0;
}
