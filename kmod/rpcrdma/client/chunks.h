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
 *
 * Context: Process context. The transport is held. Takes regions_lock.
 * Return: The number of segments, or an error: -EAGAIN if no region is free; SunRPC is notified
 * when there is one. -EMSGSIZE if the memory needs more than CWRC_REGIONS regions, -ENOBUFS if the
 * mapping for the adapter failed, -EIO if the registration failed.
 */
int cwrc_chunks_register(struct cwrc_connection *conn, struct cwrc_call *call,
			 struct cwrc_piece *piece, u32 count, enum dma_data_direction dir,
			 bool hold, struct cwr_segment *segment);

/**
 * cwrc_chunks_cancel() - frees the regions of a call whose rkeys were never sent to the server
 * @call: call
 *
 * Wakes no task: the call itself waits until there are more regions than it got.
 *
 * Context: Process context. The transport is held. Takes regions_lock.
 */
void cwrc_chunks_cancel(struct cwrc_call *call);

/**
 * cwrc_chunks_chain() - chains the work requests that register the regions of a call before its
 * send
 * @call: call
 * @send: work request of the send
 * @wrs: set to the number of work requests, with @send
 *
 * Context: Process context. The transport is held.
 * Return: The first work request.
 */
struct ib_send_wr *cwrc_chunks_chain(struct cwrc_call *call, struct ib_send_wr *send, u16 *wrs);

/**
 * cwrc_chunks_invalidated() - notes that the server has invalidated an rkey
 * @call: call that the server has answered
 * @rkey: rkey from the completion of the reply
 *
 * Context: Process context, on the work queue of completions.
 * Return: False if no region of @call has the rkey.
 */
bool cwrc_chunks_invalidated(struct cwrc_call *call, u32 rkey);

/**
 * cwrc_chunks_fence() - invalidates all regions of a call
 * @call: call that was answered
 * @fenced: called with &call->fence if the result is false. Then cwrc_chunks_release() is allowed.
 *
 * Context: Process context, on the work queue of completions. Takes regions_lock.
 * Return: True if the regions are invalidated and freed already.
 */
bool cwrc_chunks_fence(struct cwrc_call *call, void (*fenced)(struct cw_post *post, int err));

/**
 * cwrc_chunks_release() - unmaps and frees the regions of a call, and wakes tasks that wait for
 * regions
 * @call: call after its fence, or on a drained connection
 *
 * Context: Process context. Takes regions_lock.
 */
void cwrc_chunks_release(struct cwrc_call *call);

/**
 * cwrc_chunks_wait() - invalidates and frees the regions of an RPC that ends without a reply
 * @call: call of the RPC
 *
 * Context: Process context. Sleeps until the adapter has invalidated the regions. Takes
 * regions_lock.
 */
void cwrc_chunks_wait(struct cwrc_call *call);

#endif
