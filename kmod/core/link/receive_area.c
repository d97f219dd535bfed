// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for the receives of links that are going to be made.
 */
#include "link.h"
#include "receive_area.h"

u16 cw_reserve_area(struct cw_reserve *reserve, u32 links, int node)
{
	u32 count = links * (CW_LINK_MESSAGES + CW_LINK_SLACK);
	u16 area;

	for (area = CW_LINK_AREA; area * CW_WIRE_PAGE > PAGE_SIZE; area /= 4)
		if (!cw_reserve_fill(reserve, area * CW_WIRE_PAGE, count, node))
			break;
	return area;
}
