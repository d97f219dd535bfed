/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to link_rdma.c and its receives (receive.c).
 */
#ifndef CW_LINK_RDMA_H
#define CW_LINK_RDMA_H

#include "../../verbs/buffers.h"
#include "../../verbs/endpoint.h"
#include "../link.h"
#include "mr.h"

#define CW_RECORDS_MAX (CW_WIRE_RECORDS * sizeof(struct cw_wire_cmd) + sizeof(struct cw_wire_tail))

struct cw_tx_rdma;

/* A receive. */
struct cw_rx {
	struct cw_message msg;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge[2];
	u32 used; /* bytes of the message in it */
	struct cw_buffer *buf;
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

/* Memory for receives, and all of them posted. 0 or -errno. May sleep. */
int cw_rx_make(struct cw_link_rdma *l);
/* cw_link_ops.message_put */
void cw_rdma_message_put(struct cw_message *msg);

#endif
