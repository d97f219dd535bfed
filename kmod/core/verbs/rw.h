/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transfers: RDMA READs and WRITEs of data, by contexts of rdma_rw, which chooses the form that the
 * device needs: plain fragments, or memory regions where the sink of an RDMA READ needs an rkey
 * (iWARP).
 */
#ifndef CW_RW_H
#define CW_RW_H

#include <rdma/rw.h>

#include "endpoint.h"

/* A transfer between memory here and one contiguous range of the peer's memory. */
struct cw_rw {
	struct rdma_rw_ctx ctx;
	struct scatterlist *sgl;
	u32 nents;
	enum dma_data_direction dir; /* DMA_FROM_DEVICE: RDMA READ; DMA_TO_DEVICE: RDMA WRITE */
};

/**
 * cw_rw_init() - prepare a transfer
 * @t: transfer, with a zeroed context. Its sgl, nents and dir are set.
 * @ep: endpoint with a queue pair
 * @addr: address of the peer's memory
 * @rkey: rkey of the peer's memory
 *
 * Maps the memory here for the adapter.
 *
 * Context: Process context. May sleep.
 * Return: Number of work requests, -EAGAIN if no memory region of rdma_rw is free, -ENOMEM if there
 * is no memory or the DMA layer has no space for now, or another -errno.
 */
static inline int cw_rw_init(struct cw_rw *t, struct cw_endpoint *ep, u64 addr, u32 rkey)
{
	int ret = rdma_rw_ctx_init(&t->ctx, ep->qp, ep->port_num, t->sgl, t->nents, 0, addr, rkey,
				   t->dir);

	/* -EIO: the DMA layer has no space for now. Transfers that end give it back. */
	return ret == -EIO ? -ENOMEM : ret;
}

/**
 * cw_rw_chain() - link the work requests of a transfer
 * @t: transfer
 * @ep: endpoint that it was prepared for
 * @cqe: completion entry of the last work request, if @next is NULL
 * @next: work request behind them, or NULL
 *
 * Context: Any context.
 * Return: The first work request.
 */
static inline struct ib_send_wr *cw_rw_chain(struct cw_rw *t, struct cw_endpoint *ep,
					     struct ib_cqe *cqe, struct ib_send_wr *next)
{
	return rdma_rw_ctx_wrs(&t->ctx, ep->qp, ep->port_num, cqe, next);
}

/**
 * cw_rw_end() - unmap the memory of a transfer
 * @t: transfer whose memory the adapter does not use any more
 * @ep: endpoint that it was prepared for; it still has its queue pair
 *
 * Context: Any context.
 */
static inline void cw_rw_end(struct cw_rw *t, struct cw_endpoint *ep)
{
	rdma_rw_ctx_destroy(&t->ctx, ep->qp, ep->port_num, t->sgl, t->nents, t->dir);
}

/**
 * cw_post_fetch() - make a post of RDMA READs
 * @post: post. The caller sets complete().
 * @first: first work request of the chain
 * @wrs: number of work requests
 *
 * The post completes only with its own completion: see struct cw_post.
 *
 * Context: Any context.
 */
static inline void cw_post_fetch(struct cw_post *post, struct ib_send_wr *first, u16 wrs)
{
	struct ib_send_wr *wr;

	/* The endpoint sets the completion entry of the last one. */
	for (wr = first; wr->next; wr = (struct ib_send_wr *)wr->next)
		;
	post->first = first;
	post->last = wr;
	post->wrs = wrs;
	post->signal = true;
	post->fetches = true;
}

#endif
