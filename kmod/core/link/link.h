/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A link: an ordered, credited channel of messages to one peer.
 *
 * Disk and target speak to links and never to verbs. A link is made by a transport (rdma/ over an
 * endpoint), which fills in the ops; what all transports share is here: ordinals and tails
 * (send.c), gathering of commands and completions into messages (gather.c), signs of life
 * (liveness.c), statistics (stats.c).
 *
 * Who owns memory: a message received belongs to the handler until cw_message_put(); a message to
 * send (struct cw_tx) belongs to its maker from cw_link_tx_get() to cw_link_send(), then to the
 * link, which keeps it until the adapter can no longer read it (a later signalled send completed).
 * Its data lies in pages of the link (struct cw_page), which go with it, as does a transfer (struct
 * cw_bulk).
 *
 * Credit: messages with records need a receive of the peer, and it tells in every message how many
 * it has taken and is done with. Without credit such messages wait in the link, and what comes then
 * gathers in one.
 *
 * How it dies: cw_link_kill() from any context, once or often; the first caller's reason counts and
 * handler->down() is called. Its owner, in process context, then calls cw_link_drain(): after it no
 * callback comes and no adapter touches memory of the link. cw_link_free() frees everything.
 */
#ifndef CW_LINK_H
#define CW_LINK_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/scatterlist.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "../../../include/uapi/causeway.h"
#include "../../../include/wire/causeway_parse.h"

struct bio;
struct cw_link;
struct cw_tx;
struct cw_page;
struct cw_bulk;

/* Counters of a link. Written under tx_lock or in the receive context; read without a lock. */
struct cw_stats {
	u64 n[__CW_N_MAX];
	u64 read_latency[CW_HISTOGRAM];
	u64 write_latency[CW_HISTOGRAM];
	u64 flush_latency[CW_HISTOGRAM];
};

void cw_stats_add(struct cw_stats *to, const struct cw_stats *from);

/* A message that arrived. */
struct cw_message {
	struct cw_link *link;
	struct cw_frame frame;
	const void *records; /* contiguous; valid during handler->message() only */
	void *data; /* data area, page-aligned, contiguous; valid until the last put */
	bool invalidated; /* the send carried an invalidate of ... */
	u32 rkey; /* ... this key */
	atomic_t users; /* 1 for the handler; it may cw_message_get() more */
};

struct cw_link_handler {
	/*
	 * A well-formed message of a type that this link may carry. Softirq (or the context of
	 * cw_link_poll()), one at a time per link. The handler owns one use of @msg. A non-zero
	 * return kills the link: -ENOMEM for want of memory here, any other as a protocol error.
	 */
	int (*message)(struct cw_link *link, struct cw_message *msg);
	/*
	 * The link is dead. Any context, once, no locks held that the handler may want; must not
	 * sleep.
	 */
	void (*down)(struct cw_link *link);
	/*
	 * What failed for want of a message, a page or credit may succeed now. Softirq or under no
	 * lock of the link.
	 */
	void (*room)(struct cw_link *link);
	/* Control, may be NULL: ALIVE came, with the cookie of a PROBE. Receive context. */
	void (*alive)(struct cw_link *link, u64 cookie);
};

enum cw_link_kind {
	CW_LINK_CONTROL = CW_KIND_CONTROL,
	CW_LINK_DATA = CW_KIND_DATA,
};

/* What we take on a data link: large messages, few at a time. */
#define CW_LINK_AREA 16 /* pages */
#define CW_LINK_MESSAGES 8
#define CW_LINK_SLACK 8U /* receives for messages without records */

#define CW_TX_PAGES 16
#define CW_INLINE_PAGES (CW_WIRE_INLINE_MAX / CW_WIRE_PAGE)

/* A page that the adapter can read, for data of a message. */
struct cw_page {
	void *data; /* CW_WIRE_PAGE bytes, page-aligned */
	u64 dma;
	struct cw_page *next; /* of the same command, or free */
};

/* A message to send: memory that the adapter can read. */
struct cw_tx {
	struct cw_link *link;
	struct cw_page *pages[CW_TX_PAGES]; /* the data, in order */
	u16 page_len[CW_TX_PAGES]; /* bytes of each, a multiple of 16 but for a struct */
	u8 nr_pages;
	void *trailer; /* CW_TX_TRAILER bytes: records, then the tail */
	u32 data_len; /* of all pages */
	u32 imm; /* bare: what goes beside the page */
	bool bare; /* the page alone, no trailer; set when it is sent */
	u16 count; /* records in the trailer so far */
	u8 type;
	/* server: RDMA WRITE to post before the message; owned by the tx when sent */
	struct cw_bulk *bulk;
	u32 invalidate; /* rkey to invalidate at the peer, 0 none */
	/*
	 * Called once when the memory is free again, that is when the peer has the message or the
	 * link is drained; before the tx returns to the pool. Softirq.
	 */
	void (*released)(struct cw_tx *tx, void *cookie);
	void *cookie;
	struct list_head entry; /* of the link */
};

#define CW_TX_TRAILER 1024

/* Client: a request's memory lent to the peer. Lives in the request. */
struct cw_map {
	struct scatterlist *sgl;
	u32 nents; /* as given */
	bool to_peer; /* the peer reads (a write command) */
	u32 rkey; /* 0: not mapped */
	u64 addr;
	void *mr; /* transport's */
	/* Called when cw_link_unmap() returned -EINPROGRESS and the unmapping is done. */
	void (*unmapped)(struct cw_map *map, int err);
};

/* Server: a transfer between the client's memory and ours. Allocated by the transport. */
struct cw_bulk {
	struct cw_link *link;
	struct scatterlist *sgl;
	u32 nents;
	bool to_peer; /* RDMA WRITE, a read command */
	/*
	 * RDMA READ: the data is here (0) or the link is dead. RDMA WRITE: the adapter is done with
	 * the memory, called when the tx that carried it is released. In both cases the bulk is
	 * already freed: do not touch it; the memory is the callee's. Softirq.
	 */
	void (*done)(void *cookie, int err);
	void *cookie;
};

struct cw_link_ops {
	/* NULL when all are in use; then handler->room() will come. Any context. */
	struct cw_tx *(*tx_get)(struct cw_link *link);
	/* Gives back one that was never sent. */
	void (*tx_put)(struct cw_tx *tx);
	/* The same for @count pages, chained: all or none. */
	struct cw_page *(*pages_get)(struct cw_link *link, u32 count);
	void (*pages_put)(struct cw_link *link, struct cw_page *pages);
	/* Client: the registration of @map goes out before the message, in the same post. */
	void (*tx_attach)(struct cw_tx *tx, struct cw_map *map);
	/* Under link->tx_lock, in order. Takes @tx over in every case; a failure kills the link. */
	void (*send)(struct cw_link *link, struct cw_tx *tx);
	void (*message_put)(struct cw_message *msg);
	int (*map)(struct cw_link *link, struct cw_map *map);
	int (*unmap)(struct cw_link *link, struct cw_map *map, bool invalidated);
	struct cw_bulk *(*bulk_alloc)(struct cw_link *link, struct scatterlist *sgl, u32 nents,
				      bool to_peer, u64 addr, u32 rkey);
	void (*bulk_fetch)(struct cw_bulk *bulk);
	void (*bulk_filled)(struct cw_bulk *bulk);
	void (*bulk_free)(struct cw_bulk *bulk);
	int (*poll)(struct cw_link *link);
	/* Called once, by the killer, link->reason and link->error being set. Any context. */
	void (*kill)(struct cw_link *link, int err);
	void (*drain)(struct cw_link *link);
	void (*free)(struct cw_link *link);
};

struct cw_link {
	const struct cw_link_ops *ops;
	const struct cw_link_handler *handler;
	void *session; /* struct cw_session (client) or struct cw_server_session */
	void *priv; /* of disk or target */
	enum cw_link_kind kind;
	bool server; /* which end we are */
	bool polled; /* client, data: messages arrive in cw_link_poll() alone */
	u16 index;
	struct cw_limits limits; /* what was agreed upon */
	u16 *bare_slots; /* client: what slot each bare write stands for */
	u16 messages; /* with records, that we take without having given credit */
	u16 peer_messages; /* and the peer */
	u8 pages_max; /* of a message that we send: what the adapter and the peer take */
	u32 area; /* bytes of data in a message that we take */

	spinlock_t tx_lock; /* irqsave: bi_end_io may come in hard interrupts */
	u32 tx_ordinal; /* under tx_lock */
	u32 rx_ordinal; /* receive context */
	struct cw_tx *open; /* message being gathered; under tx_lock */
	bool open_due; /* it should be gone, but for credit; under tx_lock */
	int corked; /* > 0: completions gather; under tx_lock */
	struct list_head backlog; /* messages that wait for credit; under tx_lock */
	u32 tx_messages; /* with records, sent; under tx_lock */
	u32 credited; /* of them, those that the peer is done with; receive context */
	bool short_of_credit; /* something waits for it */
	bool short_of_room; /* and handler->room() is owed when it comes */
	u32 rx_records; /* messages with records received; receive context */
	atomic_t rx_messages; /* of them, those that we are done with */
	u32 told; /* rx_messages as the peer knows it; under tx_lock */
	u32 commands; /* client: given; under tx_lock */
	u32 answers; /* client: completions received; receive context */

	/* The peer's progress with our transfers and answers: see cw_link_is_stuck(). */
	atomic_t bulks; /* transfers that wait for the peer */
	u32 bulks_ended; /* transfers that no longer do; send completions */
	u32 released; /* messages with records that the adapter gave back; send completions */
	bool short_of_tx; /* tx_get() found none; under the transport's lock */
	u32 progress; /* as the session's watch saw it last */
	u8 looks; /* of the session's watch in a row, without progress */

	/*
	 * Control: what was sent and received so far. The half of what we send is written under
	 * tx_lock before the message is posted, the other half in the receive context.
	 */
	struct cw_order order;
	bool alive_owed; /* a PROBE waits for its ALIVE; under tx_lock, as is ... */
	u64 alive_cookie; /* ... the cookie of the newest one */

	unsigned long dead; /* bit 0: killed; bit 1: error and reason are set */
	int error; /* -errno of the death */
	char reason[96];
	unsigned long last_rx; /* jiffies of the last message */
	unsigned long probed_at; /* jiffies of the first probe since then; the session's watch's */
	bool probed;
	struct cw_stats stats ____cacheline_aligned;
};

/* ---- life ---- */

void cw_link_init(struct cw_link *link, const struct cw_link_ops *ops,
		  const struct cw_link_handler *handler, enum cw_link_kind kind, bool server);
/* Any context; true when this call killed it. */
__printf(3, 4) bool cw_link_kill(struct cw_link *link, int err, const char *fmt, ...);
static inline bool cw_link_is_dead(const struct cw_link *link)
{
	return READ_ONCE(link->dead);
}

/* Process context. After it: no callback, no DMA. May be called twice. */
void cw_link_drain(struct cw_link *link);
void cw_link_free(struct cw_link *link);

/* ---- messages ---- */

static inline struct cw_tx *cw_link_tx_get(struct cw_link *link)
{
	return link->ops->tx_get(link);
}

static inline void cw_link_tx_put(struct cw_tx *tx)
{
	tx->link->ops->tx_put(tx);
}

/*
 * Pages for @len bytes of one command (1 to CW_WIRE_INLINE_MAX), chained. NULL when too few are
 * free; then handler->room() will come. Any context.
 */
static inline struct cw_page *cw_link_pages_get(struct cw_link *link, u32 len)
{
	return link->ops->pages_get(link, DIV_ROUND_UP(len, CW_WIRE_PAGE));
}

/* Those that went into no message. Any context. */
static inline void cw_link_pages_put(struct cw_link *link, struct cw_page *pages)
{
	link->ops->pages_put(link, pages);
}

/* Messages with records whose receive waits for somebody to be done with it. Any context. */
static inline u32 cw_link_held(const struct cw_link *link)
{
	return READ_ONCE(link->rx_records) - (u32)atomic_read(&link->rx_messages);
}

/* For transports: the receive of a message with records is with the adapter again. Any context. */
static inline void cw_link_taken(struct cw_link *link)
{
	atomic_inc(&link->rx_messages);
}

/*
 * Tells the peer of messages taken, when it knows of too few. Whoever takes messages calls it when
 * he has sent what answers they had so far, since those tell too; transports, when room came. Any
 * context.
 */
void cw_link_tell(struct cw_link *link);

/*
 * Sends @tx: its pages, count records already in the trailer; the tail is added here. Any context.
 * Takes @tx over. On a dead link it is released at the drain.
 */
void cw_link_send(struct cw_link *link, struct cw_tx *tx);

/*
 * Sends a control message of @len bytes of data (a wire struct). -ENOBUFS or -ENOTCONN. Any
 * context.
 */
int cw_link_send_control(struct cw_link *link, u8 type, const void *data, u32 len);
/*
 * The same; @delivered is completed when the peer's adapter has it, or the link is drained. Not on
 * an error.
 */
int cw_link_send_control_tracked(struct cw_link *link, u8 type, const void *data, u32 len,
				 struct completion *delivered);

/*
 * Asks the peer for a sign of life. The answer on a control link carries @cookie; a data link has
 * none. -ENOBUFS or -ENOTCONN. Any context.
 */
int cw_link_probe(struct cw_link *link, u64 cookie);

/* For transports: a message or a page is there again, after one was missing. Any context. */
void cw_link_has_room(struct cw_link *link);

/*
 * For transports: a well-formed message came. Takes its credit, answers probes, counts, gives the
 * rest to the handler. Non-zero: a protocol error. Receive context.
 */
int cw_link_take(struct cw_link *link, struct cw_message *msg);

static inline void cw_message_get(struct cw_message *msg)
{
	atomic_inc(&msg->users);
}

/* Any context. The last put returns the receive to the adapter. */
void cw_message_put(struct cw_message *msg);

/* ---- client: commands ---- */

/*
 * Adds a command to the message being gathered. Inline data (@cmd->data_len bytes) is copied from
 * @bio and those chained to it by bi_next, or from @ranges; data_off is filled in here. @map, when
 * not NULL, was mapped before. With @last the message goes out. -EAGAIN: no memory to send from
 * now, nothing was taken; -ENOTCONN: dead. Any context.
 *
 * Once the command is in the message, @number is the message's among those with records and bit 0
 * of @pending is set, in this order; both before it can be sent. link->tx_messages is above @number
 * from the sending on.
 */
int cw_link_command(struct cw_link *link, struct cw_cmd *cmd, struct cw_map *map,
		    struct bio *bio, const void *ranges, bool last, u32 *number,
		    unsigned long *pending);
/* Sends what was gathered. */
void cw_link_flush(struct cw_link *link);

/* Whether commands wait for their answer. Any context; exact when none is given meanwhile. */
static inline bool cw_link_waits(const struct cw_link *link)
{
	return READ_ONCE(link->commands) != READ_ONCE(link->answers);
}

/*
 * Maps @map->sgl for the peer; fills rkey and addr. -EAGAIN: no registration free now. Any context.
 */
static inline int cw_link_map(struct cw_link *link, struct cw_map *map)
{
	return link->ops->map(link, map);
}

/*
 * Ends the lending. @invalidated: the peer did it (the caller checked the rkey). 0: done, memory is
 * ours. -EINPROGRESS: map->unmapped() will come. Any context.
 */
static inline int cw_link_unmap(struct cw_link *link, struct cw_map *map, bool invalidated)
{
	return link->ops->unmap(link, map, invalidated);
}

/*
 * The slot of the command that a completion names as @slot; -EPROTO when it names a bare write and
 * there is none. To be asked once for each completion. Receive context.
 */
int cw_link_slot(struct cw_link *link, u16 slot);

/* For transports: 0 or -ENOMEM; freed by the transport. Client. May sleep. */
int cw_link_make_bare_slots(struct cw_link *link);

static inline int cw_link_poll(struct cw_link *link)
{
	return link->ops->poll(link);
}

/* ---- server: completions and transfers ---- */

/*
 * Looks once more whether the peer does its part. True when something has waited for the peer at
 * more than @looks looks in a row without progress. The caller spaces the looks, so a machine that
 * stood still counts as one of them. Process context, one caller at a time.
 */
bool cw_link_is_stuck(struct cw_link *link, u8 looks);

/* For transports, when a transfer needs the peer no more: send completions, or the drain. */
static inline void cw_link_bulk_ended(struct cw_link *link)
{
	WRITE_ONCE(link->bulks_ended, link->bulks_ended + 1);
	atomic_dec(&link->bulks);
}

/* For transports, at each release of a message: send completions, or the drain. */
static inline void cw_link_released(struct cw_link *link, const struct cw_tx *tx)
{
	if (tx->bulk)
		cw_link_bulk_ended(link);
	if (tx->count)
		WRITE_ONCE(link->released, link->released + 1);
}

/*
 * Between cork and uncork, completions gather; uncork sends them. Calls nest. Any context.
 */
void cw_link_cork(struct cw_link *link);
void cw_link_uncork(struct cw_link *link);
/*
 * Answers a command, with done->data_len bytes of data in @pages or none (NULL); data_off is filled
 * in here. Gathered while corked, else sent now. False: no memory to send from or no credit now
 * (room() will come), nothing was taken. Any context.
 */
bool cw_link_complete(struct cw_link *link, struct cw_done *done, struct cw_page *pages);
/*
 * Answers with @tx, a message of its own: a bulk WRITE attached, or an rkey to invalidate. Takes
 * @tx over. Any context.
 */
void cw_link_complete_tx(struct cw_link *link, struct cw_tx *tx, const struct cw_done *done);

/*
 * A transfer between @sgl (our memory, at least until done()) and @addr/@rkey of the peer. Process
 * context (may sleep). ERR_PTR. Fill done and cookie. Then either cw_bulk_fetch() (RDMA READ), or
 * attach it to a tx (RDMA WRITE), or free it.
 */
static inline struct cw_bulk *cw_bulk_alloc(struct cw_link *link, struct scatterlist *sgl,
					    u32 nents, bool to_peer, u64 addr, u32 rkey)
{
	return link->ops->bulk_alloc(link, sgl, nents, to_peer, addr, rkey);
}

/* done() is called once, also when the link is dead. Any context. */
static inline void cw_bulk_fetch(struct cw_bulk *bulk)
{
	atomic_inc(&bulk->link->bulks);
	bulk->link->ops->bulk_fetch(bulk);
}

/*
 * Call it when the memory was written to after cw_bulk_alloc() had mapped it. With bounce buffers,
 * and where DMA is not coherent, the adapter sends the old content without this (the kernel's
 * Documentation/core-api/dma-api.rst, dma_sync_sg_for_device()). Any context; not under tx_lock, as
 * it may copy the whole memory.
 */
static inline void cw_bulk_filled(struct cw_bulk *bulk)
{
	bulk->link->ops->bulk_filled(bulk);
}

/* For one that was neither fetched nor sent: no done(). */
static inline void cw_bulk_free(struct cw_bulk *bulk)
{
	bulk->link->ops->bulk_free(bulk);
}

#endif
