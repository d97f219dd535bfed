// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transfers of a link's server end.
 */
#include <linux/slab.h>

#include "link_rdma.h"

void cw_rdma_transfer_end(struct cw_transfer_rdma *b, int err)
{
	struct cw_link_rdma *l = to_rdma(b->base.link);
	void (*done)(void *cookie, int err) = b->base.done;
	void *cookie = b->base.cookie;

	cw_rw_end(&b->rw, &l->ep);
	kfree(b);
	if (done)
		done(cookie, err);
}

struct cw_transfer *cw_rdma_transfer_alloc(struct cw_link *link, struct scatterlist *sgl, u32 nents,
					   bool to_peer, u64 addr, u32 rkey)
{
	struct cw_link_rdma *l = to_rdma(link);
	struct cw_transfer_rdma *b;
	int ret;

	if (cw_link_is_dead(link))
		return ERR_PTR(-ENOTCONN);
	b = kzalloc(sizeof(*b), GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY);
	if (!b)
		return ERR_PTR(-ENOMEM);
	b->rw.sgl = sgl;
	b->rw.nents = nents;
	b->rw.dir = to_peer ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
	ret = cw_rw_init(&b->rw, &l->ep, addr, rkey);
	if (ret < 0) {
		kfree(b);
		return ERR_PTR(ret);
	}
	b->wrs = ret;
	b->base.link = link;
	return &b->base;
}

void cw_rdma_transfer_free(struct cw_transfer *transfer)
{
	transfer->done = NULL;
	cw_rdma_transfer_end(to_transfer(transfer), 0);
}

static void cw_rdma_transfer_fetched(struct cw_post *post, int err)
{
	struct cw_transfer_rdma *b = container_of(post, struct cw_transfer_rdma, post);

	cw_link_transfer_ended(b->base.link);
	cw_rdma_transfer_end(b, err);
}

void cw_rdma_transfer_fetch(struct cw_transfer *transfer)
{
	struct cw_transfer_rdma *b = to_transfer(transfer);
	struct cw_link_rdma *l = to_rdma(transfer->link);

	cw_post_fetch(&b->post, cw_rw_chain(&b->rw, &l->ep, &b->post.cqe, NULL), b->wrs);
	b->post.complete = cw_rdma_transfer_fetched;
	cw_endpoint_post(&l->ep, &b->post);
}

void cw_rdma_transfer_filled(struct cw_transfer *transfer)
{
	const struct cw_rw *t = &to_transfer(transfer)->rw;
	struct ib_device *ib = device_of(to_rdma(transfer->link));
	struct scatterlist *sg;
	u32 i;

	/* An IOMMU may have merged entries: only the whole list is right. */
	if (ib->dma_device) {
		dma_sync_sg_for_device(ib->dma_device, t->sgl, t->nents, DMA_TO_DEVICE);
		return;
	}
	/* Without a DMA device this does nothing, but for builds with strict_dma. */
	for_each_sg(t->sgl, sg, t->nents, i)
		ib_dma_sync_single_for_device(ib, sg_dma_address(sg), sg_dma_len(sg),
					      DMA_TO_DEVICE);
}
