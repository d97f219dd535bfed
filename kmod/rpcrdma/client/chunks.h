/* SPDX-License-Identifier: GPL-2.0-only */
/* The chunks of a call: memory that is registered for the server, from the call to its reply. */
#ifndef CWRC_CHUNKS_H
#define CWRC_CHUNKS_H

#include "call.h"
#include "connection.h"

/* A range of bytes in pages that is still to be registered. */
struct cwrc_piece {
	struct page **pages;
	u32 offset; /* in bytes, from the start of the first page */
	u32 len;
};

#define CWRC_PIECES 3 /* pieces of a message: head, pages, tail */

/**
 * cwrc_chunks_register() - registers memory for the server
 * @conn: the connection
 * @call: gets the regions
 * @piece: pieces of the memory; consumed
 * @count: their number
 * @dir: DMA_TO_DEVICE for data that the server reads
 * @hold: take references to the pages until they are unmapped
 * @segment: filled
 *
 * A piece that begins at a page boundary shares the region of a preceding one that ends at one.
 * Context: the transport is held.
 * Return: number of segments; -EAGAIN: no region is free, SunRPC is notified when one is; -errno.
 */
int cwrc_chunks_register(struct cwrc_connection *conn, struct cwrc_call *call,
			 struct cwrc_piece *piece, u32 count, enum dma_data_direction dir,
			 bool hold, struct cwr_segment *segment);
/* Frees regions whose rkeys were never sent to the server. */
void cwrc_chunks_cancel(struct cwrc_call *call);
/* Chains the work requests that register @call's regions before @send. */
struct ib_send_wr *cwrc_chunks_chain(struct cwrc_call *call, struct ib_send_wr *send, u16 *wrs);
/* The server invalidated @rkey. False: no region of @call has it. */
bool cwrc_chunks_invalidated(struct cwrc_call *call, u32 rkey);
/*
 * Invalidates all regions of @call. True: done. False: @fenced will be called with &call->fence,
 * and cwrc_chunks_release() is allowed then. In the context of completions.
 */
bool cwrc_chunks_fence(struct cwrc_call *call, void (*fenced)(struct cw_post *post, int err));
/* Unmaps and frees the regions, after the fence or on a drained connection. */
void cwrc_chunks_release(struct cwrc_call *call);
/* The RPC ends without a reply: invalidates its regions and waits. Process context. */
void cwrc_chunks_wait(struct cwrc_call *call);

#endif
