// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "region.h"

u32 cw_region_pages(u32 max_io)
{
	return max_io / CW_REGION_PAGE + 1;
}

u32 cw_region_room(u32 pages, u32 offset)
{
	return pages * CW_REGION_PAGE - offset % CW_REGION_PAGE;
}

u32 cw_region_max_io(u32 wanted, u32 pages, u64 mapping, u32 segment)
{
	u64 most = pages < 2 ? 0 : (u64)(pages - 1) * CW_REGION_PAGE;

	if (most > wanted)
		most = wanted;
	if (most > mapping)
		most = mapping;
	if (most > segment)
		most = segment;
	return (u32)most / CW_REGION_PAGE * CW_REGION_PAGE;
}
