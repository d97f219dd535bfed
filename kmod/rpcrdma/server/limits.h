/* SPDX-License-Identifier: GPL-2.0-only */
/* The bound of the memory of all connections, and counters of limits. */
#ifndef CWRS_LIMITS_H
#define CWRS_LIMITS_H

#include <linux/types.h>

enum cwrs_limit {
	/* a call waits to fetch data: its connection has as much in flight as it may */
	CWRS_PARKED,
	CWRS_STARVED, /* a call waits to fetch data: no memory region is free */
	CWRS_REFUSED, /* a connection was refused because all connections hold server_memory */
	CWRS_LIMITS
};

/**
 * cwrs_memory_add() - counts pages as held by connections
 * @pages: number of pages; negative: they were freed
 *
 * Context: Any context.
 */
void cwrs_memory_add(long pages);

/**
 * cwrs_memory_is_scarce() - checks whether all connections together hold as much memory as they may
 *
 * Context: Any context.
 * Return: True if they have reached server_memory.
 */
bool cwrs_memory_is_scarce(void);

/**
 * cwrs_limit_met() - counts an event at a limit
 * @limit: limit
 *
 * Context: Any context.
 */
void cwrs_limit_met(enum cwrs_limit limit);

#endif
