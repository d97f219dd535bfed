// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA Reads and Writes of many pages: several transfers in one allocation with the lists of their
 * pages and fragments.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "connection.h"
#include "transfers.h"

struct cwrs_transfers *cwrs_transfers_alloc(u16 count, u32 sgs, u32 pages,
					    enum dma_data_direction dir)
{
	size_t lists = ALIGN(sizeof(struct cwrs_transfers) + count * sizeof(struct cw_rw),
			     sizeof(void *));
	size_t size = lists + sgs * sizeof(struct scatterlist);
	struct cwrs_transfers *transfers;

	transfers = kvmalloc(size + (pages + 1) * sizeof(struct page *), GFP_KERNEL | __GFP_NOWARN);
	if (!transfers)
		return NULL;
	transfers->dir = dir;
	transfers->count = 0;
	transfers->room = count;
	transfers->sgs = 0;
	transfers->sg_room = sgs;
	transfers->wrs = 0;
	transfers->pages = 0;
	transfers->sgl = (void *)transfers + lists;
	transfers->page = (void *)transfers + size;
	return transfers;
}

struct scatterlist *cwrs_transfers_list(struct cwrs_transfers *transfers, u32 nents)
{
	struct scatterlist *sgl = &transfers->sgl[transfers->sgs];

	if (WARN_ON_ONCE(nents > transfers->sg_room - transfers->sgs))
		return NULL;
	sg_init_table(sgl, nents);
	return sgl;
}

int cwrs_transfers_add(struct cwrs_connection *conn, struct cwrs_transfers *transfers, u32 nents,
		       u32 handle, u64 offset)
{
	struct cw_rw *t = &transfers->transfer[transfers->count];
	int ret;

	if (WARN_ON_ONCE(transfers->count == transfers->room))
		return -EINVAL;
	memset(&t->ctx, 0, sizeof(t->ctx));
	t->sgl = &transfers->sgl[transfers->sgs];
	t->nents = nents;
	t->dir = transfers->dir;
	ret = cw_rw_init(t, &conn->ep, offset, handle);
	if (ret < 0)
		return ret;
	transfers->count++;
	transfers->sgs += nents;
	transfers->wrs += ret;
	return 0;
}

struct ib_send_wr *cwrs_transfers_chain(struct cwrs_connection *conn,
					struct cwrs_transfers *transfers, struct ib_cqe *cqe,
					struct ib_send_wr *next)
{
	u16 i = transfers->count;

	while (i--)
		next = cw_rw_chain(&transfers->transfer[i], &conn->ep, next ? NULL : cqe, next);
	return next;
}

void cwrs_transfers_unmap(struct cwrs_connection *conn, struct cwrs_transfers *transfers)
{
	while (transfers->count)
		cw_rw_end(&transfers->transfer[--transfers->count], &conn->ep);
}

void cwrs_transfers_free(struct cwrs_connection *conn, struct cwrs_transfers *transfers)
{
	if (!transfers)
		return;
	cwrs_transfers_unmap(conn, transfers);
	release_pages(transfers->page, transfers->pages);
	kvfree(transfers);
}
