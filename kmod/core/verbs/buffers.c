// SPDX-License-Identifier: GPL-2.0-only
/*
 * Message memory of a link.
 *
 * A data area is whole pages, so that data of a full message lies page-aligned and can go to a disk
 * from where it arrived. Trailer areas share pages: the first buffer of each group of PAGE_SIZE /
 * trailer_size owns the page.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>

#include "buffers.h"
#include "device.h"

static u32 cw_buffers_per_page(const struct cw_buffers *set)
{
	return PAGE_SIZE / set->trailer_size;
}

static bool cw_buffers_owns_trailer(const struct cw_buffers *set, u32 i)
{
	return set->trailer_size && i % cw_buffers_per_page(set) == 0;
}

/* Zeroed memory of @size bytes. */
static void *cw_buffers_get(struct cw_buffers *set, size_t size)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_COMP;
	void *memory = set->reserve ? cw_reserve_take(set->reserve, size) : NULL;
	struct page *page;

	if (memory)
		return memory;
	/* Contiguous pages may be hard to get. The caller copes; the kernel need not complain. */
	if (get_order(size) > PAGE_ALLOC_COSTLY_ORDER)
		gfp |= __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	page = alloc_pages_node(set->ib ? cw_memory_node(set->ib) : NUMA_NO_NODE, gfp,
				get_order(size));
	return page ? page_address(page) : NULL;
}

static void cw_buffers_put(struct cw_buffers *set, void *memory, size_t size)
{
	if (!memory)
		return;
	if (set->reserve)
		cw_reserve_give(set->reserve, memory, size);
	else
		free_pages((unsigned long)memory, get_order(size));
}

static int cw_buffers_map(struct cw_buffers *set, void *memory, size_t size, u64 *dma, bool *mapped)
{
	if (!set->ib)
		return 0;
	*dma = ib_dma_map_single(set->ib, memory, size, set->dir);
	*mapped = !ib_dma_mapping_error(set->ib, *dma);
	return *mapped ? 0 : -ENOMEM;
}

static int cw_buffers_fill_data(struct cw_buffers *set, struct cw_buffer *buf)
{
	buf->data = cw_buffers_get(set, set->data_size);
	if (!buf->data)
		return -ENOMEM;
	return cw_buffers_map(set, buf->data, set->data_size, &buf->data_dma, &buf->data_mapped);
}

static int cw_buffers_fill_trailer(struct cw_buffers *set, u32 i)
{
	struct cw_buffer *buf = &set->entry[i];
	u32 in_page = i % cw_buffers_per_page(set);
	const struct cw_buffer *owner = buf - in_page;

	if (in_page) {
		buf->trailer = owner->trailer + in_page * set->trailer_size;
		buf->trailer_dma = owner->trailer_dma + in_page * set->trailer_size;
		return 0;
	}
	buf->trailer = cw_buffers_get(set, PAGE_SIZE);
	if (!buf->trailer)
		return -ENOMEM;
	return cw_buffers_map(set, buf->trailer, PAGE_SIZE, &buf->trailer_dma,
			      &buf->trailer_mapped);
}

int cw_buffers_alloc(struct cw_buffers *set, struct ib_device *ib, u32 count, u32 data_size,
		     u32 trailer_size, enum dma_data_direction dir)
{
	int ret = 0;
	u32 i;

	set->ib = ib;
	set->dir = dir;
	set->count = count;
	set->data_size = data_size;
	set->trailer_size = trailer_size;
	set->entry = kvcalloc(count, sizeof(*set->entry), GFP_KERNEL);
	if (!set->entry)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		if (data_size)
			ret = cw_buffers_fill_data(set, &set->entry[i]);
		if (!ret && trailer_size)
			ret = cw_buffers_fill_trailer(set, i);
		if (ret) {
			cw_buffers_free(set);
			return ret;
		}
	}
	return 0;
}

void cw_buffers_free(struct cw_buffers *set)
{
	u32 i;

	if (!set->entry)
		return;
	for (i = 0; i < set->count; i++) {
		struct cw_buffer *buf = &set->entry[i];

		if (buf->data_mapped)
			ib_dma_unmap_single(set->ib, buf->data_dma, set->data_size, set->dir);
		cw_buffers_put(set, buf->data, set->data_size);
		if (!cw_buffers_owns_trailer(set, i))
			continue;
		if (buf->trailer_mapped)
			ib_dma_unmap_single(set->ib, buf->trailer_dma, PAGE_SIZE, set->dir);
		cw_buffers_put(set, buf->trailer, PAGE_SIZE);
	}
	kvfree(set->entry);
	set->entry = NULL;
}
