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

/* Counts @pages as held by connections, or as freed if negative. Any context. */
void cwrs_memory_add(long pages);
/* True if all connections together have reached server_memory. Any context. */
bool cwrs_memory_is_scarce(void);

/* Counts an event of @limit. Any context. */
void cwrs_limit_met(enum cwrs_limit limit);

#endif
