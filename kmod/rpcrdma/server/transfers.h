/* SPDX-License-Identifier: GPL-2.0-only */
/* Data moved by RDMA Read or Write. */
#ifndef CWRS_TRANSFERS_H
#define CWRS_TRANSFERS_H

#include "../../core/verbs/transfer.h"

struct cwrs_conn;

/* Several transfers, with the pages that they read or write. */
struct cwrs_transfers {
	enum dma_data_direction dir;
	u16 count, room;
	u32 sgs, sg_room;
	u32 wrs; /* work requests of all transfers */
	u32 pages; /* number of pages in page[], which are owned */
	struct page **page;
	struct scatterlist *sgl;
	struct cw_transfer transfer[];
};

struct cwrs_transfers *cwrs_transfers_alloc(u16 count, u32 sgs, u32 pages,
					    enum dma_data_direction dir);
/**
 * cwrs_transfers_list() - the next entries of the scatterlist, for cwrs_transfers_add()
 * @transfers: the transfers
 * @nents: number of entries
 *
 * Return: the first entry, or NULL.
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
 * Return: 0 or -errno; -EAGAIN: no memory region is free.
 */
int cwrs_transfers_add(struct cwrs_conn *conn, struct cwrs_transfers *transfers, u32 nents,
		       u32 handle, u64 offset);
/**
 * cwrs_transfers_chain() - links the work requests of all transfers
 * @conn: the connection
 * @transfers: the transfers
 * @cqe: for the last work request, if @next is NULL
 * @next: the work request behind them, or NULL
 *
 * Return: the first work request.
 */
struct ib_send_wr *cwrs_transfers_chain(struct cwrs_conn *conn, struct cwrs_transfers *transfers,
					struct ib_cqe *cqe, struct ib_send_wr *next);
/* Unmaps the pages after the adapter is done with them; then they may be read. Any context. */
void cwrs_transfers_unmap(struct cwrs_conn *conn, struct cwrs_transfers *transfers);
/* Unmaps @transfers and frees it with its pages. @transfers may be NULL. Any context. */
void cwrs_transfers_free(struct cwrs_conn *conn, struct cwrs_transfers *transfers);

#endif
