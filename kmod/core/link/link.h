/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A link: an ordered, credited channel of messages to one peer.
 *
 * Disk and target use links and never verbs. A transport makes a link (rdma/ over an endpoint) and
 * fills in the ops. The files of this folder hold what all transports share: memory of messages
 * (pools.c), ordinals and tails (send.c, receive.c), gathering of commands and completions into
 * messages (gather.c), detection of a dead peer (liveness.c), statistics (stats.c). The client's
 * functions are in command.h, the server's in completion.h, those for transports in transport.h.
 *
 * Ownership of memory: a message that arrived belongs to the handler until cw_message_put(). A
 * message to send (struct cw_tx) belongs to the caller of cw_link_tx_get() until cw_link_send(),
 * then to the link, which keeps it until the adapter can no longer read it: a later signalled send
 * has completed. The data of a message lies in pages of the link (struct cw_page). Pages and a
 * transfer (struct cw_transfer) go with their message.
 *
 * Credit: a message with records needs a receive of the peer. Each message of the peer reports how
 * many receives the peer has posted again. Without credit a message waits in the link, and commands
 * or completions that come meanwhile are gathered in one message.
 *
 * End: cw_link_kill() may be called in any context and more than once. The reason of the first call
 * counts, and that call calls handler->down(). Then the owner calls cw_link_drain() in process
 * context: afterwards there is no callback, and no adapter accesses memory of the link.
 * cw_link_free() frees the link.
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
#include "../../../include/wire/causeway_order.h"
#include "pools.h"
#include "probing.h"

struct bio;
struct percpu_ref;
struct cw_link_caps;
struct cw_slot;
struct cw_transfer;

/* Counters of a link. Written under tx_lock or in the receive context; read without a lock. */
struct cw_stats {
	u64 n[__CW_N_MAX];
	u64 read_latency[CW_HISTOGRAM];
	u64 write_latency[CW_HISTOGRAM];
	u64 flush_latency[CW_HISTOGRAM];
};

/**
 * cw_stats_add() - add the counters of a link to a sum
 * @to: sum
 * @from: counters of a link, which may be in use
 *
 * Context: Any context. The caller serialises changes of @to.
 */
void cw_stats_add(struct cw_stats *to, const struct cw_stats *from);

/* A message that arrived. */
struct cw_message {
	struct cw_link *link;
	struct cw_frame frame;
	const void *records; /* contiguous; valid during handler->message() only */
	void *data; /* data area, page-aligned, contiguous; valid until the last put */
	bool invalidated; /* the message has invalidated @rkey */
	u32 rkey;
	atomic_t users; /* 1 for the handler; it may cw_message_get() more */
};

struct cw_link_handler {
	/*
	 * A well-formed message of a type that this link may carry. Softirq or cw_link_poll(), one
	 * message of a link at a time. The handler owns one reference to @msg. A non-zero return
	 * kills the link: -ENOMEM if memory is short here, another value if the peer broke the
	 * protocol.
	 */
	int (*message)(struct cw_link *link, struct cw_message *msg);
	/*
	 * The link is dead. Called once, in any context, without a lock that the handler takes.
	 * Must not sleep.
	 */
	void (*down)(struct cw_link *link);
	/*
	 * A message, a page or credit is available again after one was missing. Softirq, or any
	 * context without a lock of the link.
	 */
	void (*room)(struct cw_link *link);
	/* Control, may be NULL: ALIVE arrived, with the cookie of a PROBE. Receive context. */
	void (*alive)(struct cw_link *link, u64 cookie);
};

enum cw_link_kind {
	CW_LINK_CONTROL = CW_KIND_CONTROL,
	CW_LINK_DATA = CW_KIND_DATA,
};

/* Receives of a data link. */
#define CW_LINK_AREA 16 /* pages */
#define CW_LINK_MESSAGES 8
#define CW_LINK_SLACK 8U /* receives for messages without records */

#define CW_RECORDS_MAX (CW_WIRE_RECORDS * sizeof(struct cw_wire_cmd) + sizeof(struct cw_wire_tail))

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
	u32 imm; /* bare: the immediate data beside the page */
	bool bare; /* the page alone, no trailer; set when it is sent */
	u16 count; /* records in the trailer so far */
	u16 record; /* bytes of one; 0: messages of this type have none */
	u16 attached; /* client: registrations that the transport posts before it */
	u8 type;
	/* server: data to send before the message, RDMA WRITE or PUT; owned by the tx when sent */
	struct cw_transfer *transfer;
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

/* Client: memory of a request that is registered for the peer. Part of the request. */
struct cw_map {
	struct scatterlist *sgl;
	u32 nents; /* before DMA mapping */
	bool to_peer; /* the peer reads (a write command) */
	u32 rkey; /* 0: not mapped */
	u64 addr;
	void *mr; /* transport's */
	/* Called when cw_link_unmap() returned -EINPROGRESS and the unmapping is done. */
	void (*unmapped)(struct cw_map *map, int err);
};

/* Server: a transfer between memory of the client and memory here. The transport allocates it. */
struct cw_transfer {
	struct cw_link *link;
	/*
	 * RDMA READ: the data has arrived (0), or the link is dead. RDMA WRITE: the adapter does
	 * not use the memory any more; called when the message with the transfer is released. Over
	 * TCP, the data was copied; the message may still wait to be sent.
	 * The transfer is freed already, and the memory belongs to the callee. Softirq.
	 */
	void (*done)(void *cookie, int err);
	void *cookie;
};

struct cw_link_ops {
	u8 transport; /* enum cw_transport */
	/* Client: the registration of @map is posted before the message, in one chain. */
	void (*tx_attach)(struct cw_tx *tx, struct cw_map *map);
	/*
	 * Under link->tx_lock. Sends in the order of the calls, and owns @tx from then on. An error
	 * kills the link.
	 */
	void (*send)(struct cw_link *link, struct cw_tx *tx);
	/*
	 * Server, under link->tx_lock, may be NULL: the transport sends the data of tx->transfer,
	 * and then calls cw_link_put_ended(). So the message gets its ordinal when its data has
	 * gone, and other messages need not wait for that data. NULL: send() does both.
	 */
	void (*put)(struct cw_link *link, struct cw_tx *tx);
	void (*message_put)(struct cw_message *msg);
	int (*map)(struct cw_link *link, struct cw_map *map);
	int (*unmap)(struct cw_link *link, struct cw_map *map, bool invalidated);
	/*
	 * Receive context, may be NULL: false if the completion of the command of @map breaks the
	 * protocol, because a transfer of its data is under way, or, if it succeeded, not complete.
	 */
	bool (*moved)(struct cw_link *link, const struct cw_map *map, bool succeeded);
	struct cw_transfer *(*transfer_alloc)(struct cw_link *link, struct scatterlist *sgl,
					      u32 nents, bool to_peer, u64 addr, u32 rkey);
	void (*transfer_fetch)(struct cw_transfer *transfer);
	void (*transfer_filled)(struct cw_transfer *transfer);
	void (*transfer_free)(struct cw_transfer *transfer);
	int (*poll)(struct cw_link *link);
	/* Called once, after link->reason and link->error were set. Any context. */
	void (*kill)(struct cw_link *link, int err);
	void (*drain)(struct cw_link *link);
	void (*free)(struct cw_link *link);
	/* See factory.h. The server has no acceptance. */
	void (*acceptance)(struct cw_link *link, struct cw_wire_rep *rep);
	void (*describe)(struct cw_link *link, char device[64], u8 *port,
			 struct sockaddr_storage *local, struct sockaddr_storage *peer);
	struct cw_link_caps (*caps)(struct cw_link *link);
};

struct cw_link {
	const struct cw_link_ops *ops;
	const struct cw_link_handler *handler;
	void *owner; /* struct cw_path (client) or struct cw_server_session */
	struct percpu_ref *session_commands; /* server, data: held by each command; of @owner */
	void *priv; /* of disk or target */
	enum cw_link_kind kind;
	bool server; /* this end is the server */
	bool polled; /* client, data: messages arrive in cw_link_poll() alone */
	u16 index;
	struct cw_limits limits; /* as negotiated */
	struct cw_slot *slots; /* client, data: limits.depth of them */
	u16 *bare_slots; /* client: the slot of each bare write */
	u16 messages; /* receives here for messages with records */
	u16 peer_messages; /* the same of the peer */
	u8 pages_max; /* most pages of a message that the adapter can send and the peer receive */
	u32 area; /* most bytes of data in a message that is received */
	struct cw_pools pools;
	/* Records that straddle, or of a bare message; receive context. */
	u8 records[CW_RECORDS_MAX];

	spinlock_t tx_lock; /* irqsave: bi_end_io may come in hard interrupts */
	u32 tx_ordinal; /* under tx_lock */
	u32 rx_ordinal; /* receive context */
	struct cw_tx *open; /* message being gathered; under tx_lock */
	bool open_due; /* @open waits for credit; under tx_lock */
	int corked; /* > 0: completions gather; under tx_lock */
	struct list_head backlog; /* messages that wait for credit; under tx_lock */
	u32 tx_messages; /* with records, sent; under tx_lock */
	u32 credited; /* of them, those whose receive the peer posted again; receive context */
	bool short_of_credit; /* a message waits for credit */
	bool short_of_room; /* handler->room() must be called when credit arrives */
	u32 rx_records; /* messages with records received; receive context */
	atomic_t rx_messages; /* of rx_records, those whose receive was posted again */
	u32 returned; /* rx_messages as the peer knows it; under tx_lock */
	u32 commands; /* client: commands sent; under tx_lock */
	u32 answers; /* client: completions received; receive context */

	/* The peer's progress with transfers and answers: see cw_link_is_stuck(). */
	atomic_t transfers; /* transfers that wait for the peer */
	u32 transfers_ended; /* transfers that do not wait any more; send completions */
	u32 released; /* messages with records that the adapter gave back; send completions */
	bool short_of_tx; /* no message to send was free; under pools.lock */
	u32 progress; /* at the last look of the session */
	u8 looks; /* looks of the session in a row without progress */

	/*
	 * Control: the messages sent and received so far. The half for messages sent is written
	 * under tx_lock before the post, the other half in the receive context.
	 */
	struct cw_order order;
	bool alive_owed; /* a PROBE waits for its ALIVE; under tx_lock */
	u64 alive_cookie; /* cookie of the newest PROBE; under tx_lock */

	unsigned long dead; /* bit 0: killed; bit 1: error and reason are set */
	int error; /* -errno of the death */
	char reason[96];
	unsigned long last_rx; /* jiffies of the last message */
	struct cw_probing probing; /* of the client's watch */
	struct cw_stats stats ____cacheline_aligned;
};

/* ---- life ---- */

/**
 * cw_link_init() - initialise what all transports share of a link
 * @link: link in zeroed memory
 * @ops: functions of the transport
 * @config: properties of the link
 * @server: this end is the server
 *
 * Context: Any context.
 */
void cw_link_init(struct cw_link *link, const struct cw_link_ops *ops,
		  const struct cw_link_config *config, bool server);

/**
 * cw_link_kill() - mark a link as dead
 * @link: link
 * @err: -errno of the death
 * @fmt: format of the reason, a text for people, and its arguments
 *
 * The first call counts. It calls handler->down() and handler->room().
 *
 * Context: Any context. The caller holds no lock that the handler takes.
 * Return: True if this call killed the link.
 */
__printf(3, 4) bool cw_link_kill(struct cw_link *link, int err, const char *fmt, ...);

/**
 * cw_link_is_dead() - check whether a link was killed
 * @link: link
 *
 * Context: Any context.
 * Return: True if so. A link that is alive may die at once after the check.
 */
static inline bool cw_link_is_dead(const struct cw_link *link)
{
	return READ_ONCE(link->dead);
}

/**
 * cw_link_drain() - kill a link, and wait until nothing uses its memory
 * @link: link. It may be drained twice.
 *
 * Afterwards no callback is called, and no adapter accesses memory of the link. Messages that were
 * not sent have been released.
 *
 * Context: Process context. Sleeps.
 */
void cw_link_drain(struct cw_link *link);

/**
 * cw_link_release() - drain a link, and give the memory of its messages back
 * @link: link, which can only be freed afterwards
 *
 * Drivers may need seconds to free a queue pair. This does not wait for that. Once a fence is
 * answered, the path may return, and its login needs the memory, over TCP too.
 *
 * Context: Process context. Sleeps.
 */
void cw_link_release(struct cw_link *link);

/**
 * cw_link_free() - drain and free a link
 * @link: link or NULL
 *
 * Context: Process context. Sleeps.
 */
void cw_link_free(struct cw_link *link);

/* ---- messages ---- */

/**
 * cw_link_tx_get() - allocate a message to send
 * @link: link
 *
 * Context: Any context. Takes pools.lock.
 * Return: The message, or NULL if all are in use; then handler->room() will be called.
 */
struct cw_tx *cw_link_tx_get(struct cw_link *link);

/**
 * cw_link_tx_put() - free a message that was not sent
 * @tx: message
 *
 * Context: Any context. Takes pools.lock.
 */
void cw_link_tx_put(struct cw_tx *tx);

/**
 * cw_link_pages_get() - allocate pages for the data of one command
 * @link: link
 * @len: bytes of data, 1 to CW_WIRE_INLINE_MAX
 *
 * Context: Any context. Takes pools.lock.
 * Return: The pages, chained by next, or NULL if too few are free; then handler->room() will be
 * called.
 */
struct cw_page *cw_link_pages_get(struct cw_link *link, u32 len);

/**
 * cw_link_pages_put() - free pages that went into no message
 * @link: link
 * @pages: pages, chained by next
 *
 * Context: Any context. Takes pools.lock.
 */
void cw_link_pages_put(struct cw_link *link, struct cw_page *pages);

/**
 * cw_link_held() - count the messages that their handler has not put yet
 * @link: link
 *
 * Context: Any context.
 * Return: Number of messages with records.
 */
static inline u32 cw_link_held(const struct cw_link *link)
{
	return READ_ONCE(link->rx_records) - (u32)atomic_read(&link->rx_messages);
}

/**
 * cw_link_return_credit() - send credit to the peer if it knows of too little
 * @link: link
 *
 * Every message carries credit. A handler that takes messages calls this function after it has sent
 * the answers that it had so far.
 *
 * Context: Any context. The caller does not hold tx_lock.
 */
void cw_link_return_credit(struct cw_link *link);

/**
 * cw_link_send() - send a message
 * @link: link
 * @tx: message with its pages and records; the tail is added here. It belongs to the link
 * afterwards. On a dead link the drain releases it.
 *
 * Context: Any context. Takes tx_lock.
 */
void cw_link_send(struct cw_link *link, struct cw_tx *tx);

/**
 * cw_link_send_control() - send a control message
 * @link: link
 * @type: CW_MSG_*
 * @data: data of the message, a struct in the form of the wire, or NULL
 * @len: bytes of @data
 *
 * Context: Any context. Takes tx_lock.
 * Return: 0, -ENOBUFS if there is no memory to send from, or -ENOTCONN if the link is dead.
 */
int cw_link_send_control(struct cw_link *link, u8 type, const void *data, u32 len);

/**
 * cw_link_send_control_tracked() - send a control message, and report its arrival
 * @link: link
 * @type: CW_MSG_*
 * @data: data of the message, a struct in the form of the wire, or NULL
 * @len: bytes of @data
 * @delivered: completed when the adapter of the peer has the message, or when the link is drained;
 * not after an error. May be NULL.
 *
 * Context: Any context. Takes tx_lock.
 * Return: As cw_link_send_control().
 */
int cw_link_send_control_tracked(struct cw_link *link, u8 type, const void *data, u32 len,
				 struct completion *delivered);

/**
 * cw_link_probe() - ask the peer whether it is alive
 * @link: link
 * @cookie: returned by the answer on a control link; a data link has no cookie
 *
 * Context: Any context. Takes tx_lock.
 * Return: As cw_link_send_control().
 */
int cw_link_probe(struct cw_link *link, u64 cookie);

/**
 * cw_message_get() - take another reference to a message that arrived
 * @msg: message to which the caller has a reference
 *
 * Context: Any context.
 */
static inline void cw_message_get(struct cw_message *msg)
{
	atomic_inc(&msg->users);
}

/**
 * cw_message_put() - release a reference to a message that arrived
 * @msg: message. With the last reference its receive is posted again.
 *
 * Context: Any context.
 */
void cw_message_put(struct cw_message *msg);

#endif
