/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pool of memory regions of a client's link. A region is registered for the peer by a work
 * request, for the time of one I/O.
 */
#ifndef CW_MR_H
#define CW_MR_H

#include "../../verbs/endpoint.h"
#include "../../verbs/registration.h"
#include "../link.h"

struct cw_mr {
	struct cw_region region;
	struct cw_post inv_post;
	struct cw_map *map;
	struct cw_mr_pool *pool;
	struct list_head entry;
};

struct cw_mr_pool {
	struct cw_endpoint *ep;
	spinlock_t lock; /* irqsave: free */
	struct list_head free;
	struct cw_mr *all;
	u32 count;
};

/**
 * cw_mr_depth() - get the number of pages that a memory region can have
 * @ib: device
 * @wanted: upper limit
 *
 * Context: Any context.
 * Return: Number of pages of CW_REGION_PAGE bytes.
 */
u32 cw_mr_depth(struct ib_device *ib, u32 wanted);

/**
 * cw_mr_pool_init() - allocate the memory regions of a link
 * @pool: pool
 * @ep: endpoint of the link, with a queue pair
 * @count: number of regions
 * @pages: pages of each region, up to cw_mr_depth()
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno. After an error the pool is empty.
 */
int cw_mr_pool_init(struct cw_mr_pool *pool, struct cw_endpoint *ep, u32 count, u32 pages);

/**
 * cw_mr_pool_free() - free the memory regions of a link
 * @pool: pool; it may be empty. The endpoint is drained, and no region is registered.
 *
 * Context: Process context. May sleep.
 */
void cw_mr_pool_free(struct cw_mr_pool *pool);

/**
 * cw_mr_map() - register memory for the peer, as cw_link_map()
 * @pool: pool
 * @map: memory. This function sets its rkey and addr.
 *
 * Context: Any context. Takes the lock of @pool.
 * Return: 0, -EAGAIN if no region is free, or another -errno.
 */
int cw_mr_map(struct cw_mr_pool *pool, struct cw_map *map);

/**
 * cw_mr_unmap() - end the registration of memory, as cw_link_unmap()
 * @pool: pool
 * @map: memory that cw_mr_map() registered
 * @invalidated: the peer has invalidated the rkey
 *
 * Context: Any context. Takes the lock of @pool.
 * Return: 0, or -EINPROGRESS if @map->unmapped() will be called.
 */
int cw_mr_unmap(struct cw_mr_pool *pool, struct cw_map *map, bool invalidated);

#endif
