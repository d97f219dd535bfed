/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to the client. */
#ifndef CWRS_SEND_H
#define CWRS_SEND_H

#include "../../core/verbs/endpoint.h"

#define CWRS_PUSHES 4 /* RDMA Writes of a reply from the memory of its send */

struct cwrs_connection;
struct cwrs_transfers;

/* A message to the client in its own memory, with the RDMA Writes before it. */
struct cwrs_send {
	struct cwrs_connection *conn;
	struct list_head entry; /* in conn->tx_free */
	struct list_head made; /* in conn->tx_made */
	struct cw_post post;
	struct ib_send_wr wr;
	struct ib_sge sge;
	struct cwrs_transfers *transfers;
	u32 pages; /* pages of the transfers, counted in conn->pushing */
	u8 pushes;
	struct ib_cqe push_cqe; /* completes only if an RDMA Write fails */
	struct ib_rdma_wr push[CWRS_PUSHES];
	struct ib_sge push_sge[CWRS_PUSHES];
	u8 *data; /* conn->tx_size bytes */
	u64 dma;
};

/**
 * cwrs_send_get() - takes a struct cwrs_send from the connection's free list, or allocates one
 * @conn: the connection
 * @gfp: for the allocation
 *
 * Context: Process context. May sleep if @gfp allows it. Takes tx_lock.
 * Return: The send; NULL if its memory cannot be allocated, or not be mapped for the adapter.
 */
struct cwrs_send *cwrs_send_get(struct cwrs_connection *conn, gfp_t gfp);

/**
 * cwrs_send_put() - returns a send to the connection's free list
 * @send: send that the adapter does not use. Its transfers are freed.
 *
 * Context: Process context or softirq. Takes tx_lock.
 */
void cwrs_send_put(struct cwrs_send *send);
/**
 * cwrs_send_push() - adds an RDMA Write of a send's own memory, before the Send
 * @send: the send; it has at most CWRS_PUSHES of them
 * @at: offset in its memory
 * @length: bytes
 * @handle: key of the client's memory
 * @offset: offset in the client's memory
 *
 * Context: Process context.
 */
void cwrs_send_push(struct cwrs_send *send, u32 at, u32 length, u32 handle, u64 offset);
/**
 * cwrs_send_post() - posts the RDMA Writes of a send, and then the Send
 * @send: the send; it may be freed on return
 * @length: bytes of its memory that the Send carries
 * @invalidate: key of the client to be invalidated, or 0
 *
 * Context: Process context, interrupts enabled.
 */
void cwrs_send_post(struct cwrs_send *send, u32 length, u32 invalidate);

/**
 * cwrs_sends_free() - frees all sends
 * @conn: connection whose queue pair is drained
 *
 * Context: Process context.
 */
void cwrs_sends_free(struct cwrs_connection *conn);

/**
 * cwrs_sends_trim() - frees sends that were not needed since the last call
 * @conn: connection
 *
 * Context: Process context. Takes tx_lock.
 */
void cwrs_sends_trim(struct cwrs_connection *conn);

#endif
