// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of bulk commands.
 *
 * A bulk read: pages, a transfer of the core towards the client, the backend fills the pages, the
 * transfer goes out in one post with the answer, and cwt_transfer_sent() frees the pages when the
 * adapter has read them, long after the command is over. A bulk write: pages, a transfer that
 * fetches, cwt_transfer_fetched(), the backend, the answer. Where the backend is memory itself it
 * lends its own pages and nothing is copied.
 *
 * What a peer can make us hold is bounded twice: transfers of a link by a number, memory of all of
 * them by a budget (parameter bulk_mib). Commands above either bound are parked. Links that wait
 * for the budget are on a list, and everyone who gives back a part wakes them all.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "backend.h"
#include "trace.h"

/* Chunks of 64 KiB: few fragments for the adapter, and an order that is found soon. */
#define CWT_CHUNK_ORDER 4

static unsigned int bulk_mib;
module_param(bulk_mib, uint, 0444);
MODULE_PARM_DESC(bulk_mib, "memory for transfers in flight, MiB (default: an eighth of all)");

static long budget; /* bytes */
static atomic_long_t budget_used = ATOMIC_LONG_INIT(0);
static DEFINE_SPINLOCK(hungry_lock); /* irqsave: transfers end in interrupts */
static LIST_HEAD(hungry_links);

/* ---- bounds ---- */

static bool try_budget(u32 len)
{
	if (atomic_long_add_return(len, &budget_used) <= budget)
		return true;
	atomic_long_sub(len, &budget_used);
	return false;
}

/*
 * A failure means that others hold a part of the budget, so somebody will give back.
 */
static bool cwt_budget_take(struct cwt_link *tl, u32 len)
{
	unsigned long flags;

	if (likely(try_budget(len)))
		return true;
	spin_lock_irqsave(&hungry_lock, flags);
	if (list_empty(&tl->hungry))
		list_add_tail(&tl->hungry, &hungry_links);
	spin_unlock_irqrestore(&hungry_lock, flags);
	/*
	 * What was given back before we were on the list woke nobody. A kick too many does no harm.
	 */
	return try_budget(len);
}

static void cwt_budget_give(u32 len)
{
	unsigned long flags;

	if (!len)
		return;
	atomic_long_sub(len, &budget_used);
	smp_mb__after_atomic(); /* pairs with the lock in cwt_budget_take() */
	if (likely(list_empty(&hungry_links)))
		return;
	spin_lock_irqsave(&hungry_lock, flags);
	while (!list_empty(&hungry_links)) {
		struct cwt_link *tl =
			list_first_entry(&hungry_links, struct cwt_link, hungry);

		list_del_init(&tl->hungry);
		cwt_link_kick(tl); /* not gone: cwt_transfer_forget() takes the lock */
	}
	spin_unlock_irqrestore(&hungry_lock, flags);
}

void cwt_transfer_forget(struct cwt_link *tl)
{
	unsigned long flags;

	spin_lock_irqsave(&hungry_lock, flags);
	list_del_init(&tl->hungry);
	spin_unlock_irqrestore(&hungry_lock, flags);
}

/* ---- memory ---- */

static void free_pages_of(struct cwt_transfer *t)
{
	u16 i;

	for (i = 0; i < t->nvecs; i++)
		__free_pages(t->vecs[i].bv_page, compound_order(t->vecs[i].bv_page));
	t->nvecs = 0;
}

void cwt_transfer_free(struct cwt_transfer *t)
{
	struct cwt_link *tl = t->tl;

	if (!t->lent)
		free_pages_of(t);
	if (t->counted)
		atomic_dec(&tl->transfers);
	cwt_budget_give(t->reserved);
	if (t->counted)
		cwt_link_kick(tl);
	if (unlikely(is_vmalloc_addr(t)))
		kvfree_rcu(t, rcu); /* any context */
	else
		kfree(t);
	cwt_link_put(tl); /* the transfer's */
}

static struct cwt_transfer *cwt_transfer_alloc(struct cwt_link *tl, u32 room)
{
	struct cwt_transfer *t;
	size_t size;

	size = ALIGN(struct_size(t, sgl, room), sizeof(void *));
	t = kvmalloc(size + room * sizeof(*t->vecs), GFP_NOIO | __GFP_NOWARN);
	if (!t)
		return NULL;
	memset(t, 0, sizeof(*t));
	t->vecs = (void *)t + size;
	t->room = room;
	t->tl = tl;
	cwt_link_get(tl); /* for the transfer */
	return t;
}

/* Compound pages: a file system may take references to any page of them. */
static bool cwt_transfer_fill(struct cwt_transfer *t, u32 len, int order_max)
{
	while (len) {
		int order = min(order_max, get_order(len));
		u32 part = min_t(u32, len, PAGE_SIZE << order);
		gfp_t gfp = GFP_NOIO | __GFP_NOWARN;
		struct page *page;

		if (order)
			gfp |= __GFP_COMP | __GFP_NORETRY;
		page = alloc_pages(gfp, order);
		if (!page) {
			free_pages_of(t);
			return false;
		}
		bvec_set_page(&t->vecs[t->nvecs++], page, part, 0);
		len -= part;
	}
	return true;
}

static struct cwt_transfer *cwt_transfer_own(struct cwt_link *tl, u32 len)
{
	int order;

	for (order = CWT_CHUNK_ORDER;; order = 0) {
		struct cwt_transfer *t =
			cwt_transfer_alloc(tl, DIV_ROUND_UP(len, PAGE_SIZE << order));

		if (t && cwt_transfer_fill(t, len, order))
			return t;
		if (t)
			cwt_transfer_free(t);
		if (!order)
			return NULL;
	}
}

static struct cwt_transfer *cwt_transfer_lend(struct cwt_link *tl, u64 offset, u32 len)
{
	struct cwt_export *e = tl->export;
	struct cwt_transfer *t = cwt_transfer_alloc(tl, len / PAGE_SIZE + 2);

	if (!t)
		return NULL;
	t->lent = true;
	t->nvecs = e->backend->lend(e, offset, len, t->vecs, t->room);
	return t;
}

static void cwt_transfer_list(struct cwt_transfer *t)
{
	struct scatterlist *sg = t->sgl;
	u16 i;

	sg_init_table(t->sgl, t->nvecs);
	for (i = 0; i < t->nvecs; i++, sg = sg_next(sg))
		sg_set_page(sg, t->vecs[i].bv_page, t->vecs[i].bv_len, t->vecs[i].bv_offset);
}

struct cwt_transfer *cwt_transfer_bounce(struct cwt_link *tl, const void *data, u32 len)
{
	struct cwt_transfer *t = cwt_transfer_own(tl, len);
	u16 i;

	if (!t)
		return NULL;
	for (i = 0; i < t->nvecs; i++) {
		memcpy(page_address(t->vecs[i].bv_page), data, t->vecs[i].bv_len);
		data += t->vecs[i].bv_len;
	}
	return t;
}

/* ---- the life of one ---- */

/* The adapter has read what a read command brought. */
static void cwt_transfer_sent(void *cookie, int err)
{
	cwt_transfer_free(cookie);
}

/* The data of a write command is here, or the link is dead. */
static void cwt_transfer_fetched(void *cookie, int err)
{
	struct cwt_transfer *t = cookie;
	struct cwt_command *c = t->command;

	if (err || t->lent) {
		cwt_command_done(c, err ? CW_STATUS_IO : CW_STATUS_OK);
		return;
	}
	c->stage = CWT_SUBMIT;
	cwt_link_queue(c);
}

/* Takes over @t, whose bounds are counted. */
static void cwt_transfer_run(struct cwt_command *c, struct cwt_transfer *t)
{
	bool to_peer = c->cmd.op == CW_OP_READ;
	struct cw_bulk *bulk;

	cwt_transfer_list(t);
	c->transfer = t;
	c->vecs = t->vecs;
	c->nvecs = t->nvecs;
	bulk = cw_bulk_alloc(c->tl->link, t->sgl, t->nvecs, to_peer, c->cmd.addr, c->cmd.rkey);
	if (IS_ERR(bulk)) {
		cwt_command_done(c, cwt_status(PTR_ERR(bulk)));
		return;
	}
	bulk->cookie = t;
	if (!to_peer) {
		t->command = c;
		bulk->done = cwt_transfer_fetched;
		cw_bulk_fetch(bulk); /* c may be over before it returns */
		return;
	}
	bulk->done = cwt_transfer_sent;
	t->bulk = bulk;
	if (t->lent)
		cwt_command_done(c, CW_STATUS_OK);
	else
		cwt_command_submit(c);
}

void cwt_transfer_start(struct cwt_command *c)
{
	struct cwt_link *tl = c->tl;
	/*
	 * A write to the middle of a page would need one page more than a region is sure to hold.
	 */
	bool lends = tl->export->backend->lend &&
		     (c->cmd.op == CW_OP_READ || !offset_in_page(c->cmd.offset));
	u32 len = c->cmd.len, reserve = lends ? 0 : len;
	int kicks = cwt_link_kicks(tl);
	struct cwt_transfer *t;

	if (!atomic_add_unless(&tl->transfers, 1, tl->transfers_max)) {
		cwt_link_park(c, kicks);
		return;
	}
	if (reserve && !cwt_budget_take(tl, reserve)) {
		atomic_dec(&tl->transfers);
		cwt_link_park(c, kicks);
		return;
	}
	t = lends ? cwt_transfer_lend(tl, c->cmd.offset, len) : cwt_transfer_own(tl, len);
	if (!t) {
		atomic_dec(&tl->transfers);
		cwt_budget_give(reserve);
		cwt_command_done(c, CW_STATUS_NOMEM);
		return;
	}
	t->reserved = reserve;
	t->counted = true;
	cwt_transfer_run(c, t);
}

void cwt_transfer_init(void)
{
	u64 bytes = (u64)bulk_mib << 20;

	if (!bulk_mib)
		bytes = (u64)totalram_pages() << PAGE_SHIFT >> 3;
	/* The largest command must always fit. */
	budget = clamp_t(u64, bytes, 2 * CW_WIRE_IO_MAX, LONG_MAX);
	bulk_mib = budget >> 20;
}
