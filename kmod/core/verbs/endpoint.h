/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An endpoint: a connection manager id, a queue pair and a completion queue, with their states.
 *
 * It knows nothing of messages. Its owner embeds it, posts chains of work requests (struct
 * cw_post), and is told of receives by the completion entries of its own receive requests.
 */
#ifndef CW_ENDPOINT_H
#define CW_ENDPOINT_H

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
 * A chain of work requests on the send queue. The last of them carries @cqe; it is signalled when
 * @signal is set or the endpoint finds that it is time. complete() is called once, in order of
 * posting, when the adapter no longer needs anything of the chain: it or a later one completed, or
 * the queue pair was drained. @err: 0; -EREMOTEIO: the peer refused this one or a later; or other.
 * A chain that @fetches, by RDMA READ, has @signal and completes by itself alone: see send_queue.c.
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

/* An RDMA WRITE of no bytes: whether the peer's adapter still answers. One at a time. */
struct cw_probe {
	struct cw_post post;
	struct ib_rdma_wr wr;
	bool under_way;
	/* It ended; cw_probe_is_under_way() is false already. @err as of a post. */
	void (*answered)(struct cw_probe *probe, int err);
};

struct cw_endpoint_ops {
	/* The connection stands (server: or a message came first). Softirq or process context. */
	void (*live)(struct cw_endpoint *ep);
	/* Dead: once, any context, @reason is for people. */
	void (*down)(struct cw_endpoint *ep, int err, const char *reason);
};

struct cw_endpoint_shape {
	u32 recvs; /* receives posted at most */
	u32 sends; /* work requests of sends, without those of transfers */
	u32 sges; /* fragments of one send, 0 for as many as a link's messages have */
	u32 transfers; /* RDMA READ/WRITE contexts at once (rdma_rw), 0 for none */
	/*
	 * Memory regions in the pool of rdma_rw, where the adapter reads or writes through regions;
	 * @transfers if that is more. The send queue has no room of its own for them: chains that
	 * find none wait.
	 */
	u32 regions;
	enum ib_poll_context poll;
	struct workqueue_struct *workqueue; /* completions come on it, whatever @poll says */
	u32 vector; /* completion vector, modulo what the device has */
};

#define CW_EP_REP 48 /* bytes of an acceptance that are kept */
#define CW_EP_BATCH 8 /* completions taken at once */

struct cw_endpoint {
	const struct cw_endpoint_ops *ops;
	u8 retries; /* client, for both ends: of what is not acknowledged; 7: no end on soft-RoCE */
	struct net *net; /* client: init_net unless the owner says otherwise; the owner holds it */
	struct rdma_cm_id *cm; /* NULL before the address is resolved, and after its end */
	/* Of @cm, and valid after its end: set when the device is known, and when connected. */
	u32 port_num;
	struct sockaddr_storage local, peer;
	struct cw_domain *domain;
	struct ib_cq *cq;
	struct workqueue_struct *workqueue; /* NULL: the RDMA core polls the completion queue */
	struct work_struct poll_work;
	struct ib_wc wc[CW_EP_BATCH];
	struct ib_qp *qp;
	struct list_head device_entry;
	bool joined;
	int ifindex; /* of the connection's network interface; set before it joins */
	__be32 ipv4; /* address of this end, 0 if not IPv4; set before it joins */

	spinlock_t state_lock; /* irqsave */
	enum cw_endpoint_state state;
	int error; /* of the death */
	wait_queue_head_t changed;
	int unresolved; /* client: how a round of address resolution failed */
	u8 rej[sizeof(struct cw_wire_rej)]; /* client: of a rejection */
	u8 rej_len;
	u8 rep[CW_EP_REP]; /* client: the private data of the acceptance, as much as fits */
	u8 rep_len;

	spinlock_t sq_lock; /* irqsave: posted, waiting, counts */
	struct list_head posted;
	struct list_head waiting; /* no room in the send queue yet */
	u32 sq_size;
	u32 longest; /* work requests of a chain; one that has more ends the connection */
	u32 send_sges; /* fragments of one send */
	u32 sq_free;
	u32 unsignalled; /* work requests since the last signalled one */
	bool drained;
	unsigned long send_completions; /* under sq_lock */
};

void cw_endpoint_init(struct cw_endpoint *ep, const struct cw_endpoint_ops *ops);

/* ---- client, in this order; each sleeps up to @timeout_ms ---- */

/* Binds to a device: afterwards ep->cm->device is known. @src may be NULL. */
int cw_endpoint_resolve(struct cw_endpoint *ep, const struct sockaddr *src,
			const struct sockaddr *dst, u32 timeout_ms);
/*
 * Queue pair on @domain (a reference is taken). Post receives after it. Server too. -EOPNOTSUPP:
 * the device is too small for it.
 */
int cw_endpoint_create_qp(struct cw_endpoint *ep, struct cw_domain *domain,
			  const struct cw_endpoint_shape *shape);
/* -EAGAIN: another queue pair may do. */
int cw_endpoint_connect(struct cw_endpoint *ep, const void *req, u8 req_len, u32 timeout_ms);

/* ---- server, in the connection manager's handler of the request ---- */

/*
 * Events of @cm come to the endpoint from now on; it is the endpoint's unless the handler returns
 * non-zero.
 */
void cw_endpoint_adopt(struct cw_endpoint *ep, struct rdma_cm_id *cm);
/* @asked: the client's parameters, whose read limits bind us. */
int cw_endpoint_accept(struct cw_endpoint *ep, const struct rdma_conn_param *asked,
		       const void *rep, u8 rep_len);
/*
 * After the acceptance, for an owner that registers no memory for the peer: the queue pair refuses
 * RDMA READ and WRITE, those of no bytes (cw_endpoint_probe() of the peer) included. 0 or -errno.
 * iWARP is left as it is: there the sink of our own RDMA READ needs the access. May sleep.
 */
int cw_endpoint_refuse_access(struct cw_endpoint *ep);

/* ---- both ---- */

/* Called by the owner when a message came: the connection stands, whatever the manager says yet. */
void cw_endpoint_seen(struct cw_endpoint *ep);

/*
 * Hands @post to the adapter, or keeps it until the send queue has room. Any context; order is that
 * of the calls.
 */
void cw_endpoint_post(struct cw_endpoint *ep, struct cw_post *post);

/*
 * The same from process context, interrupts on. What the post makes the adapter's driver do in
 * softirqs (soft-RoCE does all its work there) is done on return, rather than left to ksoftirqd,
 * which would cost two changes of context. For who has nothing to add that could leave together.
 */
void cw_endpoint_post_now(struct cw_endpoint *ep, struct cw_post *post);

/*
 * Posts @probe, whose answered is set, when it is not under way: a message that the peer need not
 * receive and no memory of it is touched by. -EREMOTEIO: the peer refuses such (and the queue pair
 * is dead). Context as cw_endpoint_post(), callers of one probe serialised.
 */
void cw_endpoint_probe(struct cw_endpoint *ep, struct cw_probe *probe);

static inline bool cw_probe_is_under_way(const struct cw_probe *probe)
{
	return READ_ONCE(probe->under_way);
}

/*
 * The end, from any context, once or often; the first caller wins (true) and ops->down is called.
 */
__printf(3, 4) bool cw_endpoint_kill(struct cw_endpoint *ep, int err, const char *fmt, ...);

/*
 * Kills, and tells the peer: what was posted is flushed. Process context; not beside the
 * drain. For an owner whose users may still call cw_endpoint_post(), which drain and destroy must
 * come after.
 */
void cw_endpoint_disconnect(struct cw_endpoint *ep);
/*
 * Disconnects, waits until the adapter touches nothing, completes every post, destroys the id of
 * the connection manager and leaves the device's list. Process context, not in a handler of the
 * connection manager unless the owner has set @cm to NULL. No callback comes after it but
 * events of the queue pair, which end with the queue pair. A second drain does nothing.
 */
void cw_endpoint_drain(struct cw_endpoint *ep);
/* Frees what is there; drains first. */
void cw_endpoint_destroy(struct cw_endpoint *ep);

static inline bool cw_endpoint_is_connecting(const struct cw_endpoint *ep)
{
	return READ_ONCE(ep->state) == CW_EP_CONNECTING;
}

/* ---- inside verbs/ ---- */

/*
 * Changes the state, if @to may follow the present one, and wakes who waits; @err is kept. True:
 * this caller made the change. Any context; takes state_lock.
 */
bool cw_endpoint_change(struct cw_endpoint *ep, enum cw_endpoint_state to, int err);
/* A completion queue for @cqes completions, or ERR_PTR. May sleep. */
struct ib_cq *cw_endpoint_create_cq(struct cw_endpoint *ep, u32 cqes,
				    const struct cw_endpoint_shape *shape);
/* Frees it, if there is one. The queue pair is gone: no completion comes. May sleep. */
void cw_endpoint_free_cq(struct cw_endpoint *ep);

#endif
