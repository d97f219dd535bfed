/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The structures of a link over TCP, and the functions that the files of this folder call of each
 * other.
 *
 * One work of a link, the io work, sends and receives. So the receive context and the sender never
 * run at the same time, and a completion that ends a command cannot run beside a GOT that reads the
 * memory of that command. All data is copied when it is given to TCP: after the drain, TCP refers
 * to no memory of a command (PROTOCOL, section 12, rule 26).
 *
 * Locks: queue_lock and free_lock are leaves, apart from the locks of the block layer. The lock of
 * the socket is taken by the io work around reception, and callbacks of the handler run under it.
 * So no callback may call the socket: the functions of cw_link_ops only queue.
 */
#ifndef CW_LINK_TCP_H
#define CW_LINK_TCP_H

#include <linux/bvec.h>
#include <linux/completion.h>
#include <linux/crc32c.h>
#include <linux/net.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "../../../../include/wire/causeway_tcp.h"
#include "../completion.h"
#include "../factory.h"
#include "../receive.h"
#include "../transport.h"

#define CW_TCP_VECS 16 /* pieces of data that are given to TCP at once */

/* A place in a scatterlist. */
struct cw_tcp_cursor {
	struct scatterlist *sg;
	u32 at; /* bytes of @sg that are behind the place */
};

/* A receive. */
struct cw_tcp_rx {
	struct cw_receive base;
	struct list_head entry; /* of rx_free */
};

/* Client: memory of a command. Free, mapped, or mapped and offered (memory.rkey is not zero). */
struct cw_tcp_map {
	struct cw_tcp_memory memory;
	u32 rkey;
	u16 turn;
	struct cw_tcp_cursor cursor; /* where the next PUT or GOT goes on; io work */
	struct list_head entry; /* of maps_free */
};

/* Server: a transfer. */
struct cw_tcp_transfer {
	struct cw_transfer base;
	struct cw_tcp_cursor cursor; /* io work */
	u64 addr;
	u32 rkey;
	u32 len;
	u32 named; /* bytes that PUT or GET frames have named; io work */
	u32 got; /* bytes that GOT frames have brought; io work */
	struct list_head entry; /* of fetches; a transfer to the peer is found by its message */
};

/* The frame that is being sent. */
struct cw_tcp_out {
	struct cw_tcp_frame frame; /* kind 0: none */
	struct cw_wire_tcp header;
	struct iov_iter iter; /* what is left of the pieces in vec or bvec */
	u32 left; /* bytes of the frame that are in no piece yet */
	struct cw_tcp_cursor *cursor; /* where these come from */
	struct cw_tx *tx; /* MESSAGE: the message, which has left tx_queue */
	struct kvec vec[CW_TX_PAGES + 2];
	struct bio_vec bvec[CW_TCP_VECS];
};

/* The frame that is arriving. */
struct cw_tcp_in {
	struct cw_tcp_stream stream;
	struct iov_iter iter; /* where the next bytes go */
	struct cw_tcp_cursor *cursor; /* PUT, GOT: where the bytes behind them go */
	struct cw_tcp_rx *rx; /* MESSAGE: its receive */
	struct kvec vec[2];
	struct bio_vec bvec[CW_TCP_VECS];
};

struct cw_link_tcp {
	struct cw_link link;
	struct socket *sock; /* NULL once the link is drained */
	/* The callbacks that @sock had before; under sk_callback_lock while sk_user_data is set. */
	void (*data_ready)(struct sock *sk);
	void (*state_change)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	/*
	 * Server: cw_link_tcp_accept() is still to come, or to end. Other threads may find the link
	 * before, and the drain waits for it.
	 */
	bool awaits_acceptance;
	struct completion accepted;
	struct sockaddr_storage local, peer;
	char device[64];
	struct work_struct io;

	spinlock_t queue_lock; /* irqsave: the next five */
	bool started; /* the io work may run */
	bool drained;
	struct list_head tx_queue;
	struct list_head puts; /* messages whose data has to go first, in the order of ops->put */
	struct list_head fetches; /* transfers that wait for GOT, in the order of their GETs */

	struct cw_tcp_out out; /* io work */
	struct cw_tx *putting; /* the message whose data is being sent, out of puts; io work */
	struct cw_tcp_in in; /* io work */
	u32 sequence; /* frames sent; io work */
	struct cw_tcp_gets gets; /* without an answer; io work */
	bool shut; /* the peer was notified of the end; io work */
	/* Control: a message that must arrive before the end, and where TCP has it. */
	bool has_last_word;
	u32 last_word_end; /* sequence number of TCP; io work, and the drain after it */

	/* Set-up. */
	u8 setup[sizeof(struct cw_wire_rep)]; /* to send: REQUEST or ACCEPTANCE */
	u32 setup_len; /* 0: sent */
	u8 setup_kind;
	u8 answer[sizeof(struct cw_wire_rep)]; /* client: the acceptance or rejection */
	u8 answer_kind; /* of enum cw_wire_tcp_kind, once all of it is there */
	wait_queue_head_t wait; /* client, while it connects */

	struct cw_tcp_rx *rx;
	struct cw_tx *tx;
	struct cw_tcp_map *maps;
	spinlock_t free_lock; /* irqsave: the lists of those that are free */
	struct list_head rx_free, maps_free;
};

/**
 * to_tcp() - get the link over TCP that contains a link
 * @link: link of this transport
 *
 * Context: Any context.
 * Return: The link over TCP.
 */
static inline struct cw_link_tcp *to_tcp(struct cw_link *link)
{
	return container_of(link, struct cw_link_tcp, link);
}

/**
 * to_tcp_transfer() - get the transfer over TCP that contains a transfer
 * @transfer: transfer of this transport
 *
 * Context: Any context.
 * Return: The transfer over TCP.
 */
static inline struct cw_tcp_transfer *to_tcp_transfer(struct cw_transfer *transfer)
{
	return container_of(transfer, struct cw_tcp_transfer, base);
}

/* ---- link_tcp.c ---- */

/**
 * cw_tcp_crc_more() - go on with a CRC32C
 * @crc: state, at first ~0; the complement of the last state is the checksum
 * @data: more bytes
 * @len: their number
 *
 * Context: Any context.
 * Return: The next state.
 */
static inline u32 cw_tcp_crc_more(u32 crc, const void *data, size_t len)
{
	return crc32c(crc, data, len);
}

/**
 * cw_link_tcp_alloc() - allocate a link without a socket
 * @config: properties of the link
 * @server: this end is the server
 *
 * Context: Process context. May sleep.
 * Return: The link with its memory, which cw_tcp_free() frees, or an ERR_PTR().
 */
struct cw_link_tcp *cw_link_tcp_alloc(const struct cw_link_config *config, bool server);

/**
 * cw_tcp_start() - let the socket of a link call the io work
 * @l: link with a socket
 *
 * Context: Process context.
 */
void cw_tcp_start(struct cw_link_tcp *l);

/**
 * cw_tcp_call() - queue the io work, unless the link is drained or not started
 * @l: link
 *
 * Context: Any context. Takes queue_lock.
 */
void cw_tcp_call(struct cw_link_tcp *l);

/**
 * cw_tcp_free() - drain and free a link, for cw_link_ops
 * @link: link; it may be incomplete
 *
 * Context: Process context. Sleeps.
 */
void cw_tcp_free(struct cw_link *link);

/* ---- connect.c ---- */

/**
 * cw_tcp_acceptance() - get the server's acceptance, for cw_link_ops
 * @link: connected link of a client
 * @rep: set to the acceptance
 *
 * Context: Any context.
 */
void cw_tcp_acceptance(struct cw_link *link, struct cw_wire_rep *rep);

/**
 * cw_tcp_describe() - get names and addresses of a connection, for cw_link_ops
 * @link: link
 * @device: 64 bytes; set to the name of the network interface
 * @port: set to 0
 * @local: set to the address of this end
 * @peer: set to the address of the peer
 *
 * Context: Any context.
 */
void cw_tcp_describe(struct cw_link *link, char device[64], u8 *port,
		     struct sockaddr_storage *local, struct sockaddr_storage *peer);

/**
 * cw_tcp_caps() - get what a link can do, for cw_link_ops
 * @link: link
 *
 * Context: Any context.
 * Return: The capabilities.
 */
struct cw_link_caps cw_tcp_caps(struct cw_link *link);

/* ---- memory.c ---- */

/**
 * cw_tcp_cursor_take() - take the next pieces of a scatterlist
 * @cursor: place in the list. It is moved behind the pieces.
 * @vec: CW_TCP_VECS pieces, set
 * @len: bytes wanted, at most those that are left in the list; set to the bytes of the pieces
 *
 * Context: Any context.
 * Return: Number of pieces.
 */
unsigned int cw_tcp_cursor_take(struct cw_tcp_cursor *cursor, struct bio_vec *vec, u32 *len);

/**
 * cw_tcp_maps_make() - allocate the table of offered memory
 * @l: data link of a client
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int cw_tcp_maps_make(struct cw_link_tcp *l);

/**
 * cw_tcp_map() - prepare memory for the peer, for cw_link_ops
 * @link: link
 * @map: memory. This function sets its rkey and addr.
 *
 * Context: Any context. Takes free_lock.
 * Return: 0 or -EAGAIN.
 */
int cw_tcp_map(struct cw_link *link, struct cw_map *map);

/**
 * cw_tcp_unmap() - end the access of the peer to memory, for cw_link_ops
 * @link: link
 * @map: memory that cw_tcp_map() prepared
 * @invalidated: not used
 *
 * Context: The io work; or any context if the memory was not offered or the link is drained. Takes
 * free_lock.
 * Return: 0.
 */
int cw_tcp_unmap(struct cw_link *link, struct cw_map *map, bool invalidated);

/**
 * cw_tcp_moved() - check whether the data of a command has been moved, for cw_link_ops
 * @link: link
 * @map: memory that cw_tcp_map() prepared
 * @succeeded: the completion of the command reports success
 *
 * Context: The io work.
 * Return: False if a GET of the command is unanswered, or if it succeeded with less than all data.
 */
bool cw_tcp_moved(struct cw_link *link, const struct cw_map *map, bool succeeded);

/**
 * cw_tcp_tx_attach() - offer memory to the peer, for cw_link_ops
 * @tx: message with the command of the memory
 * @map: memory that cw_tcp_map() prepared
 *
 * Context: Any context, under tx_lock.
 */
void cw_tcp_tx_attach(struct cw_tx *tx, struct cw_map *map);

/**
 * cw_tcp_map_find() - find the memory that an rkey of the peer names
 * @l: link
 * @rkey: rkey
 *
 * Context: The io work.
 * Return: The memory, or NULL if no offered memory has this rkey.
 */
struct cw_tcp_map *cw_tcp_map_find(struct cw_link_tcp *l, u32 rkey);

/**
 * cw_tcp_transfer_alloc() - prepare a transfer, for cw_link_ops: see cw_transfer_alloc()
 * @link: link
 * @sgl: memory here
 * @nents: entries of @sgl
 * @to_peer: true: PUT; false: GET
 * @addr: address of the peer's memory
 * @rkey: rkey of the peer's memory
 *
 * Context: Process context. May sleep.
 * Return: The transfer or an ERR_PTR().
 */
struct cw_transfer *cw_tcp_transfer_alloc(struct cw_link *link, struct scatterlist *sgl, u32 nents,
					  bool to_peer, u64 addr, u32 rkey);

/**
 * cw_tcp_transfer_fetch() - ask the peer for the data of a transfer, for cw_link_ops
 * @transfer: transfer. Its done() is called once; at once if the link is drained.
 *
 * Context: Any context. Takes queue_lock.
 */
void cw_tcp_transfer_fetch(struct cw_transfer *transfer);

/**
 * cw_tcp_transfer_filled() - do nothing, for cw_link_ops: the data is copied later
 * @transfer: transfer
 *
 * Context: Any context.
 */
void cw_tcp_transfer_filled(struct cw_transfer *transfer);

/**
 * cw_tcp_transfer_free() - free a transfer without a call of done(), for cw_link_ops
 * @transfer: transfer that was neither fetched nor sent
 *
 * Context: Any context.
 */
void cw_tcp_transfer_free(struct cw_transfer *transfer);

/**
 * cw_tcp_transfer_end() - free a transfer, and call its done()
 * @t: transfer that is in no list
 * @err: error for done()
 *
 * Context: Softirq, or any context without a lock of the link.
 */
void cw_tcp_transfer_end(struct cw_tcp_transfer *t, int err);

/* ---- send.c ---- */

/**
 * cw_tcp_tx_make() - allocate the messages that a link sends
 * @l: link with buffers
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int cw_tcp_tx_make(struct cw_link_tcp *l);

/**
 * cw_tcp_send() - queue a message, for cw_link_ops
 * @link: link
 * @tx: message. It belongs to the transport afterwards.
 *
 * Context: Any context, under tx_lock. Takes queue_lock.
 */
void cw_tcp_send(struct cw_link *link, struct cw_tx *tx);

/**
 * cw_tcp_put() - queue a message behind its data, for cw_link_ops
 * @link: link of a server
 * @tx: message with a transfer. It belongs to the transport until cw_link_put_ended().
 *
 * Context: Any context, under tx_lock. Takes queue_lock.
 */
void cw_tcp_put(struct cw_link *link, struct cw_tx *tx);

/**
 * cw_tcp_transmit() - give frames to TCP until it takes no more
 * @l: link
 *
 * Context: The io work.
 * Return: 0 if nothing is left to send, -EAGAIN if TCP takes no more now, or another -errno.
 */
int cw_tcp_transmit(struct cw_link_tcp *l);

/**
 * cw_tcp_release_all() - release everything that waits to be sent or fetched
 * @l: dead link, whose io work does not run or is the caller
 *
 * Context: Process context.
 */
void cw_tcp_release_all(struct cw_link_tcp *l);

/* ---- receive.c ---- */

/**
 * cw_tcp_rx_make() - allocate the receives of a link
 * @l: link with buffers
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int cw_tcp_rx_make(struct cw_link_tcp *l);

/**
 * cw_tcp_message_put() - free the receive of a message, for cw_link_ops
 * @msg: message without references
 *
 * Context: Any context. Takes free_lock.
 */
void cw_tcp_message_put(struct cw_message *msg);

/**
 * cw_tcp_receive() - take what has arrived
 * @l: link
 *
 * Context: The io work. Takes the lock of the socket.
 * Return: The number of bytes taken. An error kills the link.
 */
int cw_tcp_receive(struct cw_link_tcp *l);

#endif
