// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for the receives of links that are going to be made.
 */
#include "link.h"
#include "receive_area.h"

u16 cw_reserve_area(struct cw_reserve *reserve, u32 links, int node, const char *fmt, ...)
{
	u32 count = links * (CW_LINK_MESSAGES + CW_LINK_SLACK);
	struct va_format peer = { .fmt = fmt };
	va_list args;
	u16 area;

	for (area = CW_LINK_AREA; area * CW_WIRE_PAGE > PAGE_SIZE; area /= 4)
		if (!cw_reserve_fill(reserve, area * CW_WIRE_PAGE, count, node))
			break;
	if (area == CW_LINK_AREA)
		return area;
	va_start(args, fmt);
	peer.va = &args;
	pr_notice_ratelimited("causeway: %pV: memory is fragmented: messages of %u KiB instead of %u\n",
			      &peer, area * CW_WIRE_PAGE / 1024,
			      CW_LINK_AREA * CW_WIRE_PAGE / 1024);
	va_end(args);
	return area;
}
