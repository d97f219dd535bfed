// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * The delay between attempts to reconnect: exponential, so that a dead server costs little, with
 * jitter, so that the clients of a server that returns do not all come at once. Half of the delay
 * is certain: pure jitter would sometimes not wait at all.
 */
#include "backoff.h"

u32 cw_backoff_ms(u32 attempt, u32 base_ms, u32 cap_ms, u32 random)
{
	u32 whole, half;

	if (!base_ms)
		return 0;
	/* base_ms << attempt is above the cap exactly when base_ms is above cap_ms >> attempt. */
	if (attempt >= 32 || base_ms > cap_ms >> attempt)
		whole = cap_ms;
	else
		whole = base_ms << attempt;

	half = whole - whole / 2;
	return half + random % (whole - half + 1);
}
