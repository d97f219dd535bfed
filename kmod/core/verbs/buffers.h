/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Message memory of a link: @count pairs of a data area and a trailer area, mapped for the adapter
 * once.
 */
#ifndef CW_BUFFERS_H
#define CW_BUFFERS_H

#include <rdma/ib_verbs.h>

#include "reserve.h"

struct cw_buffer {
	void *data; /* data_size bytes, page-aligned; NULL where that is 0 */
	u64 data_dma;
	void *trailer; /* NULL where trailer_size is 0 */
	u64 trailer_dma;
	bool data_mapped;
	bool trailer_mapped; /* of the owner of the page */
};

/* The memory node that the adapter is nearest to, or NUMA_NO_NODE. Any context. */
static inline int cw_memory_node(const struct ib_device *ib)
{
	return ib->dev.parent ? dev_to_node(ib->dev.parent) : NUMA_NO_NODE;
}

struct cw_buffers {
	struct ib_device *ib;
	/* Memory comes from it and goes back to it. NULL: none. Set before cw_buffers_alloc(). */
	struct cw_reserve *reserve;
	enum dma_data_direction dir;
	u32 count;
	u32 data_size; /* multiple of PAGE_SIZE, or 0 */
	u32 trailer_size; /* a power of two, at most PAGE_SIZE, or 0 */
	struct cw_buffer *entry;
};

/*
 * Process context. On failure nothing is left. Data areas are zeroed: nothing old ever reaches a
 * peer.
 */
int cw_buffers_alloc(struct cw_buffers *set, struct ib_device *ib, u32 count, u32 data_size,
		     u32 trailer_size, enum dma_data_direction dir);
/* Takes a half-made or empty set too. */
void cw_buffers_free(struct cw_buffers *set);

#endif
