/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client transport: what its files share.
 *
 *   transport.c    the xprt classes and operations
 *   lanes.c        the queue pairs of a transport: which carries a call; the window of credits
 *   open.c         queue pairs are opened, from which addresses, and again after a pause
 *   reap.c         queue pairs end: one alone, or all
 *   session.c      calls that belong on a certain one
 *   connection.c   one queue pair: receives, keepalive, its end
 *   call.c         the memory of an RPC, and what of it the adapter may still use
 *   send.c         an RPC message as it goes out
 *   whole.c        calls and replies that are lent whole
 *   region.c       memory lent to the server
 *   reply.c        what comes in
 *   backchannel.c  calls of the server
 *
 * The life of a call. SunRPC asks for memory (buf_alloc), which gives a struct cwrc_call; has the
 * call encoded into it; and has it sent (send_request) while it holds the transport, so that one
 * call is sent at a time. A message that fits goes inline, from memory that is mapped for the
 * adapter already: data pages are copied, which costs less than to register them and to wait for
 * the adapter to be done with them. What does not fit is lent: pages as they are, head and tail of
 * what is lent whole through pages of our own. The reply finds its request by its number, what
 * was lent is taken back, what came inline is copied to where SunRPC wants it, and the request is
 * completed.
 *
 * Completions come on a work queue, since SunRPC's locks do not exclude softirqs. It is one of the
 * same kind as SunRPC's own (unbound, ordinary priority), so that its workers are the same: the
 * worker that takes a reply goes on with the task that waited for it, which on the RDMA core's work
 * queue would be a change of context more.
 *
 * Who owns memory. A call has two users: the RPC, until buf_free; and its send, until the adapter
 * is known to be done with it. A reply is no such knowledge, for the adapter may read the message
 * once more when an acknowledgment was lost; so the memory is used again only when that send or a
 * later one completed, or the queue pair is drained. Sends are signalled one in several.
 *
 * Recovery. A queue pair that breaks is drained, what was lent over it is taken back, and the
 * requests that were sent on it and have no reply are sent again by the other queue pairs of the
 * transport. Where there is no other, SunRPC's own worker closes the transport, and all requests
 * without a reply are woken; they bring about new queue pairs and are sent again. Both hold the
 * transport. Nothing is ever sent twice on one queue pair.
 *
 * Locks: the transport (XPRT_LOCKED) > lanes_lock > xprt->transport_lock > calls_lock >
 * xprt->queue_lock > xprt->pending.lock; bc_pa_lock > the callback service's; lanes_lock and
 * regions_lock > the endpoint's. None is taken in interrupts or softirqs.
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

#define CWRC_REGIONS 20 /* of one chunk: 1 MiB, sixteen pages each, and what is around it */
#define CWRC_DEPTH_MIN 16 /* pages of one region */
#define CWRC_DEPTH_MAX 258 /* 1 MiB between a page of head and a page of tail */
#define CWRC_LANES 16 /* queue pairs of one transport, at most */
#define CWRC_CALLBACKS 16 /* of the server at once, and as many receives besides the replies' */
#define CWRC_SGES 2 /* of a message: header and head; what follows */
#define CWRC_YOUNG (10 * HZ) /* a connection that breaks this soon was none */
#define CWRC_FORGIVEN (600 * HZ) /* a lane that lived this long is as good as a new one */
#define CWRC_PAUSE_FIRST (1UL * HZ) /* of a lane that died again; doubles */
#define CWRC_PAUSE_MOST (300UL * HZ)
#define CWRC_OPEN_AGAIN (10UL * HZ) /* of a lane that could not be opened */
#define CWRC_HEADER_MAX                                                                         \
	(CWR_HEADER_MIN + CWRC_REGIONS * (CWR_READ_SEGMENT_BYTES + CWR_SEGMENT_BYTES) + 8)
/* Before SunRPC's buffer: a pointer to the call, and the header, which ends where it begins. */
#define CWRC_ROOM ALIGN(CWRC_HEADER_MAX + sizeof(void *), 64)

struct cwrc_connection;
struct cwrc_receive;

/* Why a lane that is missing is not opened yet. */
struct cwrc_past {
	u32 deaths; /* each sooner than CWRC_FORGIVEN after it was opened */
	unsigned long retry_at; /* jiffies; 0: at once */
};

struct cwrc_transport {
	struct rpc_xprt xprt;
	struct cwr_connection info;
	struct rpc_timeout timeout; /* when SunRPC asked for another than the default */
	struct delayed_work connect;

	/* See the table in lanes.c. */
	spinlock_t lanes_lock;
	struct cwrc_connection *lane[CWRC_LANES];
	struct cwrc_past past[CWRC_LANES];
	struct cwrc_connection *opening; /* by the opening worker, which may be in a hurry to end */
	struct delayed_work open; /* opens the lanes that are missing */
	bool opens; /* lanes may be added */
	struct work_struct reap; /* a queue pair died */
	bool reap_waits; /* for the transport */
	bool reap_holds; /* the transport was handed over */
	u32 lanes; /* how many there shall be */
	u32 next_lane; /* where the search for one with credit begins */
	u32 bind_lane; /* where the next call goes that goes by each in turn */
	atomic_t made; /* queue pairs, so far */
	int orphans; /* replies owed to RPCs that have ended */
	u32 unanswered; /* calls that were sent on a queue pair that is gone, and not again */
	struct sockaddr_storage local; /* where the first lane was opened from, port 0 */
	bool by_rule; /* a rule named it */
	struct sockaddr_storage named_from; /* NFS 4.1: whence a name that may not be good yet */
	u32 source; /* of the rule's addresses, the one that we last connected from */
	bool suspect; /* the last connection from there broke soon */
	unsigned long opened; /* jiffies of the last connection */
	int failed; /* -errno of the last attempt, 0 when it succeeded */
	bool refuses_probes; /* the server takes a zero-length RDMA WRITE for an error */

	spinlock_t calls_lock; /* the two lists, and where the memory of calls is mapped */
	struct list_head calls; /* all of them */
	struct list_head free_calls; /* by @free; the one used last first */

	spinlock_t regions_lock; /* regions of calls and of the connection */
	bool answers_callbacks; /* NFS has a service for them; under xprt.bc_pa_lock */
	atomic_t callbacks; /* calls of the server without a reply of ours */
};

enum cwrc_call_state {
	CWRC_NEW, /* not sent on the connection that stands */
	CWRC_SENT,
	CWRC_ANSWERED, /* a reply was taken; there is no other */
};

struct cwrc_call {
	struct cwrc_transport *transport;
	struct list_head entry; /* of all calls */
	struct list_head free;
	struct rpc_rqst *rqst; /* under calls_lock; NULL when the RPC is gone */
	bool unanswered; /* counted in the transport's @unanswered, under calls_lock */
	refcount_t users;
	bool callback; /* a struct cwrc_callback is around it */

	struct cwrc_connection *connection; /* that it was sent on; may be gone once it is not */
	atomic_t state; /* enum cwrc_call_state */
	u32 xid;

	/* CWRC_ROOM bytes, rq_buffer, rq_rbuffer */
	void *memory;
	size_t size;
	/* What of a message does not lie in @memory and is not lent: data, mostly. */
	void *copy;
	size_t copy_size;
	/* Both mapped for @mapped_for, or not mapped: under calls_lock. */
	struct ib_device *mapped_for;
	u64 memory_dma;
	u64 copy_dma;

	struct cw_post post;
	struct ib_send_wr send;
	struct ib_sge sge[CWRC_SGES];

	/* Lent: under the transport's regions_lock. In the order of the header. */
	struct list_head regions;
	u16 reads; /* segments */
	u16 writes; /* of the write chunk, or of the reply chunk */
	bool reply_chunk;
	struct cwr_segment segment[2 * CWRC_REGIONS];
	/* Pages of our own, for head and tail of a whole call, then for those of a whole reply. */
	struct page **own;
	u32 own_pages;
	u32 own_reply; /* the first one of the reply */

	/* Taking back what the server did not. */
	struct cw_post fence;
	struct completion fenced;

	/* A reply on its way. */
	struct cwrc_receive *reply;
	struct cwr_header header;
	u32 written; /* bytes that the server wrote into the write chunk, or the reply chunk */
	int error;
};

/* A call of the server and our reply to it. */
struct cwrc_callback {
	struct rpc_rqst rqst;
	struct cwrc_call call;
	void *request; /* the call's message */
	bool open; /* counted in the transport's @callbacks */
	u32 connection; /* its number: that it came on and its reply belongs on */
};

struct cwrc_receive {
	struct cwrc_connection *connection;
	struct cw_buffer *buffer;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	u32 len;
};

/* Receives are made in sets, as the server grants credits. */
struct cwrc_receives {
	struct list_head entry;
	struct cw_buffers buffers;
	struct cwrc_receive receive[];
};

/* Bytes in pages, the next to be lent. */
struct cwrc_piece {
	struct page **pages;
	u32 offset; /* into the pages */
	u32 len;
};

#define CWRC_PIECES 3 /* of a message: head, pages, tail */

struct cwrc_region {
	struct list_head entry; /* of a call, or of the free ones */
	struct list_head all;
	struct cwrc_connection *connection;
	struct ib_mr *mr;
	struct ib_reg_wr reg;
	struct ib_cqe reg_cqe; /* heard of only when it fails */
	struct ib_send_wr inv;
	enum dma_data_direction dir;
	bool invalidated;
	bool holds; /* references to its pages */
	u32 entries; /* of sgl, mapped */
	struct scatterlist *sgl; /* as many as the connection's depth */
};

struct cwrc_connection {
	struct cwrc_transport *transport;
	u32 number; /* of those that the transport made */
	struct cw_endpoint ep;
	struct cw_domain *domain; /* outlives the endpoint: memory is mapped for its device */
	struct ib_device *ib;
	bool established; /* its death queues the reaper */
	bool by_rule; /* a rule names the address that it is opened from */
	unsigned long opened; /* jiffies */
	int error; /* of its death, and why */
	char reason[96];
	u32 inline_send; /* bytes of a message without chunks, header included */
	u32 inline_receive;
	u32 depth; /* pages of a region */
	u32 credits; /* granted, as far as there are receives; one writer at a time */
	atomic_t owed; /* replies that have not come */
	u32 index; /* of the lane */
	bool remote_invalidate; /* the server said that it does */

	/* Under regions_lock. */
	struct list_head free_regions;
	struct list_head regions;
	bool short_of_regions; /* none could be made */
	struct delayed_work grow_regions;

	struct list_head receives; /* sets; of the connecting worker, then of grow_receives */
	u32 receive_size;
	u32 replies; /* that can be received: what the credit may be */
	u32 replies_most; /* as far as the adapter goes */
	u32 replies_wanted;
	struct work_struct grow_receives;

	struct cw_probe probe;
	unsigned long probed; /* jiffies, of the last probe */
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

/* -EEXIST when another module has the class. Process context. */
int cwrc_register(void);
void cwrc_unregister(void);

extern struct workqueue_struct *cwrc_workqueue; /* everything that may sleep */
extern struct workqueue_struct *cwrc_completions;

/* ---- lanes.c ---- */

/* The queue pair for the next call; NULL: there is none. The transport is held. */
struct cwrc_connection *cwrc_lane_pick(struct cwrc_transport *t);
/* One after the other, whatever credit it has. As above. */
struct cwrc_connection *cwrc_lane_in_turn(struct cwrc_transport *t);
/* The first that is connected from @local (any port), or from anywhere. NULL: none. As above. */
struct cwrc_connection *cwrc_lane_from(struct cwrc_transport *t, const struct sockaddr *local);
/* The one of @number, NULL: it is gone. The transport is held. */
struct cwrc_connection *cwrc_lane_of(struct cwrc_transport *t, u32 number);
/* What the server grants now on one. In completions. */
void cwrc_lanes_grant(struct cwrc_transport *t, struct cwrc_connection *conn, u32 credits);
/*
 * The sum of what the server grants, less what calls hold that ended without a reply, becomes
 * SunRPC's window. Tasks that wait for credit are woken when there is some. xprt->transport_lock is
 * held.
 */
void cwrc_lanes_set_window(struct cwrc_transport *t);
/*
 * Takes @conn into use; the @first allows others to follow. 0; -ESHUTDOWN: no lane is wanted;
 * -errno: it died. May sleep.
 */
int cwrc_lane_publish(struct cwrc_connection *conn, bool first);
/* Out of use. The transport is held. */
void cwrc_lane_unpublish(struct cwrc_connection *conn);
/* @conn died: when a lane in its place may be opened, in jiffies. */
unsigned long cwrc_lane_set_aside(struct cwrc_connection *conn);
/* The state of @conn as people see it; @retry_at as in struct cwr_rail. */
void cwrc_lane_show(struct cwrc_connection *conn, enum cwr_state state, unsigned long retry_at);
/* All lanes in use, and the first of them as the connection. */
void cwrc_lanes_show(struct cwrc_transport *t);

/* ---- open.c ---- */

void cwrc_lanes_init(struct cwrc_transport *t);
/* Connects, for now with one queue pair. The transport is held; sleeps. 0 or -errno. */
int cwrc_lanes_open(struct cwrc_transport *t);
/* The opening worker opens the lanes that are missing, now or when their time has come. */
void cwrc_open_missing(struct cwrc_transport *t);
/* No lane is opened from now on; waits for the opening worker. The transport is held. */
void cwrc_stop_opening(struct cwrc_transport *t);
/* NFSv4.1: calls may go from any address, since the server knows them by their session. */
void cwrc_lanes_free_to_roam(struct cwrc_transport *t);

/* ---- reap.c ---- */

/* Ends all. Returns whether there was one; @error says why one broke. The transport is held. */
bool cwrc_lanes_close(struct cwrc_transport *t, int *error);
void cwrc_reap_work(struct work_struct *work);
/* SunRPC's release_xprt: hands the transport to the reaper, which waits, or to the next task. */
void cwrc_release_xprt(struct rpc_xprt *xprt, struct rpc_task *task);

/* ---- session.c ---- */

/*
 * The queue pair for @task, in @conn. The transport is held. 0; -ENOTCONN: there is none;
 * -NFS4ERR_STALE_CLIENTID: the task's answer.
 */
int cwrc_session_lane(struct cwrc_transport *t, const struct rpc_task *task,
		      struct cwrc_connection **conn);

/* ---- connection.c ---- */

/* Allocates one that can be opened, or killed meanwhile. */
struct cwrc_connection *cwrc_connection_new(struct cwrc_transport *t, u32 index);
/* Sleeps up to the connecting timeouts. @from may be NULL. What goes wrong is in conn->reason. */
int cwrc_connection_open(struct cwrc_connection *conn, const struct sockaddr *from);
/* From now on its death is told to SunRPC, and now if it was before. */
void cwrc_connection_establish(struct cwrc_connection *conn);
/* Drains: no completion comes and nothing is lent any more. Process context. */
void cwrc_connection_drain(struct cwrc_connection *conn);
/* After it was drained, and no call's memory is mapped for its device any more. */
void cwrc_connection_free(struct cwrc_connection *conn);
/* Gives a receive back to the adapter. Process context, softirqs may be off. */
void cwrc_receive_post(struct cwrc_receive *receive);
/* The server grants @credits; returns how many count now. In completions. */
u32 cwrc_connection_credits(struct cwrc_connection *conn, u32 credits);

/* ---- call.c ---- */

static inline struct cwrc_call *cwrc_call_of(const struct rpc_rqst *rqst)
{
	return *(struct cwrc_call **)(rqst->rq_buffer - CWRC_ROOM);
}

/* Its RPC waits for a reply no more; whether it did. xprt->transport_lock is held. */
bool cwrc_call_given_up(struct cwrc_call *call);
int cwrc_buf_alloc(struct rpc_task *task);
void cwrc_buf_free(struct rpc_task *task);
/* Sets up a call that is part of a callback, with memory for a reply of @size bytes. */
int cwrc_call_init(struct cwrc_call *call, struct cwrc_transport *t, size_t size, gfp_t gfp);
/* Frees its memory; nobody uses it. */
void cwrc_call_exit(struct cwrc_call *call);
/* One user less. */
void cwrc_call_put(struct cwrc_call *call);
/* Frees all calls of a transport: its last user is gone and there is no connection. */
void cwrc_calls_free(struct cwrc_transport *t);
/* Maps the call's memory, with the transport held. */
int cwrc_call_map(struct cwrc_call *call, struct cwrc_connection *conn);
/* @size bytes of call->copy, mapped; the transport is held. */
int cwrc_call_copy_area(struct cwrc_call *call, struct cwrc_connection *conn, size_t size);
/* Unmaps the memory of a call that no adapter reads. calls_lock is held. */
void cwrc_call_unmap(struct cwrc_call *call);
/* The call is sent again, or its RPC ends: it is unanswered no more. calls_lock is held. */
void cwrc_call_settle(struct cwrc_call *call);
/* @count pages of our own, zeroed. */
int cwrc_call_own_pages(struct cwrc_call *call, u32 count, gfp_t gfp);
void cwrc_call_free_own_pages(struct cwrc_call *call);

/* ---- send.c ---- */

int cwrc_send_request(struct rpc_rqst *rqst);
/* A reply to a call of the server: @buf, whose head is the call's memory. The transport is held. */
int cwrc_send_inline(struct cwrc_call *call, struct cwrc_connection *conn,
		     const struct xdr_buf *buf, u32 credits);

/* ---- whole.c ---- */

/* Own pages for heads and tails of what is lent whole, the call's filled. May sleep. */
int cwrc_whole_prepare(struct cwrc_call *call, const struct rpc_rqst *rqst, bool whole_call,
		       bool whole_reply);
/* All of @buf, head and tail in @own pages. Returns how many pieces, at most CWRC_PIECES. */
u32 cwrc_whole_pieces(const struct xdr_buf *buf, struct page **own, struct cwrc_piece *piece);
/*
 * Copies @len bytes between @vec and @own pages, from @offset into them, or to where a head lies in
 * them; @in: to @vec.
 */
void cwrc_copy_own(struct page **own, u32 offset, const struct kvec *vec, u32 len, bool in);
void cwrc_copy_head(struct page **own, const struct kvec *head, u32 len, bool in);

/* ---- region.c ---- */

/*
 * Lends @count pieces, which are used up: adds regions to @call and fills segments at @segment. A
 * piece that begins on a page shares a region with one in front of it that ends on a page. @hold:
 * takes references to the pages until they are taken back. Returns how many segments; -EAGAIN: no
 * region is free now, and SunRPC is told when one is. The transport is held.
 */
int cwrc_lend(struct cwrc_connection *conn, struct cwrc_call *call, struct cwrc_piece *piece,
	      u32 count, enum dma_data_direction dir, bool hold, struct cwr_segment *segment);
/* What was lent but never told to the server. */
void cwrc_lent_cancel(struct cwrc_call *call);
/* The chain of work requests that registers what @call lends, then @send. */
struct ib_send_wr *cwrc_lent_chain(struct cwrc_call *call, struct ib_send_wr *send, u16 *wrs);
/* The server invalidated @rkey; false: it is none of @call. */
bool cwrc_lent_invalidated(struct cwrc_call *call, u32 rkey);
/*
 * Takes everything back that @call lends. True: done. False: @fenced will be called with
 * &call->fence when it is safe to call cwrc_lent_release(). In completions.
 */
bool cwrc_lent_fence(struct cwrc_call *call, void (*fenced)(struct cw_post *post, int err));
/* After the fence, or on a drained connection. */
void cwrc_lent_release(struct cwrc_call *call);
/* The RPC goes away without a reply: fences and waits. Process context. */
void cwrc_lent_wait(struct cwrc_call *call);
/* Regions of a new connection; freeing them takes back what calls still have. */
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
/* A call of the server, @len bytes at @message. In completions. */
void cwrc_callback_received(struct cwrc_connection *conn, const void *message, u32 len);
/* The last user of a callback's call is gone. */
void cwrc_callback_free_last(struct cwrc_callback *callback);
/* Frees all, with the transport. */
void cwrc_callbacks_free(struct cwrc_transport *t);
/* Our reply to one; as send_request. */
int cwrc_callback_reply(struct rpc_rqst *rqst);

#endif
