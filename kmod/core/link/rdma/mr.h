/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory regions of a link's client end: a pool, each lent to the peer for one I/O by fast
 * registration.
 */
#ifndef CW_MR_H
#define CW_MR_H

#include "../../verbs/endpoint.h"
#include "../link.h"

struct cw_mr {
	struct ib_mr *mr;
	struct ib_reg_wr reg; /* chained before the command that names the key */
	struct ib_cqe reg_cqe; /* heard of only when it fails */
	struct ib_send_wr inv;
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

/* Pages that one region of @ib can hold, at most @wanted. */
u32 cw_mr_depth(struct ib_device *ib, u32 wanted);

int cw_mr_pool_init(struct cw_mr_pool *pool, struct cw_endpoint *ep, u32 count, u32 pages);
void cw_mr_pool_free(struct cw_mr_pool *pool);

/* As cw_link_map() and cw_link_unmap(). */
int cw_mr_map(struct cw_mr_pool *pool, struct cw_map *map);
int cw_mr_unmap(struct cw_mr_pool *pool, struct cw_map *map, bool invalidated);

#endif
