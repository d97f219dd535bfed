/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The structures of a link over an endpoint, and the functions that the files of this folder call
 * of each other.
 */
#ifndef CW_LINK_RDMA_H
#define CW_LINK_RDMA_H

#include "../../verbs/buffers.h"
#include "../../verbs/endpoint.h"
#include "../../verbs/rw.h"
#include "../completion.h"
#include "../factory.h"
#include "../receive.h"
#include "../transport.h"
#include "mr.h"

struct cw_tx_rdma;

/* A receive. */
struct cw_rx {
	struct cw_receive base;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge[2];
	u32 used; /* bytes of the message in it */
};

/* A transfer. */
struct cw_transfer_rdma {
	struct cw_transfer base;
	struct cw_rw rw;
	u16 wrs;
	struct cw_post post; /* of a fetch */
};

struct cw_link_rdma {
	struct cw_link link;
	struct cw_endpoint ep;
	struct cw_rx *rx;
	struct cw_tx_rdma *tx;
	struct cw_mr_pool mrs;
	spinlock_t poll_lock; /* polled: one poller at a time is the receive context */
};

/**
 * to_rdma() - get the link over RDMA that contains a link
 * @link: link of this transport
 *
 * Context: Any context.
 * Return: The link over RDMA.
 */
static inline struct cw_link_rdma *to_rdma(struct cw_link *link)
{
	return container_of(link, struct cw_link_rdma, link);
}

/**
 * device_of() - get the device of a link
 * @l: link with a queue pair
 *
 * Context: Any context.
 * Return: The device.
 */
static inline struct ib_device *device_of(struct cw_link_rdma *l)
{
	return l->ep.domain->device->ib;
}

/**
 * to_transfer() - get the transfer over RDMA that contains a transfer
 * @transfer: transfer of this transport
 *
 * Context: Any context.
 * Return: The transfer over RDMA.
 */
static inline struct cw_transfer_rdma *to_transfer(struct cw_transfer *transfer)
{
	return container_of(transfer, struct cw_transfer_rdma, base);
}

/* ---- link_rdma.c ---- */

/**
 * cw_link_rdma_alloc() - allocate a link without a queue pair
 * @config: properties of the link
 * @server: this end is the server
 *
 * Context: Process context. May sleep.
 * Return: The link, which cw_rdma_free() frees, or NULL if there is no memory.
 */
struct cw_link_rdma *cw_link_rdma_alloc(const struct cw_link_config *config, bool server);

/**
 * cw_link_rdma_equip() - create the queue pair, the memory and the memory regions of a link
 * @l: link whose id is bound to a device
 * @config: properties of the link
 * @domain: protection domain that no other link has: a server that has an rkey of one link reaches
 *	no memory through another one
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno. After an error cw_rdma_free() frees what was created.
 */
int cw_link_rdma_equip(struct cw_link_rdma *l, const struct cw_link_config *config,
		       struct cw_domain *domain);
/**
 * cw_rdma_free() - drain and free a link, for cw_link_ops
 * @link: link; it may be incomplete
 *
 * Context: Process context. Sleeps.
 */
void cw_rdma_free(struct cw_link *link);

/* ---- connect.c ---- */

/**
 * cw_rdma_acceptance() - get the private data of the server's acceptance, for cw_link_ops
 * @link: connected link of a client
 * @rep: set to the private data
 *
 * Context: Any context.
 */
void cw_rdma_acceptance(struct cw_link *link, struct cw_wire_rep *rep);

/**
 * cw_rdma_describe() - get names and addresses of a connection, for cw_link_ops
 * @link: link
 * @device: 64 bytes; set to the name of the device
 * @port: set to the number of the port
 * @local: set to the address of this end
 * @peer: set to the address of the peer
 *
 * Context: Any context.
 */
void cw_rdma_describe(struct cw_link *link, char device[64], u8 *port,
		      struct sockaddr_storage *local, struct sockaddr_storage *peer);

/**
 * cw_rdma_caps() - get what the device of a link can do, for cw_link_ops
 * @link: link on the device
 *
 * Context: Any context.
 * Return: The capabilities.
 */
struct cw_link_caps cw_rdma_caps(struct cw_link *link);

/* ---- receive.c ---- */

/**
 * cw_rx_make() - allocate and post the receives of a link
 * @l: link with a queue pair and buffers
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_rx_make(struct cw_link_rdma *l);

/**
 * cw_rdma_message_put() - post the receive of a message again, for cw_link_ops
 * @msg: message without references
 *
 * Context: Any context.
 */
void cw_rdma_message_put(struct cw_message *msg);

/* ---- send.c ---- */

/**
 * cw_tx_make() - allocate the messages that a link sends
 * @l: link with a queue pair and buffers
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_tx_make(struct cw_link_rdma *l);

/**
 * cw_rdma_tx_attach() - have a registration posted before a message, for cw_link_ops
 * @tx: message
 * @map: memory that cw_mr_map() registered
 *
 * Context: Any context, under tx_lock.
 */
void cw_rdma_tx_attach(struct cw_tx *tx, struct cw_map *map);

/**
 * cw_rdma_send() - send a message, for cw_link_ops
 * @link: link
 * @tx: message. It belongs to the transport afterwards; an error kills the link.
 *
 * Context: Any context, under tx_lock.
 */
void cw_rdma_send(struct cw_link *link, struct cw_tx *tx);

/* ---- transfer.c ---- */

/**
 * cw_rdma_transfer_alloc() - prepare a transfer, for cw_link_ops: see cw_transfer_alloc()
 * @link: link
 * @sgl: memory here
 * @nents: entries of @sgl
 * @to_peer: true: RDMA WRITE; false: RDMA READ
 * @addr: address of the peer's memory
 * @rkey: rkey of the peer's memory
 *
 * Context: Process context. May sleep.
 * Return: The transfer or an ERR_PTR().
 */
struct cw_transfer *cw_rdma_transfer_alloc(struct cw_link *link, struct scatterlist *sgl, u32 nents,
					   bool to_peer, u64 addr, u32 rkey);

/**
 * cw_rdma_transfer_fetch() - start an RDMA READ, for cw_link_ops
 * @transfer: transfer
 *
 * Context: Any context.
 */
void cw_rdma_transfer_fetch(struct cw_transfer *transfer);

/**
 * cw_rdma_transfer_filled() - make data visible to the adapter, for cw_link_ops
 * @transfer: transfer
 *
 * See cw_transfer_filled().
 *
 * Context: Any context, not under tx_lock.
 */
void cw_rdma_transfer_filled(struct cw_transfer *transfer);

/**
 * cw_rdma_transfer_free() - free a transfer without a call of done(), for cw_link_ops
 * @transfer: transfer that was neither fetched nor sent
 *
 * Context: Any context. The caller holds no lock of the link.
 */
void cw_rdma_transfer_free(struct cw_transfer *transfer);

/**
 * cw_rdma_transfer_end() - free a transfer, and call its done()
 * @b: transfer whose memory the adapter does not use any more
 * @err: error for done()
 *
 * Context: Any context. The caller holds no lock of the link.
 */
void cw_rdma_transfer_end(struct cw_transfer_rdma *b, int err);

#endif
