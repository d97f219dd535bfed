/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A call: an RPC of this client, or the reply to a callback, with its memory and its parts that the
 * adapter may still use.
 */
#ifndef CWRC_CALL_H
#define CWRC_CALL_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/sunrpc/clnt.h>

#include "../../core/verbs/endpoint.h"
#include "../wire/header.h"
#include "transport.h"

#define CWRC_REGIONS 20 /* of one chunk: 1 MiB, sixteen pages each, and head and tail */
#define CWRC_SGES 2 /* fragments of a message: header and head; data and tail */
#define CWRC_HEADER_MAX                                                                         \
	(CWR_HEADER_MIN + CWRC_REGIONS * (CWR_READ_SEGMENT_BYTES + CWR_SEGMENT_BYTES) + 8)
/* Space before SunRPC's buffer: a pointer to the call, and the header, which ends at the buffer. */
#define CWRC_ROOM ALIGN(CWRC_HEADER_MAX + sizeof(void *), 64)

struct cwrc_receive;

enum cwrc_call_state {
	CWRC_NEW, /* not sent on a present connection */
	CWRC_SENT,
	CWRC_ANSWERED, /* a reply was accepted; no other will be */
};

struct cwrc_call {
	struct cwrc_transport *transport;
	struct list_head entry; /* in the list of all calls */
	struct list_head free;
	struct rpc_rqst *rqst; /* under calls_lock; NULL after the end of the RPC */
	bool unanswered; /* counted in the transport's unanswered; under calls_lock */
	refcount_t users;
	/* A callback is passed here when its last user is gone. NULL: the call becomes free. */
	void (*ended)(struct cwrc_call *call);

	struct cwrc_connection *connection; /* it was sent on; may be freed unless CWRC_SENT */
	atomic_t state; /* enum cwrc_call_state */
	u32 xid;

	/* CWRC_ROOM bytes, then rq_buffer, then rq_rbuffer */
	void *memory;
	size_t size;
	/* Copy of those parts of a message that are neither in @memory nor registered. */
	void *copy;
	size_t copy_size;
	/* Device for which both are mapped, or NULL; under calls_lock. */
	struct ib_device *mapped_for;
	u64 memory_dma;
	u64 copy_dma;

	struct cw_post post;
	struct ib_send_wr send;
	struct ib_sge sge[CWRC_SGES];

	/*
	 * Registered regions, in the order of the header. The list is changed under the transport's
	 * regions_lock (chunks.c).
	 */
	struct list_head regions;
	u16 reads; /* segments of the read chunks */
	u16 writes; /* segments of the write chunk, or of the reply chunk */
	bool reply_chunk;
	struct cwr_segment segment[2 * CWRC_REGIONS];
	/* Own pages: head and tail of a whole call, then those of a whole reply. */
	struct page **own;
	u32 own_pages;
	u32 own_reply; /* index of the first one for the reply */

	/* Invalidates regions that the server did not invalidate. */
	struct cw_post fence;
	struct completion fenced;

	/* The reply that is being handled. */
	struct cwrc_receive *reply;
	struct cwr_header header;
	u32 written; /* bytes that the server wrote into the write or reply chunk */
	int error;
};

/**
 * cwrc_call_of() - returns the call of a request
 * @rqst: request of this client, with a buffer
 *
 * Context: Any context.
 * Return: The call.
 */
static inline struct cwrc_call *cwrc_call_of(const struct rpc_rqst *rqst)
{
	return *(struct cwrc_call **)(rqst->rq_buffer - CWRC_ROOM);
}

/**
 * cwrc_call_given_up() - ends the wait of an RPC for its reply
 * @call: call of the RPC
 *
 * Context: The caller holds xprt->transport_lock.
 * Return: True if the RPC waited for a reply.
 */
bool cwrc_call_given_up(struct cwrc_call *call);

/**
 * cwrc_call_get() - takes a free call, or allocates one
 * @t: transport
 * @size: bytes of memory that the call needs, with CWRC_ROOM
 * @gfp: flags of allocations
 *
 * Context: Process context. May sleep if @gfp allows it. Takes calls_lock.
 * Return: The call with one user, or NULL if there is no memory.
 */
struct cwrc_call *cwrc_call_get(struct cwrc_transport *t, size_t size, gfp_t gfp);

/**
 * cwrc_call_init() - initialises the call of a callback
 * @call: call in zeroed memory
 * @t: transport
 * @size: bytes of memory for the reply
 * @gfp: flags of the allocation
 * @ended: called when the last user of the call is gone
 *
 * Context: Process context. May sleep if @gfp allows it. Takes calls_lock.
 * Return: 0 or -ENOMEM.
 */
int cwrc_call_init(struct cwrc_call *call, struct cwrc_transport *t, size_t size, gfp_t gfp,
		   void (*ended)(struct cwrc_call *call));

/**
 * cwrc_call_exit() - frees the memory of a call, and takes the call off its transport's list
 * @call: call without users
 *
 * Context: Process context. Takes calls_lock.
 */
void cwrc_call_exit(struct cwrc_call *call);

/**
 * cwrc_call_put() - drops one user of a call
 * @call: call. The last user makes it free, or passes it to call->ended().
 *
 * Context: Process context; softirqs may be disabled. Takes calls_lock, or bc_pa_lock for a
 * callback.
 */
void cwrc_call_put(struct cwrc_call *call);

/**
 * cwrc_calls_free() - frees all calls of a transport
 * @t: transport without users and without connections
 *
 * Context: Process context. Takes calls_lock.
 */
void cwrc_calls_free(struct cwrc_transport *t);

/**
 * cwrc_call_map() - maps the memory of a call for the adapter of a connection
 * @call: call. No send from its memory is in flight if it is mapped for another device.
 * @conn: connection on which the call will be sent
 *
 * Context: Process context. The transport is held. Takes calls_lock.
 * Return: 0, or -ENOBUFS if the mapping failed.
 */
int cwrc_call_map(struct cwrc_call *call, struct cwrc_connection *conn);

/**
 * cwrc_call_copy_area() - provides memory in call->copy, and maps it for the adapter
 * @call: call
 * @conn: connection on which the call will be sent
 * @size: bytes that are needed
 *
 * Context: Process context. May sleep. The transport is held. Takes calls_lock.
 * Return: 0, or -ENOBUFS if there is no memory or the mapping failed.
 */
int cwrc_call_copy_area(struct cwrc_call *call, struct cwrc_connection *conn, size_t size);

/**
 * cwrc_call_unmap() - unmaps the memory of a call
 * @call: call whose memory no adapter reads
 *
 * Context: The caller holds calls_lock.
 */
void cwrc_call_unmap(struct cwrc_call *call);

/**
 * cwrc_call_settle() - stops counting a call as unanswered
 * @call: call that is sent again, or whose RPC ends
 *
 * Context: The caller holds calls_lock.
 */
void cwrc_call_settle(struct cwrc_call *call);

/**
 * cwrc_call_own_pages() - allocates own pages for a call
 * @call: call without own pages
 * @count: number of pages. They are zeroed.
 * @gfp: flags of the allocations
 *
 * Context: Process context. May sleep if @gfp allows it.
 * Return: 0, or -ENOBUFS if there is no memory; then the call has no own pages.
 */
int cwrc_call_own_pages(struct cwrc_call *call, u32 count, gfp_t gfp);

/**
 * cwrc_call_free_own_pages() - frees the own pages of a call
 * @call: call; it may have none
 *
 * Context: Process context.
 */
void cwrc_call_free_own_pages(struct cwrc_call *call);

#endif
