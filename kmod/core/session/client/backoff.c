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

u32 cw_backoff_step_ms(u32 attempt, u32 least_ms, u32 most_ms)
{
	u32 doublings = 0;

	if (attempt >= CW_BACKOFF_FIRST_STEPS)
		doublings = 1 + (attempt - CW_BACKOFF_FIRST_STEPS) / CW_BACKOFF_MORE_STEPS;

	/* least_ms << doublings is above most_ms exactly when least_ms is above the shift. */
	if (doublings >= 32 || least_ms > most_ms >> doublings)
		return most_ms;
	return least_ms << doublings;
}

u32 cw_backoff_bounded_ms(u32 wanted_ms, u32 since_began_ms, bool io_waits)
{
	u32 ms = wanted_ms;

	/* An attempt that took long is followed by the next one at once. */
	if (io_waits && since_began_ms >= CW_BACKOFF_WAITING_MS)
		ms = 0;
	else if (io_waits && ms > CW_BACKOFF_WAITING_MS - since_began_ms)
		ms = CW_BACKOFF_WAITING_MS - since_began_ms;

	if (since_began_ms < CW_BACKOFF_LEAST_MS && ms < CW_BACKOFF_LEAST_MS - since_began_ms)
		ms = CW_BACKOFF_LEAST_MS - since_began_ms;
	return ms;
}
