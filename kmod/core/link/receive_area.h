/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for the receives of links that are going to be made. */
#ifndef CW_RECEIVE_AREA_H
#define CW_RECEIVE_AREA_H

#include "../verbs/reserve.h"

/*
 * Has what the receives of @links data links need in @reserve, newly allocated memory of @node
 * included, and none of a larger size. Returns the pages of an area (docs/PROTOCOL.md):
 * CW_LINK_AREA, or fewer where there is not so much contiguous memory. Single pages are left to the
 * links. May sleep; does not try hard.
 */
u16 cw_reserve_area(struct cw_reserve *reserve, u32 links, int node);

#endif
