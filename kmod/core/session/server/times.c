// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "times.h"

u32 cw_times_grown_ms(u32 ms, u32 paths)
{
	u32 above;

	if (paths <= CW_TIMES_FEW)
		return ms;
	if (paths >= CW_TIMES_MANY)
		return ms * CW_TIMES_MOST;
	above = paths - CW_TIMES_FEW;
	/* Two factors below 2^32 and 2^11: no overflow, and no division of 64 bits. */
	return ms + ms / (CW_TIMES_MANY - CW_TIMES_FEW) * (CW_TIMES_MOST - 1) * above +
	       ms % (CW_TIMES_MANY - CW_TIMES_FEW) * (CW_TIMES_MOST - 1) * above /
		       (CW_TIMES_MANY - CW_TIMES_FEW);
}
