// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a session that is in no link.
 */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "reserve.h"

void cw_reserve_init(struct cw_reserve *reserve)
{
	spin_lock_init(&reserve->lock);
}

static void *cw_reserve_pop(struct cw_reserve *reserve, unsigned int order)
{
	void *memory;

	spin_lock(&reserve->lock);
	memory = reserve->first[order];
	if (memory) {
		reserve->first[order] = *(void **)memory;
		reserve->count[order]--;
	}
	spin_unlock(&reserve->lock);
	return memory;
}

static void cw_reserve_push(struct cw_reserve *reserve, void *memory, unsigned int order)
{
	spin_lock(&reserve->lock);
	*(void **)memory = reserve->first[order];
	reserve->first[order] = memory;
	reserve->count[order]++;
	spin_unlock(&reserve->lock);
}

static void cw_reserve_empty_order(struct cw_reserve *reserve, unsigned int order)
{
	void *memory;

	while ((memory = cw_reserve_pop(reserve, order)))
		free_pages((unsigned long)memory, order);
}

void *cw_reserve_take(struct cw_reserve *reserve, size_t size)
{
	unsigned int order = get_order(size);
	void *memory;

	if (order >= CW_RESERVE_ORDERS)
		return NULL;
	memory = cw_reserve_pop(reserve, order);
	if (memory)
		memset(memory, 0, PAGE_SIZE << order);
	return memory;
}

void cw_reserve_give(struct cw_reserve *reserve, void *memory, size_t size)
{
	unsigned int order = get_order(size);

	if (order < CW_RESERVE_ORDERS)
		cw_reserve_push(reserve, memory, order);
	else
		free_pages((unsigned long)memory, order);
}

int cw_reserve_fill(struct cw_reserve *reserve, size_t size, u32 count, int node)
{
	gfp_t gfp = GFP_KERNEL | __GFP_COMP | __GFP_NORETRY | __GFP_NOWARN;
	unsigned int order = get_order(size);
	struct page *page;

	if (order >= CW_RESERVE_ORDERS)
		return -ENOMEM;
	while (READ_ONCE(reserve->count[order]) < count) {
		page = alloc_pages_node(node, gfp, order);
		if (!page) {
			cw_reserve_empty_order(reserve, order);
			return -ENOMEM;
		}
		cw_reserve_push(reserve, page_address(page), order);
	}
	return 0;
}

void cw_reserve_empty(struct cw_reserve *reserve)
{
	unsigned int order;

	for (order = 0; order < CW_RESERVE_ORDERS; order++)
		cw_reserve_empty_order(reserve, order);
}
