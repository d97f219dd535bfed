// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of commands with a transfer.
 *
 * A read: pages and a transfer towards the client are allocated, the backend fills the pages, and
 * the transfer is posted together with the completion. cwt_transfer_sent() frees the pages after
 * the adapter has read them, long after the command is over. A write: pages and a transfer that
 * fetches the data are allocated, then follow cwt_transfer_fetched(), the backend, and the
 * completion. A memory export uses the pages of the backend themselves, so nothing is copied.
 *
 * transfer_memory.c has the bounds of this memory. Commands above a bound are parked.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "../core/link/factory.h"
#include "backend.h"
#include "trace.h"

/* Chunks of 64 KiB: few fragments for the adapter, and an order that is usually available. */
#define CWT_CHUNK_ORDER 4

/* ---- memory ---- */

static void cwt_free_pages_of(struct cwt_transfer *t)
{
	u16 i;

	for (i = 0; i < t->nvecs; i++)
		__free_pages(t->vecs[i].bv_page, compound_order(t->vecs[i].bv_page));
	t->nvecs = 0;
}

void cwt_transfer_free(struct cwt_transfer *t)
{
	struct cwt_link *tl = t->tl;
	bool spare = t->spare;

	if (!t->in_place && !spare)
		cwt_free_pages_of(t);
	if (t->counted) {
		atomic_dec(&tl->transfers);
		cwt_link_kick(tl);
	}
	cwt_memory_give(t);
	/* The reserve belongs to its export again, or to another command already. */
	if (!spare && unlikely(is_vmalloc_addr(t)))
		kvfree_rcu(t, rcu); /* because the caller may be in any context */
	else if (!spare)
		kfree(t);
	cwt_link_put(tl); /* the reference of the transfer */
}

static struct cwt_transfer *cwt_transfer_alloc(u32 room, gfp_t gfp)
{
	struct cwt_transfer *t;
	size_t size;

	size = ALIGN(struct_size(t, sgl, room), sizeof(void *));
	t = kvmalloc(size + room * sizeof(*t->vecs), gfp);
	if (!t)
		return NULL;
	memset(t, 0, sizeof(*t));
	t->vecs = (void *)t + size;
	t->room = room;
	return t;
}

/* Allocates compound pages, because a file system may take references to any of the pages. */
static bool cwt_transfer_fill(struct cwt_transfer *t, u32 len, int order_max, gfp_t base)
{
	while (len) {
		int order = min(order_max, get_order(len));
		u32 part = min_t(u32, len, PAGE_SIZE << order);
		struct page *page;

		page = alloc_pages(order ? base | __GFP_COMP | __GFP_NORETRY : base, order);
		if (!page) {
			cwt_free_pages_of(t);
			return false;
		}
		bvec_set_page(&t->vecs[t->nvecs++], page, part, 0);
		len -= part;
	}
	return true;
}

/* Allocates a transfer with @len bytes of memory, without a link. */
static struct cwt_transfer *cwt_transfer_make(u32 len, gfp_t gfp)
{
	int order;

	for (order = CWT_CHUNK_ORDER;; order = 0) {
		struct cwt_transfer *t =
			cwt_transfer_alloc(DIV_ROUND_UP(len, PAGE_SIZE << order), gfp);

		if (t && cwt_transfer_fill(t, len, order, gfp))
			return t;
		kvfree(t);
		if (!order)
			return NULL;
	}
}

static struct cwt_transfer *cwt_transfer_of(struct cwt_link *tl, struct cwt_transfer *t)
{
	if (!t)
		return NULL;
	t->tl = tl;
	cwt_link_get(tl); /* for the transfer */
	return t;
}

/* The worker must not wait in the allocator. */
static struct cwt_transfer *cwt_transfer_own(struct cwt_link *tl, u32 len)
{
	return cwt_transfer_of(tl, cwt_transfer_make(len, GFP_NOIO | __GFP_NOWARN |
							  __GFP_NORETRY));
}

int cwt_reserve_make(struct cwt_export *e)
{
	struct cwt_transfer *t = cwt_transfer_make(CWT_IO_MAX, GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->spare = true;
	e->reserve = t;
	return 0;
}

void cwt_reserve_free(struct cwt_export *e)
{
	struct cwt_transfer *t = e->reserve;

	if (!t)
		return;
	t->nvecs = t->room;
	cwt_free_pages_of(t);
	kvfree(t);
	e->reserve = NULL;
}

static struct cwt_transfer *cwt_transfer_in_place(struct cwt_link *tl, u64 offset, u32 len)
{
	struct cwt_export *e = tl->export;
	struct cwt_transfer *t;

	t = cwt_transfer_alloc(len / PAGE_SIZE + 2, GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY);
	t = cwt_transfer_of(tl, t);
	if (!t)
		return NULL;
	t->in_place = true;
	t->nvecs = e->backend->find_pages(e, offset, len, t->vecs, t->room);
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

/* ---- the life of a transfer ---- */

/* The adapter has read the data of a read command. */
static void cwt_transfer_sent(void *cookie, int err)
{
	cwt_transfer_free(cookie);
}

/* The data of a write command has arrived, or the link is dead. */
static void cwt_transfer_fetched(void *cookie, int err)
{
	struct cwt_transfer *t = cookie;
	struct cwt_command *c = t->command;

	if (err || t->in_place) {
		cwt_command_done(c, err ? CW_STATUS_IO : CW_STATUS_OK);
		return;
	}
	c->stage = CWT_SUBMIT;
	cwt_link_queue(c);
}

/* Takes over @t, which is counted in the bounds. */
static void cwt_transfer_run(struct cwt_command *c, struct cwt_transfer *t)
{
	bool to_peer = c->cmd.op == CW_OP_READ;
	struct cw_transfer *rdma;

	cwt_transfer_list(t);
	c->transfer = t;
	c->vecs = t->vecs;
	c->nvecs = t->nvecs;
	rdma = cw_transfer_alloc(c->tl->link, t->sgl, t->nvecs, to_peer, c->cmd.addr, c->cmd.rkey);
	if (IS_ERR(rdma)) {
		cwt_command_done(c, cwt_status(PTR_ERR(rdma)));
		return;
	}
	rdma->cookie = t;
	if (!to_peer) {
		t->command = c;
		rdma->done = cwt_transfer_fetched;
		cw_transfer_fetch(rdma); /* c may be over when this returns */
		return;
	}
	rdma->done = cwt_transfer_sent;
	t->rdma = rdma;
	if (t->in_place)
		cwt_command_done(c, CW_STATUS_OK);
	else
		cwt_command_submit(c);
}

/*
 * Allocates memory for @c within all bounds, and counts it. NULL: *@status is the status of the
 * command, or CW_STATUS_OK if the command is to be parked.
 */
static struct cwt_transfer *cwt_transfer_within_bounds(struct cwt_command *c, u8 *status)
{
	struct cwt_link *tl = c->tl;
	u32 len = c->cmd.len;
	struct cwt_transfer *t;

	*status = CW_STATUS_OK;
	switch (cwt_memory_take(tl, len, &t)) {
	case CWT_ROOM_IN_BUDGET:
		break;
	case CWT_ROOM_NOT_IN_SHARE:
		t = NULL;
		fallthrough;
	default:
		if (!t && !c->counted) {
			cw_server_limit(CW_LIMIT_MEMORY);
			c->counted = true;
		}
		return t;
	}
	t = cwt_transfer_own(tl, len);
	if (t) {
		t->shared = len;
		t->budgeted = len;
		return t;
	}
	*status = CW_STATUS_NOMEM;
	return cwt_memory_swap(tl, len);
}

void cwt_transfer_start(struct cwt_command *c)
{
	struct cwt_link *tl = c->tl;
	/*
	 * A write that begins inside a page would need one page more than a memory region surely
	 * holds. A connection of TCP may end within a block, and must not leave half of it.
	 */
	bool in_place = tl->export->backend->find_pages &&
			(c->cmd.op == CW_OP_READ ||
			 (!offset_in_page(c->cmd.offset) &&
			  cw_link_transport(tl->link) != CW_TRANSPORT_TCP));
	u8 status = CW_STATUS_NOMEM;
	int kicks = cwt_link_kicks(tl);
	struct cwt_transfer *t;

	if (!atomic_add_unless(&tl->transfers, 1, tl->transfers_max)) {
		cwt_link_park(c, kicks);
		return;
	}
	t = in_place ? cwt_transfer_in_place(tl, c->cmd.offset, c->cmd.len) :
		       cwt_transfer_within_bounds(c, &status);
	if (!t) {
		atomic_dec(&tl->transfers);
		if (status == CW_STATUS_OK)
			cwt_link_park(c, kicks);
		else
			cwt_command_done(c, status);
		return;
	}
	t->counted = true;
	cwt_transfer_run(c, t);
}
