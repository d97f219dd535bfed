/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An endpoint: a connection manager id, a queue pair and a completion queue, with their states.
 *
 * An endpoint does not know messages. Its owner embeds it and posts chains of work requests (struct
 * cw_post). Receives are reported to the completion entries of the owner's receive requests.
 */
#ifndef CW_ENDPOINT_H
#define CW_ENDPOINT_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "../../../include/wire/causeway_wire.h"
#include "device.h"
#include "endpoint_state.h"

struct cw_endpoint;

/*
 * A chain of work requests on the send queue. The last one carries @cqe. It is signalled if @signal
 * is set, or if the endpoint needs a completion to free the send queue.
 *
 * complete() is called once, in the order of the posts, when the adapter needs nothing of the chain
 * any more: the chain or a later one has completed, or the queue pair was drained. @err is 0,
 * -EREMOTEIO if the peer refused this chain or a later one, or another error.
 *
 * A chain with @fetches does RDMA READs. It has @signal, and only its own completion completes it:
 * see send_queue.c.
 */
struct cw_post {
	struct list_head entry;
	struct ib_cqe cqe;
	struct ib_send_wr *first;
	struct ib_send_wr *last;
	u16 wrs;
	bool signal;
	bool fetches;
	void (*complete)(struct cw_post *post, int err);
};

/* An RDMA WRITE of no bytes, which the adapter of a peer that is alive acknowledges. */
struct cw_probe {
	struct cw_post post;
	struct ib_rdma_wr wr;
	bool under_way;
	/* The probe ended; cw_probe_is_under_way() is false already. @err as for a post. */
	void (*answered)(struct cw_probe *probe, int err);
};

struct cw_endpoint_ops {
	/* The connection is established. Softirq or process context. */
	void (*live)(struct cw_endpoint *ep);
	/* The endpoint is dead. Called once, in any context. @reason is a text for people. */
	void (*down)(struct cw_endpoint *ep, int err, const char *reason);
};

struct cw_endpoint_shape {
	u32 recvs; /* most receives that are posted */
	u32 sends; /* work requests of sends, without those of transfers */
	u32 sges; /* fragments of one send; 0: as many as the messages of a link have */
	u32 transfers; /* most RDMA READs and WRITEs at once (rdma_rw) */
	/*
	 * Memory regions in the pool of rdma_rw, where the adapter reads or writes through regions.
	 * The pool has at least @transfers. The send queue has no room of its own for the work
	 * requests of regions: a chain that finds no room waits.
	 */
	u32 regions;
	enum ib_poll_context poll;
	struct workqueue_struct *workqueue; /* completes on it if it is set, whatever @poll is */
	u32 vector; /* completion vector, modulo what the device has */
};

#define CW_EP_REP 48 /* bytes of an acceptance that are kept */
#define CW_EP_BATCH 8 /* completions taken at once */

struct cw_endpoint {
	const struct cw_endpoint_ops *ops;
	/* Client, for both ends: retries of an unacknowledged packet; 7: endless on Soft-RoCE. */
	u8 retries;
	struct net *net; /* client: init_net unless the owner sets and holds another one */
	struct rdma_cm_id *cm; /* NULL before the address is resolved, and after the drain */
	/* Copies of members of @cm: set when the device is known, and when connected. */
	u32 port_num;
	struct sockaddr_storage local, peer;
	struct cw_domain *domain;
	struct ib_cq *cq;
	struct workqueue_struct *workqueue; /* NULL: the RDMA core polls the completion queue */
	struct work_struct poll_work;
	struct ib_wc wc[CW_EP_BATCH];
	bool polling_stopped;
	unsigned long last_poll; /* cookie of the grace period that outlasts the last poll */
	struct ib_qp *qp;
	struct list_head device_entry;
	bool joined;
	int ifindex; /* of the connection's network interface; set before it joins */
	__be32 ipv4; /* address of this end, 0 if not IPv4; set before it joins */

	spinlock_t state_lock; /* irqsave */
	enum cw_endpoint_state state;
	int error; /* -errno of the death */
	struct completion reported; /* ops->down() has returned */
	wait_queue_head_t changed; /* the state changed */
	int unresolved; /* client: -errno of the last attempt to resolve the address */
	u8 rej[sizeof(struct cw_wire_rej)]; /* client: private data of a rejection */
	u8 rej_len;
	u8 rep[CW_EP_REP]; /* client: private data of the acceptance, as much as fits */
	u8 rep_len;

	spinlock_t sq_lock; /* irqsave: posted, waiting, counts */
	struct list_head posted;
	struct list_head waiting; /* posts that the send queue has no room for yet */
	u32 sq_size;
	u32 longest; /* most work requests of a chain; a longer one ends the connection */
	u32 send_sges; /* most fragments of one send */
	u32 sq_free;
	u32 unsignalled; /* work requests since the last signalled one */
	bool drained;
	unsigned long send_completions; /* under sq_lock */
};

/**
 * cw_endpoint_init() - initialise an endpoint
 * @ep: endpoint in zeroed memory
 * @ops: callbacks of the owner
 *
 * Context: Any context.
 */
void cw_endpoint_init(struct cw_endpoint *ep, const struct cw_endpoint_ops *ops);

/* ---- client, in this order ---- */

/**
 * cw_endpoint_resolve() - resolve an address, and bind the endpoint to a device
 * @ep: endpoint that was initialised
 * @src: address of this end, or NULL for any
 * @dst: address of the peer
 * @timeout_ms: time limit, in milliseconds
 *
 * On success ep->cm->device is valid.
 *
 * Context: Process context. Sleeps up to @timeout_ms.
 * Return: 0 or -errno. After an error the caller destroys the endpoint.
 */
int cw_endpoint_resolve(struct cw_endpoint *ep, const struct sockaddr *src,
			const struct sockaddr *dst, u32 timeout_ms);
/**
 * cw_endpoint_create_qp() - create the queue pair of an endpoint
 * @ep: client: endpoint that was resolved; server: endpoint that has adopted its id
 * @domain: protection domain, on the endpoint's device. The endpoint takes a reference.
 * @shape: sizes of the queues
 *
 * The owner posts its receives after this call, and before it connects or accepts.
 *
 * Context: Process context. May sleep.
 * Return: 0, -EOPNOTSUPP if the device cannot have queues of these sizes, or another -errno.
 */
int cw_endpoint_create_qp(struct cw_endpoint *ep, struct cw_domain *domain,
			  const struct cw_endpoint_shape *shape);
/**
 * cw_endpoint_connect() - connect to the peer
 * @ep: endpoint with a queue pair
 * @req: private data of the request
 * @req_len: bytes of @req
 * @timeout_ms: time limit, in milliseconds
 *
 * The private data of the answer is in ep->rep, or in ep->rej if the peer rejected the request.
 *
 * Context: Process context. Sleeps up to @timeout_ms.
 * Return: 0, -EAGAIN if an endpoint with another queue pair may succeed, or another -errno.
 */
int cw_endpoint_connect(struct cw_endpoint *ep, const void *req, u8 req_len, u32 timeout_ms);

/* ---- server, in the connection manager's handler of the request ---- */

/**
 * cw_endpoint_adopt() - give the id of a connection request to an endpoint
 * @ep: endpoint that was initialised
 * @cm: id of the request. The endpoint owns it unless the caller's handler returns non-zero.
 *
 * The endpoint receives the events of @cm from now on.
 *
 * Context: Handler of the connection manager.
 */
void cw_endpoint_adopt(struct cw_endpoint *ep, struct rdma_cm_id *cm);
/**
 * cw_endpoint_accept() - accept the request of a client
 * @ep: endpoint with a queue pair
 * @asked: parameters of the request. Their limits of RDMA READs bind this end.
 * @rep: private data of the acceptance
 * @rep_len: bytes of @rep
 *
 * Context: Handler of the connection manager. May sleep.
 * Return: 0 or -errno.
 */
int cw_endpoint_accept(struct cw_endpoint *ep, const struct rdma_conn_param *asked,
		       const void *rep, u8 rep_len);
/**
 * cw_endpoint_refuse_access() - have the queue pair refuse RDMA READ and WRITE of the peer
 * @ep: endpoint that was accepted, whose owner registers no memory for the peer
 *
 * A cw_endpoint_probe() of the peer is refused too. On iWARP nothing changes, because the sink of
 * an RDMA READ by this end needs remote access there.
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_endpoint_refuse_access(struct cw_endpoint *ep);

/* ---- both ---- */

/**
 * cw_endpoint_seen() - note that a message has arrived
 * @ep: endpoint whose owner received a message
 *
 * The connection is established, even if the connection manager has not reported it yet. Unless the
 * endpoint is connecting, nothing happens: a receive path asks cw_endpoint_is_connecting() first.
 *
 * Context: Any context. Takes state_lock.
 */
void cw_endpoint_seen(struct cw_endpoint *ep);

/**
 * cw_endpoint_post() - post a chain of work requests
 * @ep: endpoint with a queue pair
 * @post: chain. It belongs to the endpoint until complete() is called, which always happens.
 *
 * A chain for which the send queue has no room waits. Chains go out in the order of the calls. On a
 * dead endpoint the drain completes the chain.
 *
 * Context: Any context. Takes sq_lock.
 */
void cw_endpoint_post(struct cw_endpoint *ep, struct cw_post *post);

/**
 * cw_endpoint_post_now() - post a chain of work requests, and let softirqs run
 * @ep: endpoint with a queue pair
 * @post: chain, as for cw_endpoint_post()
 *
 * A driver may do its work in softirqs; Soft-RoCE of Linux 6.1 does all of it there. Those softirqs
 * have run when this function returns. Left to ksoftirqd they would cost two context switches. A
 * caller that has more chains to post uses cw_endpoint_post(), so that the chains leave together.
 *
 * Context: Process context, interrupts enabled. Takes sq_lock.
 */
void cw_endpoint_post_now(struct cw_endpoint *ep, struct cw_post *post);

/**
 * cw_endpoint_probe() - check whether the adapter of the peer answers
 * @ep: endpoint with a queue pair
 * @probe: probe. Its answered() is set, and reports the result.
 *
 * A probe is an RDMA WRITE of no bytes: it needs no receive of the peer and touches no memory.
 * answered() gets -EREMOTEIO if the peer refuses RDMA WRITEs; the queue pair is dead then. Nothing
 * happens while @probe is under way.
 *
 * Context: Any context. The caller serialises calls with one @probe. Takes sq_lock.
 */
void cw_endpoint_probe(struct cw_endpoint *ep, struct cw_probe *probe);

/**
 * cw_probe_is_under_way() - check whether a probe waits for its answer
 * @probe: probe
 *
 * Context: Any context.
 * Return: True from cw_endpoint_probe() until answered() is about to be called.
 */
static inline bool cw_probe_is_under_way(const struct cw_probe *probe)
{
	return READ_ONCE(probe->under_way);
}

/**
 * cw_endpoint_kill() - mark an endpoint as dead
 * @ep: endpoint
 * @err: -errno of the death
 * @fmt: format of the reason, a text for people, and its arguments
 *
 * The first call counts: its error and reason are kept, and it calls ops->down(). The owner then
 * drains the endpoint in process context.
 *
 * Context: Any context. Takes state_lock.
 * Return: True if this call killed the endpoint.
 */
__printf(3, 4) bool cw_endpoint_kill(struct cw_endpoint *ep, int err, const char *fmt, ...);

/**
 * cw_endpoint_await_report() - wait until ops->down() has returned
 * @ep: endpoint that is dead, or that the caller has killed
 *
 * Two threads may kill an endpoint at once. The one that comes second waits here, if it needs the
 * reason that the first one gives.
 *
 * Context: Process context. Sleeps. Not in ops->down(), which must not sleep.
 */
void cw_endpoint_await_report(struct cw_endpoint *ep);

/**
 * cw_endpoint_disconnect() - kill an endpoint, and disconnect it from the peer
 * @ep: endpoint
 *
 * The adapter flushes the work requests that are posted. This function is for an owner whose users
 * may still call cw_endpoint_post(); they must stop before the drain.
 *
 * Context: Process context. May sleep. Must not run beside cw_endpoint_drain().
 */
void cw_endpoint_disconnect(struct cw_endpoint *ep);

/**
 * cw_endpoint_drain() - disconnect, and wait until the adapter uses no memory of the owner
 * @ep: endpoint. A second drain does nothing.
 *
 * Every post is completed, the id of the connection manager is destroyed, and the endpoint has left
 * its device. Afterwards the owner gets no callback but events of the queue pair, which end when
 * the endpoint is destroyed.
 *
 * Context: Process context. Sleeps. A handler of the connection manager may call it only after the
 * owner has set @ep->cm to NULL.
 */
void cw_endpoint_drain(struct cw_endpoint *ep);

/**
 * cw_endpoint_destroy() - drain an endpoint, and free its queues
 * @ep: endpoint; it may have no queue pair
 *
 * Context: Process context. Sleeps. As cw_endpoint_drain().
 */
void cw_endpoint_destroy(struct cw_endpoint *ep);

/**
 * cw_endpoint_is_connecting() - check whether the answer of the peer is awaited
 * @ep: endpoint
 *
 * Context: Any context.
 * Return: True after the request was sent or accepted, until the endpoint is live or dead.
 */
static inline bool cw_endpoint_is_connecting(const struct cw_endpoint *ep)
{
	return READ_ONCE(ep->state) == CW_EP_CONNECTING;
}

/* ---- inside verbs/ ---- */

/**
 * cw_endpoint_change() - change the state of an endpoint
 * @ep: endpoint
 * @to: next state
 * @err: -errno, kept in @ep if the state is CW_EP_DEAD
 *
 * Wakes the waiters of @ep->changed.
 *
 * Context: Any context. Takes state_lock.
 * Return: True if this call made the change; false if @to may not follow the present state.
 */
bool cw_endpoint_change(struct cw_endpoint *ep, enum cw_endpoint_state to, int err);
/**
 * cw_endpoint_create_cq() - create the completion queue of an endpoint
 * @ep: endpoint
 * @cqes: number of completions that it holds
 * @shape: how completions are polled
 *
 * Context: Process context. May sleep.
 * Return: The completion queue or an ERR_PTR().
 */
struct ib_cq *cw_endpoint_create_cq(struct cw_endpoint *ep, u32 cqes,
				    const struct cw_endpoint_shape *shape);
/**
 * cw_endpoint_stop_polling() - let the RDMA core poll the completion queue no more
 * @ep: endpoint; its queue pair is drained
 *
 * A poll that runs now may still look at the queue, and cw_endpoint_free_cq() waits for it. If all
 * endpoints of several are stopped first, their grace periods pass at the same time.
 *
 * Context: Process context. May sleep. Once for each completion queue.
 */
void cw_endpoint_stop_polling(struct cw_endpoint *ep);
/**
 * cw_endpoint_free_cq() - free the completion queue of an endpoint
 * @ep: endpoint without a queue pair; it may have no completion queue
 *
 * Waits for a grace period of RCU, unless one has passed since cw_endpoint_stop_polling().
 *
 * Context: Process context. May sleep.
 */
void cw_endpoint_free_cq(struct cw_endpoint *ep);

#endif
