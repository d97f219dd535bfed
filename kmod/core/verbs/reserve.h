/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of a session for its links: at the client what it keeps from its old links for its next
 * ones, at the server what a login found for the links that will come. A machine that has been up
 * for long may have no contiguous pages left, least of all while its memory is full of data for the
 * disk that is to be connected again.
 */
#ifndef CW_RESERVE_H
#define CW_RESERVE_H

#include <linux/spinlock.h>
#include <linux/types.h>

#define CW_RESERVE_ORDERS 5

struct cw_reserve {
	spinlock_t lock; /* process context */
	/* By order. A free area begins with a pointer to the next one. */
	void *first[CW_RESERVE_ORDERS];
	u32 count[CW_RESERVE_ORDERS];
};

/* In zeroed memory. */
void cw_reserve_init(struct cw_reserve *reserve);
/*
 * Memory of @size bytes, whole pages, zeroed; NULL: none is kept. Process context, like all here.
 */
void *cw_reserve_take(struct cw_reserve *reserve, size_t size);
/* Takes over @memory of @size bytes, which came from the page allocator. */
void cw_reserve_give(struct cw_reserve *reserve, void *memory, size_t size);
/*
 * Has @count areas of @size bytes, newly allocated memory of @node included. -ENOMEM: there are not
 * so many, and none of this size is kept. May sleep; does not try hard.
 */
int cw_reserve_fill(struct cw_reserve *reserve, size_t size, u32 count, int node);
/* Frees everything. */
void cw_reserve_empty(struct cw_reserve *reserve);

#endif
