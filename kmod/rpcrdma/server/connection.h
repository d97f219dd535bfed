/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server's end of one connection.
 *
 * The files of this folder:
 *
 *   listener.c	listeners, and requests of clients to connect
 *   connection.c	a svc_xprt on an endpoint of causeway.ko, from set-up to end
 *   keepalive.c	ends connections of clients that have become silent
 *   receives.c	receives: their memory and number, post and completion
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

#include "../../core/verbs/endpoint.h"
#include "../netlink/connections.h"
#include "../wire/private_data.h"

struct cwrs_connection {
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

/**
 * cwrs_connection() - returns the connection around a struct svc_xprt
 * @xprt: member of a struct cwrs_connection
 *
 * Context: Any context.
 * Return: The connection.
 */
static inline struct cwrs_connection *cwrs_connection(struct svc_xprt *xprt)
{
	return container_of(xprt, struct cwrs_connection, xprt);
}

/**
 * cwrs_device() - returns the device of a connection
 * @conn: connection with a queue pair
 *
 * Context: Any context.
 * Return: The device.
 */
static inline struct ib_device *cwrs_device(const struct cwrs_connection *conn)
{
	return conn->ep.domain->device->ib;
}

/**
 * cwrs_is_dead() - checks whether the endpoint of a connection is dead
 * @conn: connection
 *
 * Context: Any context.
 * Return: True if the endpoint is dead.
 */
static inline bool cwrs_is_dead(const struct cwrs_connection *conn)
{
	return READ_ONCE(conn->ep.state) == CW_EP_DEAD;
}

/**
 * cwrs_count_completions() - counts the completions of sends since the last call
 * @conn: connection
 *
 * Context: Softirq, in a completion handler of @conn; or any context after the last completion.
 */
static inline void cwrs_count_completions(struct cwrs_connection *conn)
{
	unsigned long now = READ_ONCE(conn->ep.send_completions);

	cwr_count(&conn->info, CW_NFS_SEND_COMPLETIONS, now - conn->send_completions);
	conn->send_completions = now;
}

/**
 * cwrs_has_data() - marks that one of the lists has work for a thread of nfsd
 * @conn: connection
 *
 * Context: The caller holds rx_lock.
 */
static inline void cwrs_has_data(struct cwrs_connection *conn)
{
	lockdep_assert_held(&conn->rx_lock);
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
}

/**
 * cwrs_connection_create() - makes a connection for a request
 * @listener: the listener that got the request
 * @cm: the new id
 * @asked: parameters of the request
 *
 * nfsd has not accepted the connection yet; until then cwrs_connection_discard() ends it.
 *
 * Context: Handler of the connection manager, for the request. May sleep.
 * Return: The connection, or NULL if there is no memory.
 */
struct cwrs_connection *cwrs_connection_create(struct svc_xprt *listener, struct rdma_cm_id *cm,
					       const struct rdma_conn_param *asked);

/**
 * cwrs_connection_discard() - ends a connection that nfsd has not accepted
 * @conn: connection. The caller uses it no more.
 *
 * Context: Process context.
 */
void cwrs_connection_discard(struct cwrs_connection *conn);
/**
 * cwrs_connection_accept() - makes the queue pair and the memory, and accepts the request
 * @conn: the connection
 *
 * Context: Process context. May sleep.
 * Return: 0, or -errno. After an error the caller discards @conn.
 */
int cwrs_connection_accept(struct cwrs_connection *conn);

extern struct svc_xprt_class cwrs_class;
extern struct workqueue_struct *cwrs_workqueue;
extern unsigned int cwrs_inline; /* bytes of a message to be offered, not yet clamped */
extern unsigned int cwrs_credits;

#endif
