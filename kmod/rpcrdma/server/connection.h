/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server end of one connection, as the files of this folder share it.
 *
 *	listener.c	who knocks, and how a connection is made
 *	connection.c	its life as a svc_xprt on an endpoint of causeway.ko
 *	keepalive.c	its end when the client says nothing any more
 *	receives.c	memory of receives, and how many there are
 *	receive.c	recvfrom: from a message to a call for nfsd
 *	pull.c		RDMA Reads of what a call left in the client's memory
 *	reply.c		sendto: from nfsd's answer to RDMA Writes and a Send
 *	send.c		memory and work requests of what goes out
 *	bulk.c		RDMA Reads and Writes of many pages
 *	pages.c		pages that are used again
 *	sysctl.c	/proc/sys/sunrpc/svc_rdma
 *	limits.c	the bound of memory of all connections, and counts of what met a bound
 *	backchannel.c	calls of the server to the client
 */
#ifndef CWRS_CONNECTION_H
#define CWRS_CONNECTION_H

#include <linux/sunrpc/svc_xprt.h>
#include <linux/workqueue.h>
#include <rdma/rw.h>

#include "../../core/verbs/buffers.h"
#include "../../core/verbs/endpoint.h"
#include "../netlink/connections.h"
#include "../wire/header.h"
#include "../wire/private_data.h"
#include "../wire/sizes.h"

#define CWRS_SEGMENTS 20 /* of a message, without further memory */
#define CWRS_SEGMENTS_MAX 256 /* of a message */
#define CWRS_MESSAGE_MIN 8 /* bytes of an RPC message: its number, and what it is */
#define CWRS_CALL_MIN 40 /* bytes of an RPC call with empty credentials (RFC 5531) */
#define CWRS_RECEIVES 16U /* at first, and in each further set */
#define CWRS_BACK_CALLS 16 /* of ours to the client, at once */
#define CWRS_REGIONS_MIN 128U /* memory regions of a queue pair, at least */
#define CWRS_REGIONS_MAX 256U
#define CWRS_REGION_PAGES 256U /* most that the RDMA core gives a region */
#define CWRS_COPY_MAX 8192U /* bytes of data that are copied, not lent to the adapter */
#define CWRS_PUSHES 4 /* RDMA Writes of a reply out of its own memory */

struct cwrs_conn;
struct cwrs_held;
struct cwrs_receive;

/* ---- limits ---- */

enum cwrs_limit {
	CWRS_PARKED, /* a call's data waits: its client has as much under way as it may */
	CWRS_STARVED, /* a call's data waits for a memory region */
	CWRS_REFUSED, /* a connection was refused for want of memory */
	CWRS_LIMITS
};

/* Pages that a connection holds from now on, or gives back (negative). Any context. */
void cwrs_memory_add(long pages);
/* Whether connections hold as much as they may, all together. Any context. */
bool cwrs_memory_is_scarce(void);

/* Counts it. Any context. */
void cwrs_limit_met(enum cwrs_limit limit);

/* ---- data that moves by RDMA Read or Write ---- */

/* One contiguous range of the peer's memory. */
struct cwrs_transfer {
	struct rdma_rw_ctx rw;
	struct scatterlist *sgl;
	u32 nents;
};

/* Several, with the pages they read from or write to. */
struct cwrs_bulk {
	enum dma_data_direction dir;
	u16 transfers, transfer_room;
	u32 sgs, sg_room;
	u32 wrs; /* work requests of all of them */
	u32 pages; /* which it owns */
	struct page **page;
	struct scatterlist *sgl;
	struct cwrs_transfer transfer[];
};

struct cwrs_bulk *cwrs_bulk_alloc(u16 transfers, u32 sgs, u32 pages, enum dma_data_direction dir);
/* The next @nents entries of the list, for cwrs_bulk_add(). */
struct scatterlist *cwrs_bulk_list(struct cwrs_bulk *bulk, u32 nents);
int cwrs_bulk_add(struct cwrs_conn *conn, struct cwrs_bulk *bulk, u32 nents, u32 handle,
		  u64 offset);
/* All its work requests before @next, which may be NULL: then the last of them carries @cqe. */
struct ib_send_wr *cwrs_bulk_chain(struct cwrs_conn *conn, struct cwrs_bulk *bulk,
				   struct ib_cqe *cqe, struct ib_send_wr *next);
/* The adapter is done with it: the pages may be read. Any context. */
void cwrs_bulk_unmap(struct cwrs_conn *conn, struct cwrs_bulk *bulk);
/* Unmaps, gives its pages back. NULL is fine. Any context. */
void cwrs_bulk_free(struct cwrs_conn *conn, struct cwrs_bulk *bulk);

/* ---- pages ---- */

/* Up to @count pages that the connection kept; how many. Process context, as the others. */
u32 cwrs_spares_take(struct cwrs_conn *conn, struct page **page, u32 count);
/* Keeps as many as it may, frees the others; writes to @page. The adapter is done with them. */
void cwrs_spares_give(struct cwrs_conn *conn, struct page **page, u32 count);
void cwrs_spares_free(struct cwrs_conn *conn);
/* Frees those that were not needed since it was called last. */
void cwrs_spares_trim(struct cwrs_conn *conn);
/* Before nfsd has the call: those pages of @rqstp that it may replace stay allocated. */
void cwrs_hold(struct cwrs_receive *rx, struct svc_rqst *rqstp);
/* When the pages of the answer have left @rqstp: gives back to it those that were replaced. */
void cwrs_hold_end(struct cwrs_receive *rx, struct svc_rqst *rqstp);
/* There was no answer. */
void cwrs_hold_drop(struct cwrs_receive *rx);

/* ---- receives ---- */

/* Data of an answer that may leave by a write chunk, as nfsd tells of it. */
struct cwrs_result {
	u32 offset; /* in the answer */
	u32 length;
};

/* What a call has in the client's memory. */
struct cwrs_pull {
	struct cw_post post;
	struct cwrs_bulk *bulk; /* NULL: nothing is fetched or held */
	u32 length; /* bytes of the message in its pages */
	u32 pages;
	bool parked;
	bool waited; /* it was parked before */
	bool reserved; /* they are in conn->pulling */
};

/*
 * A receive: posted; then in arrived; perhaps in parked, or with the adapter that pulls, then in
 * pulled; then of the thread of nfsd that has the call, as its rq_xprt_ctxt.
 */
struct cwrs_receive {
	struct cwrs_conn *conn;
	struct list_head entry;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	const struct cw_buffer *buf;
	u32 length; /* bytes of the message */
	bool parsed;
	bool is_call; /* and counted as one under way */
	u8 results;
	struct cwrs_result result[CWR_WRITE_CHUNKS];
	struct cwrs_pull pull;
	struct cwrs_held *held; /* pages of the thread that has the call, or NULL */
	struct cwr_header header;
	struct cwr_segment *segment; /* own, or more */
	struct cwr_segment own[CWRS_SEGMENTS];
};

/*
 * The first receives, posted, and as many credits. Where there is no memory for large ones it
 * lowers receive_inline. 0 or -errno. May sleep.
 */
int cwrs_receives_make(struct cwrs_conn *conn);
/* Adds @count posted receives. -ENOMEM: nothing changed; others: the queue pair refuses. Sleeps. */
int cwrs_receives_add(struct cwrs_conn *conn, u32 count);
/* A message came. In the context of completions. */
void cwrs_receives_count(struct cwrs_conn *conn);
/* CWRS_WANTS_RECEIVES is set: more receives and credits, if there is memory. May sleep. */
void cwrs_receives_grow(struct cwrs_conn *conn);
/* The queue pair is drained, and nobody has a call. */
void cwrs_receives_free(struct cwrs_conn *conn);
/* The completion handler of a receive. */
void cwrs_received(struct ib_cq *cq, struct ib_wc *wc);
int cwrs_receive_post(struct cwrs_receive *rx);
/* Gives back what a call had besides its message. Process context. */
void cwrs_receive_clear(struct cwrs_receive *rx);
/* Gives a receive back to the adapter; nobody looks at the call any more. Process context. */
void cwrs_receive_put(struct cwrs_receive *rx);
int cwrs_recvfrom(struct svc_rqst *rqstp);
/* Marks a call as one from a port that only root can have. */
void cwrs_conn_secure_port(struct svc_rqst *rqstp);

/*
 * Starts to fetch the chunks of @rx into pages of @rqstp; when they are there @rx is in pulled. 0;
 * -EAGAIN: later, as much as may be is being fetched; -ENOBUFS: later, others have the memory
 * regions; -EPROTO: more than we can take; -ENOMEM.
 */
int cwrs_pull_start(struct cwrs_receive *rx, struct svc_rqst *rqstp);
/* Puts the call together. -EPROTO: it is no call. */
int cwrs_pull_finish(struct cwrs_receive *rx, struct svc_rqst *rqstp);
void cwrs_pull_free(struct cwrs_receive *rx);
/* Keeps @rx until something that is fetched or held was let go; @starved: it got no region. */
void cwrs_pull_park(struct cwrs_receive *rx, bool starved);
/* Under rx_lock: the parked receive that may go on now, or NULL. */
struct cwrs_receive *cwrs_pull_parked(struct cwrs_conn *conn);
/* Under rx_lock, off its list: what was parked has its pages reserved. */
void cwrs_pull_unpark(struct cwrs_receive *rx);

/* ---- sends ---- */

/* A message to the client, in memory of its own. */
struct cwrs_send {
	struct cwrs_conn *conn;
	struct list_head entry; /* conn->tx_free */
	struct list_head made; /* conn->tx_made */
	struct cw_post post;
	struct ib_send_wr wr;
	struct ib_sge sge;
	struct cwrs_bulk *bulk;
	u32 pages; /* of the bulk, counted in conn->pushing */
	u8 pushes;
	struct ib_cqe push_cqe; /* heard of only when one fails */
	struct ib_rdma_wr push[CWRS_PUSHES];
	struct ib_sge push_sge[CWRS_PUSHES];
	u8 *data; /* conn->tx_size bytes */
	u64 dma;
};

/* NULL: no memory. Process context; sleeps as @gfp lets it. */
struct cwrs_send *cwrs_send_get(struct cwrs_conn *conn, gfp_t gfp);
void cwrs_send_put(struct cwrs_send *send);
/* An RDMA Write of @length bytes at @at of its memory, before the Send; at most CWRS_PUSHES. */
void cwrs_send_push(struct cwrs_send *send, u32 at, u32 length, u32 handle, u64 offset);
/* Posts what was pushed, then the first @length bytes. @invalidate: a key of the client, or 0. */
void cwrs_send_post(struct cwrs_send *send, u32 length, u32 invalidate);
void cwrs_sends_free(struct cwrs_conn *conn);
/* Frees those that were not needed since it was called last. Process context. */
void cwrs_sends_trim(struct cwrs_conn *conn);

int cwrs_sendto(struct svc_rqst *rqstp);
int cwrs_result_payload(struct svc_rqst *rqstp, unsigned int offset, unsigned int length);
/* Answers a bad call; @err as cwr_parse_call() has it. Gives @rx back. */
void cwrs_send_error(struct cwrs_receive *rx, int err);

/* ---- backchannel ---- */

int cwrs_back_register(void);
void cwrs_back_unregister(void);
/* A reply of the client to a call of ours came in @rx. In a thread of nfsd. */
void cwrs_back_reply(struct cwrs_receive *rx);

/* ---- connection ---- */

struct cwrs_conn {
	struct svc_xprt xprt;
	struct cw_endpoint ep;
	struct list_head entry; /* the listener's, until accepted */
	struct rdma_conn_param asked;
	struct cwr_private peer;
	u32 receive_inline, send_inline; /* bytes of a message, as negotiated */
	u32 credits, credits_most; /* granted now, granted to a busy client */
	bool may_pull; /* the client answers RDMA Reads */
	bool may_invalidate;

	spinlock_t rx_lock; /* bh: the lists, and what is pulled */
	struct list_head arrived, parked, pulled;
	u32 pulling; /* pages that await or hold data of calls */
	bool starved; /* no region is left for what is parked, until something ends */
	u32 pages_most; /* of pulling, and of pushing */
	u32 regions; /* memory regions of the queue pair, for adapters that read through them */
	u32 region_pages; /* pages that one of them covers */
	spinlock_t spares_lock; /* spare, spares */
	struct list_head spare; /* pages, for data of calls to come */
	u32 spares, spares_most;
	u32 spares_least; /* since the last look */
	struct list_head rx_sets; /* all receives */
	u32 burst; /* messages of about a second; in the context of completions */
	unsigned long burst_end; /* jiffies */

	spinlock_t tx_lock; /* bh: tx_free, tx_made */
	struct list_head tx_free, tx_made;
	u32 tx_spare, tx_least; /* of tx_free: now, and the fewest since the last look */
	u32 tx_size; /* bytes of a send's memory */
	atomic_t tx_busy;
	atomic_t pushing; /* pages that the adapter sends answers from */
	unsigned long flags;
#define CWRS_STALLED 0 /* calls wait until sends have completed */
#define CWRS_WANTS_RECEIVES 1 /* the client has more calls than credits */
#define CWRS_MAKES_RECEIVES 2 /* a thread sees to that */
#define CWRS_HAS_BACK_RECEIVES 3 /* for replies to calls of ours */

	struct cwr_connection info;
	unsigned long send_completions; /* counted so far; in the context of completions */
	struct work_struct close_work, free_work;

	struct delayed_work look;
	u64 heard; /* messages, at the last look */
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

/* In the context of completions, or when there are none any more. */
static inline void cwrs_count_completions(struct cwrs_conn *conn)
{
	unsigned long now = READ_ONCE(conn->ep.send_completions);

	cwrs_count(conn, CW_NFS_SEND_COMPLETIONS, now - conn->send_completions);
	conn->send_completions = now;
}

/* Something for a thread of nfsd to do is in a list. Under rx_lock. */
static inline void cwrs_has_data(struct cwrs_conn *conn)
{
	lockdep_assert_held(&conn->rx_lock);
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
}

/*
 * In the handler of a connection request: a connection around @cm that nobody has accepted yet.
 * NULL: no memory. cwrs_conn_discard() ends one that nfsd has not seen.
 */
struct cwrs_conn *cwrs_conn_create(struct svc_xprt *listener, struct rdma_cm_id *cm,
				   const struct rdma_conn_param *asked);
void cwrs_conn_discard(struct cwrs_conn *conn);
/* Makes its queue pair and its memory, and answers the request. May sleep. */
int cwrs_conn_accept(struct cwrs_conn *conn);

/* ---- sysctl ---- */

/* Process context. Without it all works. */
void cwrs_sysctl_register(void);
void cwrs_sysctl_unregister(void);

/* ---- keepalive ---- */

void cwrs_keepalive_init(struct cwrs_conn *conn);
/* It was accepted. */
void cwrs_keepalive_start(struct cwrs_conn *conn);
/* Before the endpoint is drained. May sleep. */
void cwrs_keepalive_stop(struct cwrs_conn *conn);

/* ---- the class ---- */

extern struct svc_xprt_class cwrs_class;
extern struct workqueue_struct *cwrs_workqueue;
extern unsigned int cwrs_inline; /* bytes to offer, unchecked */
extern unsigned int cwrs_credits;

struct svc_xprt *cwrs_listener_create(struct svc_serv *serv, struct net *net, struct sockaddr *sa,
				      int salen, int flags);
extern const struct svc_xprt_ops cwrs_listener_ops;
/* Listeners of one address follow it from here on. */
int cwrs_listeners_register(void);
void cwrs_listeners_unregister(void);

#endif
