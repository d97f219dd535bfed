/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that a session keeps for its links. A client keeps the memory of its old links for the
 * next ones; a server allocates the memory of a session's links at the login. A machine that has
 * been up for long may have no contiguous pages left, least of all while its memory is full of data
 * for the disk that must be connected again.
 */
#ifndef CW_RESERVE_H
#define CW_RESERVE_H

#include <linux/spinlock.h>
#include <linux/types.h>

#define CW_RESERVE_ORDERS 5

struct cw_reserve {
	spinlock_t lock; /* first, count; process context */
	/* Free areas, by the order of their size. Each begins with a pointer to the next one. */
	void *first[CW_RESERVE_ORDERS];
	u32 count[CW_RESERVE_ORDERS];
};

/**
 * cw_reserve_init() - initialise a reserve
 * @reserve: reserve in zeroed memory
 *
 * Context: Any context.
 */
void cw_reserve_init(struct cw_reserve *reserve);

/**
 * cw_reserve_take() - take an area out of a reserve
 * @reserve: reserve
 * @size: size of the area, in bytes; it is rounded up to a power of two of pages
 *
 * The area belongs to the caller, who gives it back with cw_reserve_give() or frees its pages.
 *
 * Context: Process context. Takes the lock of @reserve.
 * Return: The area, zeroed, or NULL if the reserve has none of this size.
 */
void *cw_reserve_take(struct cw_reserve *reserve, size_t size);

/**
 * cw_reserve_give() - put an area into a reserve
 * @reserve: reserve
 * @memory: area that the page allocator gave out. It belongs to the reserve afterwards.
 * @size: size of the area, in bytes, as it was allocated
 *
 * Context: Process context. Takes the lock of @reserve.
 */
void cw_reserve_give(struct cw_reserve *reserve, void *memory, size_t size);

/**
 * cw_reserve_fill() - allocate areas until a reserve has enough of them
 * @reserve: reserve
 * @size: size of an area, in bytes
 * @count: number of areas of this size that the reserve has afterwards
 * @node: memory node that new areas come from, or NUMA_NO_NODE
 *
 * The allocation does not reclaim memory at any price.
 *
 * Context: Process context. May sleep. Takes the lock of @reserve.
 * Return: 0, or -ENOMEM. After an error the reserve has no area of this size.
 */
int cw_reserve_fill(struct cw_reserve *reserve, size_t size, u32 count, int node);

/**
 * cw_reserve_empty() - free all areas of a reserve
 * @reserve: reserve
 *
 * Context: Process context. Takes the lock of @reserve.
 */
void cw_reserve_empty(struct cw_reserve *reserve);

#endif
