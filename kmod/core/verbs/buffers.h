/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for the messages of a link: pairs of a data area and a trailer area. The areas stay mapped
 * for the adapter as long as they exist.
 */
#ifndef CW_BUFFERS_H
#define CW_BUFFERS_H

#include <linux/dma-direction.h>

#include "reserve.h"

struct ib_device;

struct cw_buffer {
	void *data; /* data_size bytes, page-aligned; NULL where that is 0 */
	u64 data_dma;
	void *trailer; /* NULL where trailer_size is 0 */
	u64 trailer_dma;
	bool data_mapped;
	bool trailer_mapped; /* of the owner of the page */
};

struct cw_buffers {
	struct ib_device *ib;
	/* Memory comes from it and returns to it. May be NULL. Set before cw_buffers_alloc(). */
	struct cw_reserve *reserve;
	enum dma_data_direction dir;
	u32 count;
	u32 data_size; /* multiple of PAGE_SIZE, or 0 */
	u32 trailer_size; /* a power of two, at most PAGE_SIZE, or 0 */
	struct cw_buffer *entry;
};

/**
 * cw_buffers_alloc() - allocate and map the areas of a set
 * @set: set. Its reserve is set, the other members are not.
 * @ib: device that the areas are mapped for, or NULL if no adapter uses them
 * @count: number of pairs
 * @data_size: bytes of a data area, a multiple of PAGE_SIZE, or 0 for none
 * @trailer_size: bytes of a trailer area, a power of two up to PAGE_SIZE, or 0 for none
 * @dir: direction of the transfers
 *
 * Data areas are zeroed, so that a peer never sees what the memory held before.
 *
 * Context: Process context. May sleep.
 * Return: 0, or -ENOMEM. After an error the set is empty.
 */
int cw_buffers_alloc(struct cw_buffers *set, struct ib_device *ib, u32 count, u32 data_size,
		     u32 trailer_size, enum dma_data_direction dir);
/**
 * cw_buffers_free() - unmap and free the areas of a set
 * @set: set; it may be empty or incomplete. The adapter no longer uses the areas.
 *
 * Context: Process context. May sleep.
 */
void cw_buffers_free(struct cw_buffers *set);

#endif
