// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transfers of a link's server end.
 */
#include <linux/slab.h>

#include "link_rdma.h"

void cw_rdma_bulk_end(struct cw_bulk_rdma *b, int err)
{
	struct cw_link_rdma *l = to_rdma(b->bulk.link);
	void (*done)(void *cookie, int err) = b->bulk.done;
	void *cookie = b->bulk.cookie;

	cw_transfer_end(&b->transfer, &l->ep);
	kfree(b);
	if (done)
		done(cookie, err);
}

struct cw_bulk *cw_rdma_bulk_alloc(struct cw_link *link, struct scatterlist *sgl, u32 nents,
				   bool to_peer, u64 addr, u32 rkey)
{
	struct cw_link_rdma *l = to_rdma(link);
	struct cw_bulk_rdma *b;
	int ret;

	if (cw_link_is_dead(link))
		return ERR_PTR(-ENOTCONN);
	b = kzalloc(sizeof(*b), GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY);
	if (!b)
		return ERR_PTR(-ENOMEM);
	b->transfer.sgl = sgl;
	b->transfer.nents = nents;
	b->transfer.dir = to_peer ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
	ret = cw_transfer_init(&b->transfer, &l->ep, addr, rkey);
	if (ret < 0) {
		kfree(b);
		return ERR_PTR(ret);
	}
	b->wrs = ret;
	b->bulk.link = link;
	return &b->bulk;
}

void cw_rdma_bulk_free(struct cw_bulk *bulk)
{
	bulk->done = NULL;
	cw_rdma_bulk_end(container_of(bulk, struct cw_bulk_rdma, bulk), 0);
}

static void cw_bulk_fetched(struct cw_post *post, int err)
{
	struct cw_bulk_rdma *b = container_of(post, struct cw_bulk_rdma, post);

	cw_link_bulk_ended(b->bulk.link);
	cw_rdma_bulk_end(b, err);
}

void cw_rdma_bulk_fetch(struct cw_bulk *bulk)
{
	struct cw_bulk_rdma *b = container_of(bulk, struct cw_bulk_rdma, bulk);
	struct cw_link_rdma *l = to_rdma(bulk->link);

	cw_post_fetch(&b->post, cw_transfer_chain(&b->transfer, &l->ep, &b->post.cqe, NULL),
		      b->wrs);
	b->post.complete = cw_bulk_fetched;
	cw_endpoint_post(&l->ep, &b->post);
}

void cw_rdma_bulk_filled(struct cw_bulk *bulk)
{
	const struct cw_transfer *t = &container_of(bulk, struct cw_bulk_rdma, bulk)->transfer;
	struct ib_device *ib = device_of(to_rdma(bulk->link));
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
