// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory regions of a client's link: one region covers one I/O.
 *
 * A region is free, or registered for one I/O. The peer invalidates it with its completion; where
 * it did not, a local invalidate is posted and only its completion frees the region (before that
 * the peer could still reach the memory). The queue pair is the only one in its protection domain.
 * So once it is drained, or has flushed the invalidate, the peer cannot reach the memory any more,
 * although the rkey stays valid until the region is freed.
 */
#include <linux/slab.h>

#include "mr.h"

u32 cw_mr_depth(struct ib_device *ib, u32 wanted)
{
	return min_t(u32, wanted, ib->attrs.max_fast_reg_page_list_len);
}

static enum dma_data_direction cw_mr_direction(const struct cw_map *map)
{
	return map->to_peer ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

static struct cw_mr *cw_mr_take(struct cw_mr_pool *pool)
{
	struct cw_mr *mr;
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	mr = list_first_entry_or_null(&pool->free, struct cw_mr, entry);
	if (mr)
		list_del(&mr->entry);
	spin_unlock_irqrestore(&pool->lock, flags);
	return mr;
}

static void cw_mr_give_back(struct cw_mr *mr)
{
	struct cw_mr_pool *pool = mr->pool;
	unsigned long flags;

	mr->map = NULL;
	spin_lock_irqsave(&pool->lock, flags);
	list_add(&mr->entry, &pool->free);
	spin_unlock_irqrestore(&pool->lock, flags);
}

static void cw_mr_unmap_dma(struct cw_mr *mr, struct cw_map *map)
{
	ib_dma_unmap_sg(mr->pool->ep->domain->device->ib, map->sgl, map->nents,
			cw_mr_direction(map));
	map->rkey = 0;
	map->mr = NULL;
	cw_mr_give_back(mr);
}

static void cw_mr_invalidated_locally(struct cw_post *post, int err)
{
	struct cw_mr *mr = container_of(post, struct cw_mr, inv_post);
	struct cw_map *map = mr->map;

	/* An error is a flush: the queue pair is dead, and no other one reaches the memory. */
	cw_mr_unmap_dma(mr, map);
	map->unmapped(map, 0);
}

int cw_mr_map(struct cw_mr_pool *pool, struct cw_map *map)
{
	struct ib_device *ib = pool->ep->domain->device->ib;
	struct cw_mr *mr = cw_mr_take(pool);
	int mapped, ret;

	if (!mr)
		return -EAGAIN;
	mapped = ib_dma_map_sg(ib, map->sgl, map->nents, cw_mr_direction(map));
	if (!mapped) {
		cw_mr_give_back(mr);
		return -ENOMEM;
	}
	ret = cw_region_register(&mr->region, map->sgl, mapped, cw_mr_direction(map));
	if (ret) {
		ib_dma_unmap_sg(ib, map->sgl, map->nents, cw_mr_direction(map));
		cw_mr_give_back(mr);
		return ret;
	}
	mr->map = map;
	map->mr = mr;
	map->rkey = mr->region.mr->rkey;
	map->addr = mr->region.mr->iova;
	return 0;
}

int cw_mr_unmap(struct cw_mr_pool *pool, struct cw_map *map, bool invalidated)
{
	struct cw_mr *mr = map->mr;

	if (!mr)
		return 0;
	if (invalidated || pool->ep->drained) {
		cw_mr_unmap_dma(mr, map);
		return 0;
	}
	mr->inv_post.first = cw_region_invalidate(&mr->region, NULL);
	mr->inv_post.last = &mr->region.inv;
	mr->inv_post.wrs = 1;
	mr->inv_post.signal = true;
	mr->inv_post.complete = cw_mr_invalidated_locally;
	cw_endpoint_post(pool->ep, &mr->inv_post);
	return -EINPROGRESS;
}

int cw_mr_pool_init(struct cw_mr_pool *pool, struct cw_endpoint *ep, u32 count, u32 pages)
{
	u32 i;

	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->free);
	pool->ep = ep;
	pool->all = kvcalloc(count, sizeof(*pool->all), GFP_KERNEL);
	if (!pool->all)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct cw_mr *mr = &pool->all[i];
		int ret = cw_region_alloc(&mr->region, ep->domain->pd, pages);

		mr->pool = pool;
		if (ret) {
			cw_mr_pool_free(pool);
			return ret;
		}
		list_add_tail(&mr->entry, &pool->free);
		pool->count++;
	}
	return 0;
}

void cw_mr_pool_free(struct cw_mr_pool *pool)
{
	while (pool->count)
		cw_region_free(&pool->all[--pool->count].region);
	kvfree(pool->all);
	pool->all = NULL;
}
