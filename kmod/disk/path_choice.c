// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "path_choice.h"

/* The weight of a new sample is 1 / (1 << CW_CHOICE_SMOOTH). */
#define CW_CHOICE_SMOOTH 3

u32 cw_choice_latency(const struct cw_choice *c)
{
	bool is_stale = !c->load && c->age > CW_CHOICE_STALE;
	u32 latency = c->latency && !is_stale ? c->latency : c->rtt;

	if (!latency)
		return CW_CHOICE_UNKNOWN;
	/* A path that does not answer is at least as slow as it is silent. */
	if (c->load && latency < c->age)
		latency = c->age;
	return latency < CW_CHOICE_UNKNOWN ? latency : CW_CHOICE_UNKNOWN;
}

u32 cw_choice_mean(u32 mean, u32 sample, u32 age)
{
	if (mean && age <= CW_CHOICE_STALE)
		sample = mean - (mean >> CW_CHOICE_SMOOTH) + (sample >> CW_CHOICE_SMOOTH);
	return sample ? sample : 1;
}

/* Below 2^60: a load is below 2^31, a latency at most 2^28. */
static u64 cw_choice_expected(const struct cw_choice *c, u32 load)
{
	return ((u64)c->load + load) * cw_choice_latency(c);
}

unsigned int cw_choice_best(const struct cw_choice *paths, unsigned int count, unsigned int last,
			    u32 load)
{
	unsigned int i, best = count;
	u64 expected, least = 0;

	for (i = 0; i < count; i++) {
		if (!paths[i].usable || i == last)
			continue;
		expected = cw_choice_expected(&paths[i], load);
		if (best != count && expected >= least)
			continue;
		best = i;
		least = expected;
	}
	if (last >= count || !paths[last].usable)
		return best;
	/* Less than three quarters. */
	if (best != count && 4 * least < 3 * cw_choice_expected(&paths[last], load))
		return best;
	return last;
}

unsigned int cw_choice_next(const struct cw_choice *paths, unsigned int count, unsigned int last)
{
	unsigned int i, path;

	for (i = 1; i <= count; i++) {
		path = (last + i) % count;
		if (paths[path].usable)
			return path;
	}
	return count;
}
