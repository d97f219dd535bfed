// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends of a link over an endpoint: a pool of trailers and one of pages.
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
	struct ib_send_wr *regs_first, *regs_last; /* registrations that go before it */
	u16 regs;
};

struct cw_tx *cw_rdma_tx_get(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);
	struct cw_tx *tx;
	unsigned long flags;

	spin_lock_irqsave(&l->pool_lock, flags);
	tx = list_first_entry_or_null(&l->tx_free, struct cw_tx, entry);
	if (tx)
		list_del(&tx->entry);
	else
		l->starved = true;
	if (unlikely(!tx))
		WRITE_ONCE(link->short_of_tx, true);
	spin_unlock_irqrestore(&l->pool_lock, flags);
	if (!tx)
		return NULL;
	tx->nr_pages = 0;
	tx->data_len = 0;
	tx->count = 0;
	tx->record = 0;
	tx->transfer = NULL;
	tx->invalidate = 0;
	tx->released = NULL;
	return tx;
}

struct cw_page *cw_rdma_pages_get(struct cw_link *link, u32 count)
{
	struct cw_link_rdma *l = to_rdma(link);
	struct cw_page *first = NULL, *last;
	unsigned long flags;

	spin_lock_irqsave(&l->pool_lock, flags);
	if (likely(l->pages_free >= count)) {
		l->pages_free -= count;
		first = l->page_free;
		for (last = first; --count; last = last->next)
			;
		l->page_free = last->next;
		last->next = NULL;
	} else {
		l->starved = true;
	}
	spin_unlock_irqrestore(&l->pool_lock, flags);
	return first;
}

static void cw_page_free(struct cw_link_rdma *l, struct cw_page *page)
{
	page->next = l->page_free;
	l->page_free = page;
	l->pages_free++;
}

/* @starved was read under pool_lock: true if a caller waits for a tx or for pages. */
static void cw_rdma_has_room(struct cw_link_rdma *l, bool starved)
{
	if (unlikely(starved))
		cw_link_has_room(&l->link);
}

void cw_rdma_pages_put(struct cw_link *link, struct cw_page *pages)
{
	struct cw_link_rdma *l = to_rdma(link);
	struct cw_page *next;
	unsigned long flags;
	bool starved;

	spin_lock_irqsave(&l->pool_lock, flags);
	for (; pages; pages = next) {
		next = pages->next;
		cw_page_free(l, pages);
	}
	starved = l->starved;
	l->starved = false;
	spin_unlock_irqrestore(&l->pool_lock, flags);
	cw_rdma_has_room(l, starved);
}

void cw_rdma_tx_put(struct cw_tx *tx)
{
	struct cw_tx_rdma *t = container_of(tx, struct cw_tx_rdma, tx);
	struct cw_link_rdma *l = to_rdma(tx->link);
	unsigned long flags;
	bool starved;
	u8 i;

	t->regs = 0;
	t->regs_first = NULL;
	t->regs_last = NULL;
	spin_lock_irqsave(&l->pool_lock, flags);
	for (i = 0; i < tx->nr_pages; i++)
		cw_page_free(l, tx->pages[i]);
	list_add(&tx->entry, &l->tx_free);
	starved = l->starved;
	l->starved = false;
	if (unlikely(tx->link->short_of_tx))
		WRITE_ONCE(tx->link->short_of_tx, false);
	spin_unlock_irqrestore(&l->pool_lock, flags);
	cw_rdma_has_room(l, starved);
}

static void cw_tx_done(struct cw_post *post, int err)
{
	struct cw_tx_rdma *t = container_of(post, struct cw_tx_rdma, post);

	cw_link_released(t->tx.link, &t->tx);
	if (t->tx.transfer)
		cw_rdma_transfer_end(to_transfer(t->tx.transfer), err);
	if (t->tx.released)
		t->tx.released(&t->tx, t->tx.cookie);
	cw_rdma_tx_put(&t->tx);
}

void cw_rdma_tx_attach(struct cw_tx *tx, struct cw_map *map)
{
	struct cw_tx_rdma *t = container_of(tx, struct cw_tx_rdma, tx);
	struct cw_mr *mr = map->mr;
	struct ib_send_wr *reg = &mr->region.reg.wr;

	if (t->regs_last)
		t->regs_last->next = reg;
	else
		t->regs_first = reg;
	t->regs_last = reg;
	t->regs++;
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
	t->post.wrs = 1 + t->regs;
	/* A caller waits for the completion, or for the pages. */
	t->post.signal = tx->released || tx->nr_pages > 1;
	if (t->regs) {
		t->regs_last->next = &t->wr;
		t->post.first = t->regs_first;
		link->stats.n[CW_N_REGISTRATIONS] += t->regs;
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

static int cw_pages_make(struct cw_link_rdma *l)
{
	u32 i;
	int ret;

	ret = cw_buffers_alloc(&l->page_bufs, device_of(l), l->page_count, CW_WIRE_PAGE, 0,
			       DMA_TO_DEVICE);
	if (ret)
		return ret;
	l->pages = kvcalloc(l->page_count, sizeof(*l->pages), GFP_KERNEL);
	if (!l->pages)
		return -ENOMEM;
	for (i = 0; i < l->page_count; i++) {
		l->pages[i].data = l->page_bufs.entry[i].data;
		l->pages[i].dma = l->page_bufs.entry[i].data_dma;
		cw_page_free(l, &l->pages[i]);
	}
	return 0;
}

int cw_tx_make(struct cw_link_rdma *l)
{
	u32 i;
	int ret, n;

	ret = cw_buffers_alloc(&l->tx_bufs, device_of(l), l->tx_count, 0, CW_TX_TRAILER,
			       DMA_TO_DEVICE);
	if (ret)
		return ret;
	l->tx = kvcalloc(l->tx_count, sizeof(*l->tx), GFP_KERNEL);
	if (!l->tx)
		return -ENOMEM;
	for (i = 0; i < l->tx_count; i++) {
		struct cw_tx_rdma *t = &l->tx[i];

		t->buf = &l->tx_bufs.entry[i];
		t->tx.link = &l->link;
		t->tx.trailer = t->buf->trailer;
		for (n = 0; n < ARRAY_SIZE(t->sge); n++)
			t->sge[n].lkey = l->ep.domain->pd->local_dma_lkey;
		t->wr.sg_list = t->sge;
		t->post.complete = cw_tx_done;
		list_add_tail(&t->tx.entry, &l->tx_free);
	}
	l->link.pages_max = min3((u32)CW_TX_PAGES, l->ep.send_sges - 1, (u32)l->peer_area);
	return cw_pages_make(l);
}
