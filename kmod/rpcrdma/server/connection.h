/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server's end of one connection: declarations that the files of this folder share.
 *
 *   listener.c	listeners, and requests of clients to connect
 *   connection.c	a svc_xprt on an endpoint of causeway.ko, from set-up to end
 *   keepalive.c	ends connections of clients that have become silent
 *   receives.c	memory of receives, and their number
 *   receive.c	recvfrom: from a message to a call for nfsd
 *   pull.c		RDMA Reads of data that a call left in the client's memory
 *   reply.c	sendto: from an answer of nfsd to RDMA Writes and a Send
 *   send.c		memory and work requests of messages to the client
 *   transfers.c	RDMA Reads and Writes of many pages
 *   pages.c	pages that are reused
 *   sysctl.c	/proc/sys/sunrpc/svc_rdma
 *   limits.c	bound of the memory of all connections, and counters of limits
 *   backchannel.c	calls of the server to the client
 */
#ifndef CWRS_CONNECTION_H
#define CWRS_CONNECTION_H

#include <linux/sunrpc/svc_xprt.h>
#include <linux/workqueue.h>

#include "../../core/verbs/buffers.h"
#include "../../core/verbs/endpoint.h"
#include "../../core/verbs/transfer.h"
#include "../netlink/connections.h"
#include "../wire/header.h"
#include "../wire/private_data.h"
#include "../wire/sizes.h"

#define CWRS_SEGMENTS 20 /* segments of a message that need no further memory */
#define CWRS_SEGMENTS_MAX 256 /* segments of a message at most */
#define CWRS_MESSAGE_MIN 8 /* bytes of an RPC message: its XID and its direction */
#define CWRS_CALL_MIN 40 /* bytes of an RPC call with empty credentials (RFC 5531) */
#define CWRS_RECEIVES 16U /* a connection's first receives, and the size of each further set */
#define CWRS_BACK_CALLS 16 /* calls of the server to the client in flight */
#define CWRS_REGIONS_MIN 128U /* memory regions for a queue pair, at least */
#define CWRS_REGIONS_MAX 256U
#define CWRS_REGION_PAGES 256U /* pages of a region; the RDMA core allows no more */
#define CWRS_COPY_MAX 8192U /* bytes of data that are copied; more is sent from nfsd's pages */
#define CWRS_PUSHES 4 /* RDMA Writes of a reply from the memory of its send */

struct cwrs_conn;
struct cwrs_held;
struct cwrs_receive;

/* ---- limits ---- */

enum cwrs_limit {
	/* a call waits to fetch data: its connection has as much in flight as it may */
	CWRS_PARKED,
	CWRS_STARVED, /* a call waits to fetch data: no memory region is free */
	CWRS_REFUSED, /* a connection was refused because all connections hold server_memory */
	CWRS_LIMITS
};

/* Counts @pages as held by connections, or as freed if negative. Any context. */
void cwrs_memory_add(long pages);
/* True if all connections together have reached server_memory. Any context. */
bool cwrs_memory_is_scarce(void);

/* Counts an event of @limit. Any context. */
void cwrs_limit_met(enum cwrs_limit limit);

/* ---- data moved by RDMA Read or Write ---- */

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

/* ---- reused pages; process context ---- */

/**
 * cwrs_spares_take() - takes kept pages of the connection
 * @conn: the connection
 * @page: set to the pages
 * @count: number of pages wanted
 *
 * Return: number of pages taken.
 */
u32 cwrs_spares_take(struct cwrs_conn *conn, struct page **page, u32 count);
/**
 * cwrs_spares_give() - keeps pages for reuse, as many as allowed, and frees the others
 * @conn: the connection
 * @page: pages that the adapter no longer uses; the array is overwritten
 * @count: their number
 */
void cwrs_spares_give(struct cwrs_conn *conn, struct page **page, u32 count);
void cwrs_spares_free(struct cwrs_conn *conn);
/* Frees kept pages that were not needed since the last call. */
void cwrs_spares_trim(struct cwrs_conn *conn);
/* The most pages that a call may have: as many as its answer, while no page of that is used. */
static inline u32 cwrs_call_pages(const struct svc_rqst *rqstp)
{
	return rqstp->rq_page_end - rqstp->rq_respages;
}

/* Called before nfsd gets the call: holds those pages of @rqstp that nfsd may replace. */
void cwrs_hold(struct cwrs_receive *rx, struct svc_rqst *rqstp);
/*
 * Called when the answer's pages have left @rqstp: returns the pages that nfsd replaced to @rqstp.
 */
void cwrs_hold_end(struct cwrs_receive *rx, struct svc_rqst *rqstp);
/* Drops the held pages, because there was no answer. */
void cwrs_hold_drop(struct cwrs_receive *rx);

/* ---- receives ---- */

/* Data of an answer that may leave by a write chunk, as reported by nfsd. */
struct cwrs_result {
	u32 offset; /* of the data in the answer */
	u32 length;
};

/* Data that a call left in the client's memory. */
struct cwrs_pull {
	struct cw_post post;
	struct cwrs_transfers *transfers; /* NULL: no data is being fetched or held */
	u32 length; /* bytes of the message that are in the pages */
	u32 pages;
	bool parked;
	bool waited; /* the call was parked before; it keeps its place in the list */
	bool reserved; /* pages are counted in conn->pulling */
};

/*
 * A receive. Its owner: the adapter, while posted; then the list arrived; possibly the list parked,
 * or the adapter that fetches its data and then the list pulled; then the thread of nfsd that has
 * the call, as its rq_xprt_ctxt.
 */
struct cwrs_receive {
	struct cwrs_conn *conn;
	struct list_head entry;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	const struct cw_buffer *buf;
	u32 length; /* bytes of the received message */
	bool parsed;
	bool is_call; /* counted in info.calls */
	u8 results;
	struct cwrs_result result[CWR_WRITE_CHUNKS];
	struct cwrs_pull pull;
	struct cwrs_held *held; /* pages held for the thread that has the call, or NULL */
	struct cwr_header header;
	/* points to own, or to an allocation if the message has more segments */
	struct cwr_segment *segment;
	struct cwr_segment own[CWRS_SEGMENTS];
};

/**
 * cwrs_receives_make() - allocates and posts the first receives
 * @conn: the connection; receive_inline is lowered if memory for large receives is not available
 *
 * Grants as many credits.
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int cwrs_receives_make(struct cwrs_conn *conn);
/**
 * cwrs_receives_add() - allocates and posts more receives
 * @conn: the connection
 * @count: number of receives
 *
 * Context: sleeps.
 * Return: 0; -ENOMEM, and nothing has changed; or another -errno if the queue pair refuses.
 */
int cwrs_receives_add(struct cwrs_conn *conn, u32 count);
/* Counts a received message. In the context of completions. */
void cwrs_receives_count(struct cwrs_conn *conn);
/* CWRS_WANTS_RECEIVES is set: adds receives and credits if there is memory. May sleep. */
void cwrs_receives_grow(struct cwrs_conn *conn);
/* Frees all receives. The queue pair is drained, and no thread has a call. */
void cwrs_receives_free(struct cwrs_conn *conn);
/* The completion handler of a receive. */
void cwrs_received(struct ib_cq *cq, struct ib_wc *wc);
int cwrs_receive_post(struct cwrs_receive *rx);
/* Frees everything that a call holds besides its message. Process context. */
void cwrs_receive_clear(struct cwrs_receive *rx);
/* Posts a receive again, whose call no thread uses any more. Process context. */
void cwrs_receive_put(struct cwrs_receive *rx);
int cwrs_recvfrom(struct svc_rqst *rqstp);

/**
 * cwrs_pull_start() - starts to fetch the chunks of a call
 * @rx: the receive; it is in conn->pulled when the data has arrived
 * @rqstp: the thread that gives its pages
 *
 * Context: process.
 * Return: 0. Try again later: -EAGAIN, as much as allowed is being fetched; -ENOBUFS, other calls
 *   hold the memory regions. Give up: -EPROTO, the call has more than the server can take; -ENOMEM.
 */
int cwrs_pull_start(struct cwrs_receive *rx, struct svc_rqst *rqstp);
/**
 * cwrs_pull_finish() - puts the call together in rq_arg
 * @rx: the receive
 * @rqstp: the thread of nfsd
 *
 * Return: 0; -EPROTO: the message is too short for a call.
 */
int cwrs_pull_finish(struct cwrs_receive *rx, struct svc_rqst *rqstp);
void cwrs_pull_free(struct cwrs_receive *rx);
/**
 * cwrs_pull_park() - keeps a call until a pull of the connection has ended
 * @rx: its receive
 * @starved: no memory region was free
 */
void cwrs_pull_park(struct cwrs_receive *rx, bool starved);
/* The parked receive that may go on now, or NULL. Under rx_lock. */
struct cwrs_receive *cwrs_pull_parked(struct cwrs_conn *conn);
/* Reserves the pages of a parked receive that was taken off its list. Under rx_lock. */
void cwrs_pull_unpark(struct cwrs_receive *rx);

/* ---- sends ---- */

/* A message to the client in its own memory, with the RDMA Writes before it. */
struct cwrs_send {
	struct cwrs_conn *conn;
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
 * Context: process.
 * Return: the send; NULL if its memory cannot be allocated, or not be mapped for the adapter.
 */
struct cwrs_send *cwrs_send_get(struct cwrs_conn *conn, gfp_t gfp);
void cwrs_send_put(struct cwrs_send *send);
/**
 * cwrs_send_push() - adds an RDMA Write of a send's own memory, before the Send
 * @send: the send; it has at most CWRS_PUSHES of them
 * @at: offset in its memory
 * @length: bytes
 * @handle: key of the client's memory
 * @offset: offset in the client's memory
 */
void cwrs_send_push(struct cwrs_send *send, u32 at, u32 length, u32 handle, u64 offset);
/**
 * cwrs_send_post() - posts the RDMA Writes of a send, and then the Send
 * @send: the send; it may be freed on return
 * @length: bytes of its memory that the Send carries
 * @invalidate: key of the client to be invalidated, or 0
 */
void cwrs_send_post(struct cwrs_send *send, u32 length, u32 invalidate);
void cwrs_sends_free(struct cwrs_conn *conn);
/* Frees sends that were not needed since the last call. Process context. */
void cwrs_sends_trim(struct cwrs_conn *conn);

int cwrs_sendto(struct svc_rqst *rqstp);
int cwrs_result_payload(struct svc_rqst *rqstp, unsigned int offset, unsigned int length);
/**
 * cwrs_send_error() - answers a malformed call, and puts its receive
 * @rx: the receive
 * @err: as from cwr_parse_call()
 */
void cwrs_send_error(struct cwrs_receive *rx, int err);

/* ---- backchannel ---- */

int cwrs_back_register(void);
void cwrs_back_unregister(void);
/* Passes a reply of the client in @rx to the server's call. In a thread of nfsd. */
void cwrs_back_reply(struct cwrs_receive *rx);

/* ---- connection ---- */

struct cwrs_conn {
	struct svc_xprt xprt;
	struct cw_endpoint ep;
	struct list_head entry; /* in the listener's queue, until accepted */
	struct rdma_conn_param asked;
	struct cwr_private peer;
	u32 receive_inline, send_inline; /* bytes of the largest message, as negotiated */
	u32 credits, credits_most; /* granted now, and granted to a busy client */
	bool may_pull; /* the client's adapter answers RDMA Reads */
	bool may_invalidate;

	spinlock_t rx_lock; /* bh; guards the lists and the pull fields up to starved */
	struct list_head arrived, parked, pulled;
	u32 pulling; /* pages that await or hold data of calls */
	bool starved; /* no memory region is left for parked calls, until a pull ends */
	u32 pages_most; /* bound of pulling, and of pushing */
	u32 regions; /* memory regions in the pool of rdma_rw */
	u32 region_pages; /* pages that one region covers */
	spinlock_t spares_lock; /* guards spare, spares, spares_least */
	struct list_head spare; /* kept pages, for data of later calls */
	u32 spares, spares_most;
	u32 spares_least; /* the fewest since the last trim */
	struct list_head rx_sets; /* sets of all receives */
	u32 burst; /* messages in about a second; in the context of completions */
	unsigned long burst_end; /* jiffies; end of that second */

	spinlock_t tx_lock; /* bh; guards tx_free, tx_made, tx_spare, tx_least */
	struct list_head tx_free, tx_made;
	u32 tx_spare, tx_least; /* length of tx_free: now, and the least since the last trim */
	u32 tx_size; /* bytes of memory of each send */
	atomic_t tx_busy;
	atomic_t pushing; /* pages from which the adapter is sending answers */
	unsigned long flags;
#define CWRS_STALLED 0 /* calls wait until sends have completed */
#define CWRS_WANTS_RECEIVES 1 /* the client sends more calls than it has credits */
#define CWRS_MAKES_RECEIVES 2 /* a thread is adding receives */
#define CWRS_HAS_BACK_RECEIVES 3 /* receives for replies of the client were added */

	struct cwr_connection info;
	unsigned long send_completions; /* counted so far; in the context of completions */
	struct work_struct close_work, free_work;

	struct delayed_work look;
	u64 heard; /* number of messages at the last look of the keepalive */
	struct cw_probe probe;
};

static inline struct cwrs_conn *cwrs_conn(struct svc_xprt *xprt)
{
	return container_of(xprt, struct cwrs_conn, xprt);
}

static inline struct ib_device *cwrs_device(const struct cwrs_conn *conn)
{
	return conn->ep.domain->device->ib;
}

static inline bool cwrs_is_dead(const struct cwrs_conn *conn)
{
	return READ_ONCE(conn->ep.state) == CW_EP_DEAD;
}

static inline void cwrs_count(struct cwrs_conn *conn, enum cw_nfs_counter counter, u64 n)
{
	cwr_count(&conn->info, counter, n);
}

/* In the context of completions, or after the last completion. */
static inline void cwrs_count_completions(struct cwrs_conn *conn)
{
	unsigned long now = READ_ONCE(conn->ep.send_completions);

	cwrs_count(conn, CW_NFS_SEND_COMPLETIONS, now - conn->send_completions);
	conn->send_completions = now;
}

/* Marks that one of the lists has work for a thread of nfsd. Under rx_lock. */
static inline void cwrs_has_data(struct cwrs_conn *conn)
{
	lockdep_assert_held(&conn->rx_lock);
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
}

/**
 * cwrs_conn_create() - makes a connection for a request
 * @listener: the listener that got the request
 * @cm: the new id
 * @asked: parameters of the request
 *
 * nfsd has not accepted the connection yet; until then cwrs_conn_discard() ends it.
 * Context: the handler of the connection request.
 * Return: the connection, or NULL.
 */
struct cwrs_conn *cwrs_conn_create(struct svc_xprt *listener, struct rdma_cm_id *cm,
				   const struct rdma_conn_param *asked);
void cwrs_conn_discard(struct cwrs_conn *conn);
/**
 * cwrs_conn_accept() - makes the queue pair and the memory, and accepts the request
 * @conn: the connection
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int cwrs_conn_accept(struct cwrs_conn *conn);

/* ---- sysctl ---- */

/* Process context. The transport also works without these files. */
void cwrs_sysctl_register(void);
void cwrs_sysctl_unregister(void);

/* ---- keepalive ---- */

void cwrs_keepalive_init(struct cwrs_conn *conn);
/* @conn was accepted. */
void cwrs_keepalive_start(struct cwrs_conn *conn);
/* Called before the endpoint is drained. May sleep. */
void cwrs_keepalive_stop(struct cwrs_conn *conn);

/* ---- the class of the transport ---- */

extern struct svc_xprt_class cwrs_class;
extern struct workqueue_struct *cwrs_workqueue;
extern unsigned int cwrs_inline; /* bytes of a message to be offered, not yet clamped */
extern unsigned int cwrs_credits;

struct svc_xprt *cwrs_listener_create(struct svc_serv *serv, struct net *net, struct sockaddr *sa,
				      int salen, int flags);
extern const struct svc_xprt_ops cwrs_listener_ops;
/* From here on, listeners that are bound to an address follow the address. */
int cwrs_listeners_register(void);
void cwrs_listeners_unregister(void);

#endif
