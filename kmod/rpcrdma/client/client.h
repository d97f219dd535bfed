/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client transport: declarations that the files of this folder share.
 *
 *   transport.c    the xprt classes and operations
 *   lanes.c        the queue pairs of a transport: choice for a call; the window of credits
 *   open.c         opens queue pairs, from which addresses, and again after a pause
 *   reap.c         ends queue pairs: one alone, or all
 *   session.c      calls that must use a certain queue pair
 *   connection.c   one queue pair: receives, keepalive, its end
 *   call.c         the memory of an RPC, and the parts of it that the adapter may still use
 *   send.c         sends an RPC message
 *   whole.c        calls and replies that are registered as a whole
 *   region.c       memory registered for the server
 *   reply.c        received messages
 *   backchannel.c  calls of the server
 *
 * A lane is a place for one queue pair in a transport, and the queue pair in it. A connection is
 * one queue pair.
 *
 * The life of a call. SunRPC asks for memory (buf_alloc), which allocates a struct cwrc_call, then
 * encodes the call into it, and then has it sent (send_request) while it holds the transport, so
 * one call is sent at a time. A message that fits is sent inline, from memory that is mapped for
 * the adapter already. Its data pages are copied, which costs less than to register them and to
 * wait until the adapter is done with them. Data that does not fit is registered: pages as they
 * are, head and tail of a whole message through own pages. A reply finds its request by its XID.
 * Then the registered memory is invalidated, inline data is copied to SunRPC's buffers, and the
 * request completes.
 *
 * Completions arrive on a work queue, since SunRPC's locks do not exclude softirqs. It is of the
 * same kind as SunRPC's own (unbound, ordinary priority), so both share workers: the worker that
 * handles a reply continues with the task that waited for it. The RDMA core's work queue would cost
 * one more context switch.
 *
 * Ownership of memory. A call has two users: the RPC, until buf_free; and its send, until the
 * adapter is known to be done with it. A reply does not prove that, because the adapter may read
 * the message again if an acknowledgment was lost. So the memory is reused only when that send or a
 * later one has completed, or the queue pair is drained. One send in several is signalled.
 *
 * Recovery. A queue pair that fails is drained and memory registered on it is unmapped. The
 * requests that were sent on it and have no reply are sent again on other queue pairs of the
 * transport. If there is none, SunRPC's worker closes the transport and wakes all requests without
 * a reply; they cause new queue pairs to be opened and are sent again. Both happen with the
 * transport held. No call is ever sent twice on one queue pair.
 *
 * Locks: the transport (XPRT_LOCKED) > lanes_lock > xprt->transport_lock > calls_lock >
 * xprt->queue_lock > xprt->pending.lock; bc_pa_lock > locks of the callback service; lanes_lock and
 * regions_lock > locks of the endpoint. None is taken in interrupts or softirqs.
 */
#ifndef CWRC_CLIENT_H
#define CWRC_CLIENT_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/scatterlist.h>
#include <linux/sunrpc/addr.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>
#include <linux/workqueue.h>

#include "../../core/verbs/buffers.h"
#include "../../core/verbs/endpoint.h"
#include "../netlink/connections.h"
#include "../wire/header.h"
#include "../wire/private_data.h"
#include "../wire/sizes.h"

#define CWRC_REGIONS 20 /* of one chunk: 1 MiB, sixteen pages each, and head and tail */
#define CWRC_DEPTH_MIN 16 /* pages of one region */
#define CWRC_DEPTH_MAX 258 /* 1 MiB between a page of head and a page of tail */
#define CWRC_LANES 16 /* queue pairs of one transport, at most */
/* calls of the server in flight; as many receives, besides those for replies */
#define CWRC_CALLBACKS 16
#define CWRC_SGES 2 /* fragments of a message: header and head; data and tail */
#define CWRC_YOUNG (10 * HZ) /* a connection that fails sooner counts as a failed attempt */
#define CWRC_FORGIVEN (600 * HZ) /* a lane that lived so long has its past failures forgotten */
#define CWRC_PAUSE_FIRST (1UL * HZ) /* before a lane that failed again is opened; doubles */
#define CWRC_PAUSE_MOST (300UL * HZ)
#define CWRC_OPEN_AGAIN (10UL * HZ) /* after a lane could not be opened */
#define CWRC_HEADER_MAX                                                                         \
	(CWR_HEADER_MIN + CWRC_REGIONS * (CWR_READ_SEGMENT_BYTES + CWR_SEGMENT_BYTES) + 8)
/* Space before SunRPC's buffer: a pointer to the call, and the header, which ends at the buffer. */
#define CWRC_ROOM ALIGN(CWRC_HEADER_MAX + sizeof(void *), 64)

struct cwrc_connection;
struct cwrc_receive;

/* The reason why an empty lane is not opened yet. */
struct cwrc_past {
	u32 deaths; /* each sooner than CWRC_FORGIVEN after the lane was opened */
	unsigned long retry_at; /* jiffies; 0: at once */
};

struct cwrc_transport {
	struct rpc_xprt xprt;
	struct cwr_connection info;
	struct rpc_timeout timeout; /* if SunRPC asked for another one than the default */
	struct delayed_work connect;

	/* lanes.c has a table of these fields and their locks. */
	spinlock_t lanes_lock;
	struct cwrc_connection *lane[CWRC_LANES];
	struct cwrc_past past[CWRC_LANES];
	struct cwrc_connection *opening; /* being opened by the work open; may be killed */
	struct delayed_work open; /* opens empty lanes */
	bool opens; /* lanes may be added */
	struct work_struct reap; /* handles queue pairs that failed */
	bool reap_waits; /* the reaper waits for the transport */
	bool reap_holds; /* the transport was passed to the reaper */
	u32 lanes; /* how many lanes are wanted */
	u32 next_lane; /* where the search for a lane with credit begins */
	u32 bind_lane; /* lane of the next call that uses each lane in turn */
	atomic_t made; /* number of queue pairs made so far */
	int orphans; /* replies that the server owes to RPCs that have ended */
	u32 unanswered; /* calls sent on a queue pair that is gone, and not sent again */
	struct sockaddr_storage local; /* local address of the first lane, port 0 */
	bool by_rule; /* a rule named that address */
	/* NFS 4.1: address of EXCHANGE_ID until it is confirmed */
	struct sockaddr_storage named_from;
	u32 source; /* index of the rule's address used last */
	bool suspect; /* the last connection from there failed soon */
	unsigned long opened; /* jiffies of the last connection */
	int failed; /* -errno of the last attempt, or 0 */
	bool refuses_probes; /* the server treats a zero-length RDMA WRITE as an error */

	spinlock_t calls_lock; /* guards calls, free_calls, and the mapping of calls' memory */
	struct list_head calls; /* all calls */
	struct list_head free_calls; /* linked by @free; most recently used first */

	spinlock_t regions_lock; /* guards the lists of regions of calls and connections */
	bool answers_callbacks; /* NFS has a callback service; under xprt.bc_pa_lock */
	atomic_t callbacks; /* calls of the server without a reply */
};

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
	bool callback; /* embedded in a struct cwrc_callback */

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

	/* Registered regions, in the order of the header; under the transport's regions_lock. */
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

/* A call of the server and the reply to it. */
struct cwrc_callback {
	struct rpc_rqst rqst;
	struct cwrc_call call;
	void *request; /* the message of the call */
	bool open; /* counted in the transport's callbacks */
	u32 connection; /* number of the connection of call and reply */
};

struct cwrc_receive {
	struct cwrc_connection *connection;
	struct cw_buffer *buffer;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	u32 len;
};

/* A set of receives. Sets are added as the server grants credits. */
struct cwrc_receives {
	struct list_head entry;
	struct cw_buffers buffers;
	struct cwrc_receive receive[];
};

/* A range of bytes in pages that is still to be registered. */
struct cwrc_piece {
	struct page **pages;
	u32 offset; /* in bytes, from the start of the first page */
	u32 len;
};

#define CWRC_PIECES 3 /* pieces of a message: head, pages, tail */

struct cwrc_region {
	struct list_head entry; /* in a call's regions, or in free_regions */
	struct list_head all;
	struct cwrc_connection *connection;
	struct ib_mr *mr;
	struct ib_reg_wr reg;
	struct ib_cqe reg_cqe; /* completes only if a work request fails */
	struct ib_send_wr inv;
	enum dma_data_direction dir;
	bool invalidated;
	bool holds; /* holds references to its pages */
	u32 entries; /* mapped entries of sgl */
	struct scatterlist *sgl; /* connection->depth entries */
};

struct cwrc_connection {
	struct cwrc_transport *transport;
	u32 number; /* unique in the transport */
	struct cw_endpoint ep;
	struct cw_domain *domain; /* outlives the endpoint: memory is mapped for its device */
	struct ib_device *ib;
	bool established; /* in use: a failure queues the reaper */
	bool by_rule; /* a rule named its local address */
	unsigned long opened; /* jiffies */
	int error; /* of the failure */
	char reason[96];
	u32 inline_send; /* bytes of a message without chunks, with header */
	u32 inline_receive;
	u32 depth; /* pages of a region */
	u32 credits; /* granted, as far as there are receives; one writer */
	atomic_t owed; /* replies that have not arrived */
	u32 index; /* of the lane */
	bool remote_invalidate; /* the server supports it */

	/* Under regions_lock. */
	struct list_head free_regions;
	struct list_head regions;
	bool short_of_regions; /* the last attempt to make regions failed */
	struct delayed_work grow_regions;

	struct list_head receives; /* used by connecting work, then by grow_receives */
	u32 receive_size;
	u32 replies; /* that can be received: bound for credits */
	u32 replies_most; /* bound of replies, by adapter and slots */
	u32 replies_wanted;
	struct work_struct grow_receives;

	struct cw_probe probe;
	unsigned long probed; /* jiffies; the last probe */
	u32 heard; /* messages received */
	u32 heard_before; /* at the last look */
	struct delayed_work look;
};

static inline struct cwrc_transport *cwrc_transport_of(struct rpc_xprt *xprt)
{
	return container_of(xprt, struct cwrc_transport, xprt);
}

/* The local address of a connection that was opened. */
static inline const struct sockaddr *cwrc_connection_local(const struct cwrc_connection *conn)
{
	return (const struct sockaddr *)&conn->ep.local;
}

/* ---- transport.c ---- */

/* -EEXIST if another module has registered the class. Process context. */
int cwrc_register(void);
void cwrc_unregister(void);

extern struct workqueue_struct *cwrc_workqueue; /* for works that may sleep */
extern struct workqueue_struct *cwrc_completions;

/* ---- lanes.c ---- */

/* Chooses the queue pair for the next call. NULL: there is none. The transport is held. */
struct cwrc_connection *cwrc_lane_pick(struct cwrc_transport *t);
/* Chooses each lane in turn, whatever credit it has. The transport is held. */
struct cwrc_connection *cwrc_lane_in_turn(struct cwrc_transport *t);
/* The first lane from @local (any port), or from anywhere if NULL. The transport is held. */
struct cwrc_connection *cwrc_lane_from(struct cwrc_transport *t, const struct sockaddr *local);
/* The queue pair with @number, or NULL if it is gone. The transport is held. */
struct cwrc_connection *cwrc_lane_of(struct cwrc_transport *t, u32 number);
/* Sets the credits that the server grants on @conn. In the context of completions. */
void cwrc_lanes_grant(struct cwrc_transport *t, struct cwrc_connection *conn, u32 credits);
/*
 * Sets SunRPC's window to the sum of granted credits, less the credit for replies owed to RPCs that
 * have ended. Wakes tasks that wait for credit if there is some. xprt->transport_lock is held.
 */
void cwrc_lanes_set_window(struct cwrc_transport *t);
/*
 * Puts @conn into use; the @first allows others to follow. Returns 0; -ESHUTDOWN: no lane is
 * wanted; another -errno: it has failed. May sleep.
 */
int cwrc_lane_publish(struct cwrc_connection *conn, bool first);
/* Takes @conn out of use. The transport is held. */
void cwrc_lane_unpublish(struct cwrc_connection *conn);
/* @conn failed: returns when its lane may be opened again, in jiffies. */
unsigned long cwrc_lane_set_aside(struct cwrc_connection *conn);
/* Publishes the state of @conn for netlink; @retry_at as in struct cwr_rail. */
void cwrc_lane_show(struct cwrc_connection *conn, enum cwr_state state, unsigned long retry_at);
/* Publishes all lanes in use, and the first one as the connection. */
void cwrc_lanes_show(struct cwrc_transport *t);

/* ---- open.c ---- */

void cwrc_lanes_init(struct cwrc_transport *t);
/* Connects one queue pair. The transport is held; sleeps. 0 or -errno. */
int cwrc_lanes_open(struct cwrc_transport *t);
/* Queues the work that opens empty lanes, now or after their pause. */
void cwrc_open_missing(struct cwrc_transport *t);
/* Forbids opening lanes, and waits for the work. The transport is held. */
void cwrc_stop_opening(struct cwrc_transport *t);
/* NFS 4.1: allows any local address, since the server knows calls by their session. */
void cwrc_lanes_free_to_roam(struct cwrc_transport *t);

/* ---- reap.c ---- */

/* Ends all lanes. True: there was one; @error says why one failed. The transport is held. */
bool cwrc_lanes_close(struct cwrc_transport *t, int *error);
void cwrc_reap_work(struct work_struct *work);
/* SunRPC's release_xprt: passes the transport to a waiting reaper, or to the next task. */
void cwrc_release_xprt(struct rpc_xprt *xprt, struct rpc_task *task);

/* ---- session.c ---- */

/**
 * cwrc_session_lane() - chooses the queue pair for a task
 * @t: the transport; it is held
 * @task: the task
 * @conn: set to the queue pair
 *
 * Return: 0; -ENOTCONN: there is none; -NFS4ERR_STALE_CLIENTID: the task ends with this error.
 */
int cwrc_session_lane(struct cwrc_transport *t, const struct rpc_task *task,
		      struct cwrc_connection **conn);

/* ---- connection.c ---- */

/* Allocates a connection. It can be opened, and killed meanwhile. */
struct cwrc_connection *cwrc_connection_new(struct cwrc_transport *t, u32 index);
/* Connects from @from, or anywhere if NULL. Sleeps. 0, or -errno with the text in conn->reason. */
int cwrc_connection_open(struct cwrc_connection *conn, const struct sockaddr *from);
/*
 * Marks @conn as established: from here on a failure queues the reaper. An earlier one does at
 * once.
 */
void cwrc_connection_establish(struct cwrc_connection *conn);
/* Drains: no completion comes, and no memory is registered any more. Process context. */
void cwrc_connection_drain(struct cwrc_connection *conn);
/* Frees a drained connection. No call's memory is mapped for its device any more. */
void cwrc_connection_free(struct cwrc_connection *conn);
/* Posts a receive again. Process context, softirqs may be disabled. */
void cwrc_receive_post(struct cwrc_receive *receive);
/* The server grants @credits; returns how many have receives. In the context of completions. */
u32 cwrc_connection_credits(struct cwrc_connection *conn, u32 credits);

/* ---- call.c ---- */

static inline struct cwrc_call *cwrc_call_of(const struct rpc_rqst *rqst)
{
	return *(struct cwrc_call **)(rqst->rq_buffer - CWRC_ROOM);
}

/* Ends the wait of the RPC. True: it waited for a reply. xprt->transport_lock is held. */
bool cwrc_call_given_up(struct cwrc_call *call);
int cwrc_buf_alloc(struct rpc_task *task);
void cwrc_buf_free(struct rpc_task *task);
/* Initialises the call of a callback, with memory for a reply of @size bytes. */
int cwrc_call_init(struct cwrc_call *call, struct cwrc_transport *t, size_t size, gfp_t gfp);
/* Frees the memory of a call without users. */
void cwrc_call_exit(struct cwrc_call *call);
/* Drops one user of @call. */
void cwrc_call_put(struct cwrc_call *call);
/* Frees all calls of a transport without users and without connections. */
void cwrc_calls_free(struct cwrc_transport *t);
/* Maps the memory of @call. The transport is held. */
int cwrc_call_map(struct cwrc_call *call, struct cwrc_connection *conn);
/* Provides @size mapped bytes of call->copy. The transport is held. */
int cwrc_call_copy_area(struct cwrc_call *call, struct cwrc_connection *conn, size_t size);
/* Unmaps the memory of a call that no adapter reads. calls_lock is held. */
void cwrc_call_unmap(struct cwrc_call *call);
/* The call is sent again or its RPC ends: it is no longer unanswered. calls_lock is held. */
void cwrc_call_settle(struct cwrc_call *call);
/* Allocates @count own pages, zeroed. */
int cwrc_call_own_pages(struct cwrc_call *call, u32 count, gfp_t gfp);
void cwrc_call_free_own_pages(struct cwrc_call *call);

/* ---- send.c ---- */

int cwrc_send_request(struct rpc_rqst *rqst);
/* Sends @buf, a reply to the server; its head is in @call's memory. The transport is held. */
int cwrc_send_inline(struct cwrc_call *call, struct cwrc_connection *conn,
		     const struct xdr_buf *buf, u32 credits);

/* ---- whole.c ---- */

/* Allocates own pages for heads and tails, and fills those of the call. May sleep. */
int cwrc_whole_prepare(struct cwrc_call *call, const struct rpc_rqst *rqst, bool whole_call,
		       bool whole_reply);
/* Describes @buf; head and tail are in @own pages. Returns up to CWRC_PIECES pieces. */
u32 cwrc_whole_pieces(const struct xdr_buf *buf, struct page **own, struct cwrc_piece *piece);
/*
 * Copies @len bytes between @vec and @own pages, at @offset in them or at the position of a head;
 * @in: to @vec.
 */
void cwrc_copy_own(struct page **own, u32 offset, const struct kvec *vec, u32 len, bool in);
void cwrc_copy_head(struct page **own, const struct kvec *head, u32 len, bool in);

/* ---- region.c ---- */

/**
 * cwrc_lend() - registers memory for the server
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
int cwrc_lend(struct cwrc_connection *conn, struct cwrc_call *call, struct cwrc_piece *piece,
	      u32 count, enum dma_data_direction dir, bool hold, struct cwr_segment *segment);
/* Frees regions whose rkeys were never sent to the server. */
void cwrc_lent_cancel(struct cwrc_call *call);
/* Chains the work requests that register @call's regions before @send. */
struct ib_send_wr *cwrc_lent_chain(struct cwrc_call *call, struct ib_send_wr *send, u16 *wrs);
/* The server invalidated @rkey. False: no region of @call has it. */
bool cwrc_lent_invalidated(struct cwrc_call *call, u32 rkey);
/*
 * Invalidates all regions of @call. True: done. False: @fenced will be called with &call->fence,
 * and cwrc_lent_release() is allowed then. In the context of completions.
 */
bool cwrc_lent_fence(struct cwrc_call *call, void (*fenced)(struct cw_post *post, int err));
/* Unmaps and frees the regions, after the fence or on a drained connection. */
void cwrc_lent_release(struct cwrc_call *call);
/* The RPC ends without a reply: invalidates its regions and waits. Process context. */
void cwrc_lent_wait(struct cwrc_call *call);
/* Makes the first regions; cwrc_regions_free() also takes those that calls still have. */
int cwrc_regions_init(struct cwrc_connection *conn);
void cwrc_regions_grow(struct work_struct *work);
void cwrc_regions_free(struct cwrc_connection *conn);

/* ---- reply.c ---- */

void cwrc_received(struct cwrc_receive *receive, const struct ib_wc *wc);

/* ---- backchannel.c ---- */

int cwrc_callback_setup(struct rpc_xprt *xprt, unsigned int requests);
void cwrc_callback_destroy(struct rpc_xprt *xprt, unsigned int requests);
size_t cwrc_callback_payload(struct rpc_xprt *xprt);
unsigned int cwrc_callback_slots(struct rpc_xprt *xprt);
void cwrc_callback_free(struct rpc_rqst *rqst);
/* Handles a call of the server, @len bytes at @message. In the context of completions. */
void cwrc_callback_received(struct cwrc_connection *conn, const void *message, u32 len);
/* The last user of a callback's call is gone. */
void cwrc_callback_free_last(struct cwrc_callback *callback);
/* Frees all callbacks, with the transport. */
void cwrc_callbacks_free(struct cwrc_transport *t);
/* Sends the reply to a callback; same contract as send_request. */
int cwrc_callback_reply(struct rpc_rqst *rqst);

#endif
