/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The structs of a link over an endpoint, and what the files of this folder call of each other.
 */
#ifndef CW_LINK_RDMA_H
#define CW_LINK_RDMA_H

#include <rdma/rw.h>

#include "../../verbs/buffers.h"
#include "../../verbs/endpoint.h"
#include "../link.h"
#include "mr.h"

#define CW_RECORDS_MAX (CW_WIRE_RECORDS * sizeof(struct cw_wire_cmd) + sizeof(struct cw_wire_tail))

struct cw_tx_rdma;
struct cw_link_config;

/* A receive. */
struct cw_rx {
	struct cw_message msg;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge[2];
	u32 used; /* bytes of the message in it */
	struct cw_buffer *buf;
};

/* A transfer. */
struct cw_bulk_rdma {
	struct cw_bulk bulk;
	struct rdma_rw_ctx rw;
	u16 wrs;
	struct cw_post post; /* of a fetch */
};

struct cw_link_rdma {
	struct cw_link link;
	struct cw_endpoint ep;
	struct cw_buffers rx_bufs, tx_bufs, page_bufs;
	struct cw_rx *rx;
	struct cw_tx_rdma *tx;
	struct cw_page *pages;
	u32 rx_count, tx_count, page_count;
	u16 peer_area; /* pages */
	spinlock_t pool_lock; /* irqsave: tx_free, page_free, starved */
	struct list_head tx_free;
	struct cw_page *page_free;
	u32 pages_free;
	bool starved;
	struct cw_mr_pool mrs;
	spinlock_t poll_lock; /* polled: one poller at a time is the receive context */
	/* receive context: records that straddle, or of a bare message */
	u8 records[CW_RECORDS_MAX];
};

static inline struct cw_link_rdma *to_rdma(struct cw_link *link)
{
	return container_of(link, struct cw_link_rdma, link);
}

static inline struct ib_device *device_of(struct cw_link_rdma *l)
{
	return l->ep.domain->device->ib;
}

/* ---- link_rdma.c ---- */

/* A link without a queue pair; NULL: no memory. cw_rdma_free() frees it. May sleep. */
struct cw_link_rdma *cw_link_rdma_alloc(const struct cw_link_config *config, bool server);
/*
 * Queue pair, memory, regions; the connection manager's id is bound to a device. 0 or -errno;
 * cw_rdma_free() frees what was made of it. May sleep.
 */
int cw_link_rdma_equip(struct cw_link_rdma *l, const struct cw_link_config *config,
		       struct cw_domain *domain);
/* cw_link_ops.free: drains, and frees all that was made, and the link. May sleep. */
void cw_rdma_free(struct cw_link *link);

/* ---- receive.c ---- */

/* Memory for receives, and all of them posted. 0 or -errno. May sleep. */
int cw_rx_make(struct cw_link_rdma *l);
/* cw_link_ops.message_put */
void cw_rdma_message_put(struct cw_message *msg);

/* ---- send.c ---- */

/* Memory to send from. 0 or -errno. May sleep. */
int cw_tx_make(struct cw_link_rdma *l);
/*
 * For cw_link_ops, which says in what context each is called. They take pool_lock, but for
 * cw_rdma_tx_attach() and cw_rdma_send(), which are called under tx_lock.
 */
struct cw_tx *cw_rdma_tx_get(struct cw_link *link);
void cw_rdma_tx_put(struct cw_tx *tx);
struct cw_page *cw_rdma_pages_get(struct cw_link *link, u32 count);
void cw_rdma_pages_put(struct cw_link *link, struct cw_page *pages);
void cw_rdma_tx_attach(struct cw_tx *tx, struct cw_map *map);
void cw_rdma_send(struct cw_link *link, struct cw_tx *tx);

/* ---- transfer.c ---- */

/* For cw_link_ops: cw_bulk_alloc() and its neighbours say in what context. No locks. */
struct cw_bulk *cw_rdma_bulk_alloc(struct cw_link *link, struct scatterlist *sgl, u32 nents,
				   bool to_peer, u64 addr, u32 rkey);
void cw_rdma_bulk_fetch(struct cw_bulk *bulk);
void cw_rdma_bulk_filled(struct cw_bulk *bulk);
void cw_rdma_bulk_free(struct cw_bulk *bulk);
/* The adapter does not use the memory of @b: frees @b, calls its done(). Any context, no locks. */
void cw_rdma_bulk_end(struct cw_bulk_rdma *b, int err);

#endif
