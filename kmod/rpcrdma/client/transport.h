/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client transport, which all files of this folder share.
 *
 *   call.c         a call: the memory of an RPC, and the parts of it that the adapter may still use
 *   regions.c      memory regions of a queue pair
 *   chunks.c       memory of a call that is registered for the server
 *   whole.c        calls and replies that are registered as a whole
 *   receives.c     receives of a queue pair
 *   connection.c   one queue pair: keepalive, and its end
 *   message.c      the message of a call: its fragments, and its post
 *   rails.c        the queue pairs of a transport: choice for a call; the window of credits
 *   session.c      calls that must use a certain queue pair
 *   backchannel.c  calls of the server
 *   reply.c        received messages
 *   send.c         sends an RPC
 *   open.c         opens queue pairs, from which addresses, and again after a pause
 *   reap.c         ends queue pairs: one alone, or all
 *   request.c      the other operations on an RPC
 *   transport.c    the xprt classes and operations
 *
 * A file calls functions of files above it, and of none below it.
 *
 * A rail is a place for one queue pair in a transport, and the queue pair in it. A connection is
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
 * Locks: the transport (XPRT_LOCKED) > rails_lock > xprt->transport_lock > calls_lock >
 * xprt->queue_lock > xprt->pending.lock; bc_pa_lock > locks of the callback service; rails_lock and
 * regions_lock > locks of the endpoint. None is taken in interrupts or softirqs.
 */
#ifndef CWRC_TRANSPORT_H
#define CWRC_TRANSPORT_H

#include <linux/sunrpc/xprt.h>
#include <linux/workqueue.h>

#include "../netlink/connections.h"

#define CWRC_RAILS 16 /* queue pairs of one transport, at most */

struct cwrc_connection;

/* The reason why an empty rail is not opened yet. */
struct cwrc_past {
	u32 deaths; /* each sooner than CWRC_FORGIVEN after the rail was opened */
	unsigned long retry_at; /* jiffies; 0: at once */
};

struct cwrc_transport {
	struct rpc_xprt xprt;
	struct cwr_connection info;
	struct rpc_timeout timeout; /* if SunRPC asked for another one than the default */
	struct delayed_work connect;

	/* rails.c has a table of these fields and their locks. */
	spinlock_t rails_lock;
	struct cwrc_connection *rail[CWRC_RAILS];
	struct cwrc_past past[CWRC_RAILS];
	struct cwrc_connection *opening; /* being opened by the work open; may be killed */
	struct delayed_work open; /* opens empty rails */
	bool opens; /* rails may be added */
	struct work_struct reap; /* handles queue pairs that failed */
	bool reap_waits; /* the reaper waits for the transport */
	bool reap_holds; /* the transport was passed to the reaper */
	u32 rails; /* how many rails are wanted */
	u32 next_rail; /* where the search for a rail with credit begins */
	u32 bind_rail; /* rail of the next call that uses each rail in turn */
	atomic_t made; /* number of queue pairs made so far */
	int orphans; /* replies that the server owes to RPCs that have ended */
	u32 unanswered; /* calls sent on a queue pair that is gone, and not sent again */
	struct sockaddr_storage local; /* local address of the first rail, port 0 */
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

/**
 * cwrc_transport_of() - returns the transport around a struct rpc_xprt
 * @xprt: member of a struct cwrc_transport
 *
 * Context: Any context.
 * Return: The transport.
 */
static inline struct cwrc_transport *cwrc_transport_of(struct rpc_xprt *xprt)
{
	return container_of(xprt, struct cwrc_transport, xprt);
}

/**
 * cwrc_register() - registers the xprt class of the client, when the module is loaded
 *
 * Context: Process context. May sleep.
 * Return: 0, -ENOMEM, or -EEXIST if another module has registered the class.
 */
int cwrc_register(void);

/**
 * cwrc_unregister() - undoes cwrc_register(), when the module is unloaded
 *
 * Context: Process context. Sleeps.
 */
void cwrc_unregister(void);

extern struct workqueue_struct *cwrc_workqueue; /* for works that may sleep */
extern struct workqueue_struct *cwrc_completions;

#endif
