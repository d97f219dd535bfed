/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for the receives of links that will be made. */
#ifndef CW_RECEIVE_AREA_H
#define CW_RECEIVE_AREA_H

#include "../verbs/reserve.h"

/**
 * cw_reserve_area() - allocate memory for the receives of data links
 * @reserve: reserve that has the memory afterwards, and none of a larger size
 * @links: number of data links
 * @node: memory node that new memory comes from, or NUMA_NO_NODE
 * @fmt: format of the name of the peer, a text for people, and its arguments
 *
 * Areas are smaller if there is not so much contiguous memory; the kernel's log then gets a notice.
 * Areas of a single page are not allocated here; the links allocate them.
 *
 * Context: Process context. May sleep. Takes the lock of @reserve.
 * Return: Pages of an area (docs/PROTOCOL.md), up to CW_LINK_AREA.
 */
__printf(4, 5) u16 cw_reserve_area(struct cw_reserve *reserve, u32 links, int node,
				   const char *fmt, ...);

#endif
