// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "path_choice.h"

/* The weight of a new sample is 1 / (1 << CW_CHOICE_SMOOTH). */
#define CW_CHOICE_SMOOTH 3

#define CW_CHOICE_TIME 4 /* from ns to the unit of times */
#define CW_CHOICE_LOAD 12 /* from bytes to CW_CHOICE_COMMAND */

static u64 cw_choice_time(u32 clock)
{
	return (u64)clock << (CW_CHOICE_SHIFT - CW_CHOICE_TIME);
}

u64 cw_choice_expected(const struct cw_choice *c, u32 load)
{
	bool has_mean = c->mean && (c->load || c->age <= CW_CHOICE_STALE);
	u64 least = cw_choice_time(c->rtt), expected;

	if (!has_mean && !c->rtt)
		return 1ULL << 57;
	/* A path that does not answer is at least as slow as it is silent. */
	if (c->load && c->age > c->rtt)
		least = cw_choice_time(c->age);
	expected = has_mean ? (u64)c->mean * (((u64)c->load + load) >> CW_CHOICE_LOAD) : 0;
	return expected > least ? expected : least;
}

u32 cw_choice_mean(u32 mean, u64 ns, u32 load)
{
	u32 sample, most = 1U << 30;

	ns >>= CW_CHOICE_TIME;
	load >>= CW_CHOICE_LOAD;
	sample = ns < most ? ns : most;
	if (load)
		sample /= load;
	if (mean)
		sample = mean - (mean >> CW_CHOICE_SMOOTH) + (sample >> CW_CHOICE_SMOOTH);
	return sample ? sample : 1;
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
