// SPDX-License-Identifier: GPL-2.0-only
/*
 * A link over an endpoint.
 *
 * Receives: receive.c.
 *
 * Sends: a pool of trailers and one of pages. A tx goes out as one work request, a fragment for
 * each page and, unless it goes bare, one for the trailer, with the chain of registrations
 * (client) or the transfer (server) before it in the same post. It comes back when the adapter
 * is done with it, which the endpoint learns from one signalled send in a few; what holds many
 * pages is signalled itself.
 *
 * Transfers (server): contexts of rdma_rw, which knows what the device wants: plain fragments, or
 * regions on iWARP.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/rw.h>

#include "../../verbs/region.h"
#include "../trace.h"
#include "connect.h"
#include "link_rdma.h"

#define CW_TX_SPARE 32U /* messages to send beyond those that the peer takes at once */
#define CW_PAGES_SPARE 32U /* pages beyond one for each command: those of messages on their way */
#define CW_LARGE_INLINE 16U /* commands at once that have all the pages of inline data */
#define CW_TRANSFERS 32U
#define CW_STALE_TRIES 16

struct cw_tx_rdma {
	struct cw_tx tx;
	struct cw_post post;
	struct ib_send_wr wr;
	struct ib_sge sge[CW_TX_PAGES + 1];
	struct cw_buffer *buf;
	struct ib_send_wr *regs_first, *regs_last; /* registrations that go before it */
	u16 regs;
};

struct cw_bulk_rdma {
	struct cw_bulk bulk;
	struct rdma_rw_ctx rw;
	u16 wrs;
	struct cw_post post; /* of a fetch */
};

/* ---- sends ---- */

static struct cw_tx *cw_rdma_tx_get(struct cw_link *link)
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
	tx->bulk = NULL;
	tx->invalidate = 0;
	tx->released = NULL;
	return tx;
}

static struct cw_page *cw_rdma_pages_get(struct cw_link *link, u32 count)
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

/* Under pool_lock before: whether somebody waits. */
static void cw_rdma_has_room(struct cw_link_rdma *l, bool starved)
{
	if (unlikely(starved))
		cw_link_has_room(&l->link);
}

static void cw_rdma_pages_put(struct cw_link *link, struct cw_page *pages)
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

static void cw_rdma_tx_put(struct cw_tx *tx)
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

static void cw_bulk_end(struct cw_bulk_rdma *b, int err)
{
	struct cw_link_rdma *l = to_rdma(b->bulk.link);
	void (*done)(void *cookie, int err) = b->bulk.done;
	void *cookie = b->bulk.cookie;

	rdma_rw_ctx_destroy(&b->rw, l->ep.qp, l->ep.port_num, b->bulk.sgl, b->bulk.nents,
			    b->bulk.to_peer ? DMA_TO_DEVICE : DMA_FROM_DEVICE);
	kfree(b);
	if (done)
		done(cookie, err);
}

static void cw_tx_done(struct cw_post *post, int err)
{
	struct cw_tx_rdma *t = container_of(post, struct cw_tx_rdma, post);

	cw_link_released(t->tx.link, &t->tx);
	if (t->tx.bulk)
		cw_bulk_end(container_of(t->tx.bulk, struct cw_bulk_rdma, bulk), err);
	if (t->tx.released)
		t->tx.released(&t->tx, t->tx.cookie);
	cw_rdma_tx_put(&t->tx);
}

static void cw_rdma_tx_attach(struct cw_tx *tx, struct cw_map *map)
{
	struct cw_tx_rdma *t = container_of(tx, struct cw_tx_rdma, tx);
	struct cw_mr *mr = map->mr;

	if (t->regs_last)
		t->regs_last->next = &mr->reg.wr;
	else
		t->regs_first = &mr->reg.wr;
	t->regs_last = &mr->reg.wr;
	t->regs++;
}

static void cw_rdma_send(struct cw_link *link, struct cw_tx *tx)
{
	struct cw_tx_rdma *t = container_of(tx, struct cw_tx_rdma, tx);
	struct cw_link_rdma *l = to_rdma(link);
	u32 trailer = tx->count * (tx->type == CW_MSG_COMMANDS ? sizeof(struct cw_wire_cmd) :
				   sizeof(struct cw_wire_done)) + sizeof(struct cw_wire_tail);
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
	/* Someone waits for it, or for its pages. */
	t->post.signal = tx->released || tx->nr_pages > 1;
	if (t->regs) {
		t->regs_last->next = &t->wr;
		t->post.first = t->regs_first;
		link->stats.n[CW_N_REGISTRATIONS] += t->regs;
	}
	if (tx->bulk) {
		struct cw_bulk_rdma *b = container_of(tx->bulk, struct cw_bulk_rdma, bulk);

		t->post.first = rdma_rw_ctx_wrs(&b->rw, l->ep.qp, l->ep.port_num, NULL, &t->wr);
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

static int cw_tx_make(struct cw_link_rdma *l)
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

/* ---- transfers ---- */

static struct cw_bulk *cw_rdma_bulk_alloc(struct cw_link *link, struct scatterlist *sgl, u32 nents,
					  bool to_peer, u64 addr, u32 rkey)
{
	struct cw_link_rdma *l = to_rdma(link);
	struct cw_bulk_rdma *b;
	int ret;

	if (cw_link_is_dead(link))
		return ERR_PTR(-ENOTCONN);
	b = kzalloc(sizeof(*b), GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY);
	if (!b)
		return ERR_PTR(-ENOMEM);
	ret = rdma_rw_ctx_init(&b->rw, l->ep.qp, l->ep.port_num, sgl, nents, 0, addr, rkey,
			       to_peer ? DMA_TO_DEVICE : DMA_FROM_DEVICE);
	if (ret < 0) {
		kfree(b);
		/* -EIO: the DMA layer has no space for now. Transfers that end give it back. */
		return ERR_PTR(ret == -EIO ? -ENOMEM : ret);
	}
	b->wrs = ret;
	b->bulk.link = link;
	b->bulk.sgl = sgl;
	b->bulk.nents = nents;
	b->bulk.to_peer = to_peer;
	return &b->bulk;
}

static void cw_bulk_fetched(struct cw_post *post, int err)
{
	struct cw_bulk_rdma *b = container_of(post, struct cw_bulk_rdma, post);

	cw_link_bulk_ended(b->bulk.link);
	cw_bulk_end(b, err);
}

static void cw_rdma_bulk_fetch(struct cw_bulk *bulk)
{
	struct cw_bulk_rdma *b = container_of(bulk, struct cw_bulk_rdma, bulk);
	struct cw_link_rdma *l = to_rdma(bulk->link);
	struct ib_send_wr *wr;

	/* Its own cqe is set by the endpoint: find the last request of the chain. */
	b->post.first = rdma_rw_ctx_wrs(&b->rw, l->ep.qp, l->ep.port_num, &b->post.cqe, NULL);
	for (wr = b->post.first; wr->next; wr = (struct ib_send_wr *)wr->next)
		;
	b->post.last = wr;
	b->post.wrs = b->wrs;
	b->post.signal = true;
	b->post.fetches = true;
	b->post.complete = cw_bulk_fetched;
	cw_endpoint_post(&l->ep, &b->post);
}

static void cw_rdma_bulk_filled(struct cw_bulk *bulk)
{
	struct ib_device *ib = device_of(to_rdma(bulk->link));
	struct scatterlist *sg;
	u32 i;

	/* An IOMMU may have merged entries: only the whole list is right. */
	if (ib->dma_device) {
		dma_sync_sg_for_device(ib->dma_device, bulk->sgl, bulk->nents, DMA_TO_DEVICE);
		return;
	}
	/* Without a DMA device this does nothing, but for builds with strict_dma. */
	for_each_sg(bulk->sgl, sg, bulk->nents, i)
		ib_dma_sync_single_for_device(ib, sg_dma_address(sg), sg_dma_len(sg),
					      DMA_TO_DEVICE);
}

static void cw_rdma_bulk_free(struct cw_bulk *bulk)
{
	bulk->done = NULL;
	cw_bulk_end(container_of(bulk, struct cw_bulk_rdma, bulk), 0);
}

/* ---- client memory ---- */

static int cw_rdma_map(struct cw_link *link, struct cw_map *map)
{
	return cw_mr_map(&to_rdma(link)->mrs, map);
}

static int cw_rdma_unmap(struct cw_link *link, struct cw_map *map, bool invalidated)
{
	return cw_mr_unmap(&to_rdma(link)->mrs, map, invalidated);
}

/* ---- life ---- */

static int cw_rdma_poll(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);
	int n;

	if (!spin_trylock(&l->poll_lock))
		return 0;
	n = ib_process_cq_direct(l->ep.cq, -1);
	spin_unlock(&l->poll_lock);
	return n;
}

static void cw_rdma_kill(struct cw_link *link, int err)
{
	cw_endpoint_kill(&to_rdma(link)->ep, err, "%s", link->reason);
}

static void cw_rdma_drain(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);

	cw_endpoint_drain(&l->ep);
	link->stats.n[CW_N_SEND_COMPLETIONS] = l->ep.send_completions;
}

static void cw_rdma_free(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);

	cw_endpoint_drain(&l->ep);
	cw_mr_pool_free(&l->mrs);
	cw_buffers_free(&l->rx_bufs);
	cw_buffers_free(&l->tx_bufs);
	cw_buffers_free(&l->page_bufs);
	cw_endpoint_destroy(&l->ep);
	kvfree(l->rx);
	kvfree(l->tx);
	kvfree(l->pages);
	kvfree(l->link.bare_slots);
	kvfree(l);
}

static const struct cw_link_ops cw_link_rdma_ops = {
	.tx_get = cw_rdma_tx_get,
	.tx_put = cw_rdma_tx_put,
	.pages_get = cw_rdma_pages_get,
	.pages_put = cw_rdma_pages_put,
	.tx_attach = cw_rdma_tx_attach,
	.send = cw_rdma_send,
	.message_put = cw_rdma_message_put,
	.map = cw_rdma_map,
	.unmap = cw_rdma_unmap,
	.bulk_alloc = cw_rdma_bulk_alloc,
	.bulk_fetch = cw_rdma_bulk_fetch,
	.bulk_filled = cw_rdma_bulk_filled,
	.bulk_free = cw_rdma_bulk_free,
	.poll = cw_rdma_poll,
	.kill = cw_rdma_kill,
	.drain = cw_rdma_drain,
	.free = cw_rdma_free,
};

static void cw_rdma_live(struct cw_endpoint *ep)
{
	struct cw_link_rdma *l = container_of(ep, struct cw_link_rdma, ep);

	WRITE_ONCE(l->link.last_rx, jiffies);
}

static void cw_rdma_down(struct cw_endpoint *ep, int err, const char *reason)
{
	struct cw_link_rdma *l = container_of(ep, struct cw_link_rdma, ep);

	cw_link_kill(&l->link, err, "%s", reason);
}

static const struct cw_endpoint_ops cw_rdma_endpoint_ops = {
	.live = cw_rdma_live,
	.down = cw_rdma_down,
};

static struct cw_link_rdma *cw_link_rdma_alloc(const struct cw_link_config *config, bool server)
{
	struct cw_link_rdma *l = kvzalloc(sizeof(*l), GFP_KERNEL);

	if (!l)
		return NULL;
	cw_link_init(&l->link, &cw_link_rdma_ops, config->handler, config->kind, server);
	l->link.session = config->session;
	l->link.index = config->index;
	l->link.polled = config->polled;
	l->link.limits = config->limits;
	l->link.messages = config->messages;
	l->link.peer_messages = config->peer_messages;
	if (config->kind == CW_LINK_DATA) {
		l->link.area = config->area * CW_WIRE_PAGE;
		l->peer_area = config->peer_area;
		l->rx_count = config->messages + CW_LINK_SLACK;
		l->tx_count = 2 * config->peer_messages + CW_TX_SPARE;
		l->page_count = config->limits.depth + CW_PAGES_SPARE +
				min_t(u32, config->limits.depth, CW_LARGE_INLINE) *
				(config->limits.inline_size / CW_WIRE_PAGE);
	} else {
		l->link.area = CW_WIRE_PAGE;
		l->peer_area = 1;
		l->rx_count = 2 * config->limits.depth + CW_LINK_SLACK;
		l->tx_count = l->rx_count;
		l->page_count = l->rx_count;
	}
	l->rx_bufs.reserve = config->reserve;
	l->tx_bufs.reserve = config->reserve;
	l->page_bufs.reserve = config->reserve;
	spin_lock_init(&l->pool_lock);
	spin_lock_init(&l->poll_lock);
	INIT_LIST_HEAD(&l->tx_free);
	cw_endpoint_init(&l->ep, &cw_rdma_endpoint_ops);
	return l;
}

/* Queue pair, memory, regions; the connection manager's id is bound to a device. */
static int cw_link_rdma_equip(struct cw_link_rdma *l, const struct cw_link_config *config,
			      struct cw_domain *domain)
{
	bool data = config->kind == CW_LINK_DATA;
	bool lends = data && !l->link.server;
	bool transfers = data && l->link.server;
	struct cw_endpoint_shape shape = {
		.recvs = l->rx_count,
		/* A registration before and an invalidate after each command. */
		.sends = l->tx_count + (lends ? 2 * config->limits.depth : 0),
		.transfers = transfers ? min_t(u32, config->limits.depth, CW_TRANSFERS) : 0,
		.poll = config->polled ? IB_POLL_DIRECT : IB_POLL_SOFTIRQ,
		.vector = config->vector,
	};
	int ret;

	ret = cw_endpoint_create_qp(&l->ep, domain, &shape);
	if (ret)
		return ret;
	ret = cw_tx_make(l);
	if (ret)
		return ret;
	ret = cw_rx_make(l);
	if (ret)
		return ret;
	if (!lends)
		return 0;
	if (l->link.limits.features & CW_FEATURE_BARE) {
		ret = cw_link_make_bare_slots(&l->link);
		if (ret)
			return ret;
	}
	return cw_mr_pool_init(&l->mrs, &l->ep, config->limits.depth,
			       cw_mr_depth(device_of(l), cw_region_pages(config->limits.max_io)));
}

/* Whether the server accepted what was asked of it. */
static int cw_link_rdma_check_rep(struct cw_link_rdma *l, const struct cw_link_config *config)
{
	struct cw_rep rep;

	if (!cw_parse_rep(l->ep.rep, l->ep.rep_len, &rep) && rep.kind == config->kind &&
	    rep.index == config->index)
		return 0;
	cw_link_kill(&l->link, -EPROTO, "the server's acceptance is malformed");
	return -EPROTO;
}

static struct cw_link *cw_link_rdma_try(const struct cw_link_config *config,
					struct cw_domain *domain, const struct sockaddr *src,
					const struct sockaddr *dst, const struct cw_wire_req *req,
					u32 timeout_ms, char *reason, struct cw_rej *rej)
{
	struct cw_link_rdma *l = cw_link_rdma_alloc(config, false);
	struct cw_domain *made = NULL;
	int ret;

	rej->reason = CW_REFUSED_NONE;
	if (!l)
		return ERR_PTR(-ENOMEM);
	if (config->making)
		config->making(config->session, &l->link);
	ret = cw_endpoint_resolve(&l->ep, src, dst, timeout_ms);
	if (ret)
		goto fail;
	if (!domain) {
		made = cw_domain_create(l->ep.cm->device);
		if (IS_ERR(made)) {
			ret = PTR_ERR(made);
			made = NULL;
			cw_link_kill(&l->link, ret, "RDMA device %s cannot be used",
				     l->ep.cm->device->name);
			goto fail;
		}
		domain = made;
	}
	ret = cw_link_rdma_equip(l, config, domain);
	if (made)
		cw_domain_put(made); /* the endpoint has its own reference */
	if (ret) {
		cw_link_kill(&l->link, ret, "no queue pair on RDMA device %s (%d)",
			     l->ep.cm->device->name, ret);
		goto fail;
	}
	ret = cw_endpoint_connect(&l->ep, req, sizeof(*req), timeout_ms);
	if (!ret)
		ret = cw_link_rdma_check_rep(l, config);
	if (ret)
		goto fail;
	if (config->making)
		config->making(config->session, NULL);
	return &l->link;

fail:
	if (config->making)
		config->making(config->session, NULL);
	cw_parse_rej(l->ep.rej, l->ep.rej_len, rej);
	cw_link_kill(&l->link, ret, "connecting failed (%d)", ret);
	strscpy(reason, l->link.reason, sizeof(l->link.reason));
	cw_rdma_free(&l->link);
	return ERR_PTR(ret);
}

struct cw_link *cw_link_rdma_connect(const struct cw_link_config *config, struct cw_domain *domain,
				     const struct sockaddr *src, const struct sockaddr *dst,
				     const struct cw_wire_req *req, u32 timeout_ms, char *reason,
				     struct cw_rej *rej)
{
	struct cw_link *link;
	int tries = 0;

	/* The next queue pair has another number, one that the server does not know. */
	do {
		link = cw_link_rdma_try(config, domain, src, dst, req, timeout_ms, reason, rej);
	} while (IS_ERR(link) && PTR_ERR(link) == -EAGAIN && ++tries < CW_STALE_TRIES);
	return link;
}

void cw_link_rdma_disown(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);

	set_bit(0, &link->dead); /* dead before anyone knew it: its handler must hear nothing */
	l->ep.cm = NULL; /* the connection manager destroys it when the handler returns */
	/*
	 * A removal of the device may have killed the link just before, and may be in its handler.
	 * Leaving the device's list waits for that.
	 */
	cw_link_drain(link);
}

struct cw_link *cw_link_rdma_adopt(const struct cw_link_config *config, struct cw_domain *domain,
				   struct rdma_cm_id *cm)
{
	struct cw_link_rdma *l = cw_link_rdma_alloc(config, true);
	int ret;

	if (!l)
		return ERR_PTR(-ENOMEM);
	cw_endpoint_adopt(&l->ep, cm);
	ret = cw_link_rdma_equip(l, config, domain);
	if (ret) {
		cw_link_rdma_disown(&l->link);
		cw_link_free(&l->link);
		return ERR_PTR(ret);
	}
	return &l->link;
}

int cw_link_rdma_accept(struct cw_link *link, const struct rdma_conn_param *asked,
			const struct cw_wire_rep *rep)
{
	struct cw_link_rdma *l = to_rdma(link);
	int ret;

	ret = cw_endpoint_accept(&l->ep, asked, rep, sizeof(*rep));
	if (ret)
		return ret;
	/* Only the client registers memory. Without this, too, no key leads to any of ours. */
	ret = cw_endpoint_refuse_access(&l->ep);
	if (ret && !cw_link_is_dead(link))
		pr_warn_once("causeway: RDMA device %s does not take remote access from a queue pair (%d)\n",
			     device_of(l)->name, ret);
	return 0;
}

void cw_link_rdma_acceptance(struct cw_link *link, struct cw_wire_rep *rep)
{
	/* cw_link_rdma_check_rep() saw that all of it came. */
	memcpy(rep, to_rdma(link)->ep.rep, sizeof(*rep));
}

struct cw_domain *cw_link_rdma_domain(struct cw_link *link)
{
	return cw_domain_get(to_rdma(link)->ep.domain);
}

void cw_link_rdma_describe(struct cw_link *link, char device[64], u8 *port,
			   struct sockaddr_storage *local, struct sockaddr_storage *peer)
{
	struct cw_link_rdma *l = to_rdma(link);

	strscpy(device, device_of(l)->name, 64);
	*port = l->ep.port_num;
	*local = l->ep.local;
	*peer = l->ep.peer;
}

u32 cw_link_rdma_inline(struct cw_link *link)
{
	u32 pages = min_t(u32, CW_LINK_AREA, to_rdma(link)->ep.send_sges - 1);

	return min_t(u32, pages * CW_WIRE_PAGE, CW_WIRE_INLINE_MAX);
}

int cw_link_rdma_node(struct cw_link *link)
{
	return cw_memory_node(to_rdma(link)->ep.domain->device->ib);
}

u64 cw_link_rdma_features(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);

	return rdma_protocol_iwarp(device_of(l), l->ep.port_num) ? 0 : CW_FEATURE_BARE;
}

u32 cw_link_rdma_max_io(struct cw_link *link, u32 wanted)
{
	struct ib_device *ib = device_of(to_rdma(link));
	u32 pages = cw_mr_depth(ib, cw_region_pages(wanted));

	/* Adapters of software have no DMA device. */
	if (!ib->dma_device)
		return cw_region_max_io(wanted, pages, wanted, wanted);
	return cw_region_max_io(wanted, pages, dma_max_mapping_size(ib->dma_device),
				ib_dma_max_seg_size(ib));
}
