// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fast registration: one region covers one I/O.
 *
 * A region is free, or lent: mapped for DMA and registered with a key that changes with every use,
 * to one that a peer cannot know from the last.
 * The peer invalidates it with its completion; where it did not, a local invalidate is posted and
 * only its completion gives the memory back (before that the peer could still reach it). On a
 * drained queue pair nothing can reach it any more.
 *
 * Access is remote only in the one direction of the command. A region that is the sink of RDMA
 * WRITE needs local write access too (verbs specification); iWARP's sink of an RDMA READ is on the
 * server and is rdma_rw's business.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "../../verbs/region.h"
#include "../../verbs/rkey.h"
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

	/* An error is a flush: the queue pair is dead and reaches no memory either. */
	cw_mr_unmap_dma(mr, map);
	map->unmapped(map, 0);
}

static void cw_mr_registration_failed(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS)
		cw_endpoint_kill(cq->cq_context, -EIO, "a registration failed: %s",
				 ib_wc_status_msg(wc->status));
}

int cw_mr_map(struct cw_mr_pool *pool, struct cw_map *map)
{
	struct ib_device *ib = pool->ep->domain->device->ib;
	struct cw_mr *mr = cw_mr_take(pool);
	int mapped, n;

	if (!mr)
		return -EAGAIN;
	mapped = ib_dma_map_sg(ib, map->sgl, map->nents, cw_mr_direction(map));
	if (!mapped) {
		cw_mr_give_back(mr);
		return -ENOMEM;
	}
	n = ib_map_mr_sg(mr->mr, map->sgl, mapped, NULL, CW_REGION_PAGE);
	if (n != mapped) {
		ib_dma_unmap_sg(ib, map->sgl, map->nents, cw_mr_direction(map));
		cw_mr_give_back(mr);
		return n < 0 ? n : -EINVAL;
	}
	ib_update_fast_reg_key(mr->mr, cw_next_key(mr->mr->rkey, get_random_u32()));
	mr->map = map;
	mr->reg.wr.next = NULL;
	mr->reg_cqe.done = cw_mr_registration_failed;
	mr->reg.wr.wr_cqe = &mr->reg_cqe;
	mr->reg.wr.opcode = IB_WR_REG_MR;
	mr->reg.wr.send_flags = 0;
	mr->reg.mr = mr->mr;
	mr->reg.key = mr->mr->rkey;
	mr->reg.access = map->to_peer ? IB_ACCESS_REMOTE_READ :
					IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	map->mr = mr;
	map->rkey = mr->mr->rkey;
	map->addr = mr->mr->iova;
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
	mr->inv.opcode = IB_WR_LOCAL_INV;
	mr->inv.ex.invalidate_rkey = map->rkey;
	mr->inv_post.first = &mr->inv;
	mr->inv_post.last = &mr->inv;
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

		mr->pool = pool;
		mr->mr = ib_alloc_mr(ep->domain->pd, IB_MR_TYPE_MEM_REG, pages);
		if (IS_ERR(mr->mr)) {
			int ret = PTR_ERR(mr->mr);

			mr->mr = NULL;
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
		ib_dereg_mr(pool->all[--pool->count].mr);
	kvfree(pool->all);
	pool->all = NULL;
}
