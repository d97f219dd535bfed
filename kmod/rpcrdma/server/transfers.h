/* SPDX-License-Identifier: GPL-2.0-only */
/* Data moved by RDMA Read or Write. */
#ifndef CWRS_TRANSFERS_H
#define CWRS_TRANSFERS_H

#include "../../core/verbs/rw.h"

struct cwrs_connection;

/* Several transfers, with the pages that they read or write. */
struct cwrs_transfers {
	enum dma_data_direction dir;
	u16 count, room;
	u32 sgs, sg_room;
	u32 wrs; /* work requests of all transfers */
	u32 pages; /* number of pages in page[], which are owned */
	struct page **page;
	struct scatterlist *sgl;
	struct cw_rw transfer[];
};

/**
 * cwrs_transfers_alloc() - allocates transfers
 * @count: most transfers
 * @sgs: most entries of their scatterlists together
 * @pages: most pages that they own
 * @dir: DMA_FROM_DEVICE for RDMA Reads, DMA_TO_DEVICE for RDMA Writes
 *
 * There is room for one more pointer behind those to @pages pages.
 *
 * Context: Process context. May sleep.
 * Return: The transfers, or NULL if there is no memory.
 */
struct cwrs_transfers *cwrs_transfers_alloc(u16 count, u32 sgs, u32 pages,
					    enum dma_data_direction dir);
/**
 * cwrs_transfers_list() - returns the next entries of the scatterlist, for cwrs_transfers_add()
 * @transfers: the transfers
 * @nents: number of entries
 *
 * Context: Any context.
 * Return: The first entry, or NULL if fewer are left.
 */
struct scatterlist *cwrs_transfers_list(struct cwrs_transfers *transfers, u32 nents);
/**
 * cwrs_transfers_add() - adds an RDMA Read or Write of one contiguous range of the peer's memory
 * @conn: the connection
 * @transfers: the transfers
 * @nents: entries of cwrs_transfers_list(), filled by the caller
 * @handle: key of the peer's memory
 * @offset: offset in the peer's memory
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno; -EAGAIN: no memory region is free.
 */
int cwrs_transfers_add(struct cwrs_connection *conn, struct cwrs_transfers *transfers, u32 nents,
		       u32 handle, u64 offset);
/**
 * cwrs_transfers_chain() - links the work requests of all transfers
 * @conn: the connection
 * @transfers: the transfers
 * @cqe: for the last work request, if @next is NULL
 * @next: the work request behind them, or NULL
 *
 * Context: Any context.
 * Return: The first work request.
 */
struct ib_send_wr *cwrs_transfers_chain(struct cwrs_connection *conn,
					struct cwrs_transfers *transfers, struct ib_cqe *cqe,
					struct ib_send_wr *next);

/**
 * cwrs_transfers_unmap() - unmaps the pages of transfers; then they may be read
 * @conn: connection of the transfers
 * @transfers: transfers that the adapter does not use any more
 *
 * Context: Any context.
 */
void cwrs_transfers_unmap(struct cwrs_connection *conn, struct cwrs_transfers *transfers);

/**
 * cwrs_transfers_free() - unmaps transfers, and frees them with their pages
 * @conn: connection of the transfers
 * @transfers: transfers that the adapter does not use any more; may be NULL
 *
 * Context: Process context or softirq.
 */
void cwrs_transfers_free(struct cwrs_connection *conn, struct cwrs_transfers *transfers);

#endif
