// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "probing.h"

enum cw_probing_verdict cw_probing_round(u16 *rounds, bool heard, bool late, u32 limit)
{
	if (heard) {
		*rounds = 0;
		return CW_PROBING_ALIVE;
	}
	/* The answers to earlier probes may be waiting to be handled: the count starts anew. */
	if (late) {
		*rounds = 0;
		return CW_PROBING_ASK;
	}
	(*rounds)++;
	return *rounds >= limit ? CW_PROBING_DEAD : CW_PROBING_ASK;
}

bool cw_probing_is_late(unsigned long overdue, unsigned long interval)
{
	return overdue > interval / 2;
}
