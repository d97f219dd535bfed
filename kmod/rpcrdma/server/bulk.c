// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA Reads and Writes of many pages: several transfers in one allocation with the lists of their
 * pages and fragments.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "connection.h"

struct cwrs_bulk *cwrs_bulk_alloc(u16 transfers, u32 sgs, u32 pages, enum dma_data_direction dir)
{
	size_t lists = ALIGN(sizeof(struct cwrs_bulk) + transfers * sizeof(struct cw_transfer),
			     sizeof(void *));
	size_t size = lists + sgs * sizeof(struct scatterlist);
	struct cwrs_bulk *bulk;

	bulk = kvmalloc(size + (pages + 1) * sizeof(struct page *), GFP_KERNEL | __GFP_NOWARN);
	if (!bulk)
		return NULL;
	bulk->dir = dir;
	bulk->transfers = 0;
	bulk->transfer_room = transfers;
	bulk->sgs = 0;
	bulk->sg_room = sgs;
	bulk->wrs = 0;
	bulk->pages = 0;
	bulk->sgl = (void *)bulk + lists;
	bulk->page = (void *)bulk + size;
	return bulk;
}

struct scatterlist *cwrs_bulk_list(struct cwrs_bulk *bulk, u32 nents)
{
	struct scatterlist *sgl = &bulk->sgl[bulk->sgs];

	if (WARN_ON_ONCE(nents > bulk->sg_room - bulk->sgs))
		return NULL;
	sg_init_table(sgl, nents);
	return sgl;
}

int cwrs_bulk_add(struct cwrs_conn *conn, struct cwrs_bulk *bulk, u32 nents, u32 handle,
		  u64 offset)
{
	struct cw_transfer *t = &bulk->transfer[bulk->transfers];
	int ret;

	if (WARN_ON_ONCE(bulk->transfers == bulk->transfer_room))
		return -EINVAL;
	memset(&t->rw, 0, sizeof(t->rw));
	t->sgl = &bulk->sgl[bulk->sgs];
	t->nents = nents;
	t->dir = bulk->dir;
	ret = cw_transfer_init(t, &conn->ep, offset, handle);
	if (ret < 0)
		return ret;
	bulk->transfers++;
	bulk->sgs += nents;
	bulk->wrs += ret;
	return 0;
}

struct ib_send_wr *cwrs_bulk_chain(struct cwrs_conn *conn, struct cwrs_bulk *bulk,
				   struct ib_cqe *cqe, struct ib_send_wr *next)
{
	u16 i = bulk->transfers;

	while (i--)
		next = cw_transfer_chain(&bulk->transfer[i], &conn->ep, next ? NULL : cqe, next);
	return next;
}

void cwrs_bulk_unmap(struct cwrs_conn *conn, struct cwrs_bulk *bulk)
{
	while (bulk->transfers)
		cw_transfer_end(&bulk->transfer[--bulk->transfers], &conn->ep);
}

void cwrs_bulk_free(struct cwrs_conn *conn, struct cwrs_bulk *bulk)
{
	if (!bulk)
		return;
	cwrs_bulk_unmap(conn, bulk);
	release_pages(bulk->page, bulk->pages);
	kvfree(bulk);
}
