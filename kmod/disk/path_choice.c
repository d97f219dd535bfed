// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "path_choice.h"

/* The weight of a new sample is 1 / (1 << CW_CHOICE_SMOOTH). */
#define CW_CHOICE_SMOOTH 3

#define CW_CHOICE_TIME 4 /* from ns to the unit of times */
#define CW_CHOICE_LOAD 12 /* from bytes to CW_CHOICE_COMMAND */
/*
 * Commands stay together while one takes at most as many round trips of a probe. If it takes
 * longer, they wait for each other, and another path may be faster.
 */
#define CW_CHOICE_PROMPT 16
#define CW_CHOICE_LONGEST 0x40000000U /* time that is measured: 17 s */

static u64 cw_choice_time(u32 clock)
{
	return (u64)clock << (CW_CHOICE_SHIFT - CW_CHOICE_TIME);
}

static u32 cw_choice_known_mean(const struct cw_choice *c)
{
	return c->load || c->age <= CW_CHOICE_STALE ? c->mean : 0;
}

/*
 * The mean of @last, corrected by the difference of the probes. At the depth of one command this is
 * the time of the same disk by the other network. With more commands it is too low, because @last
 * has gathered them, and @c gets one command that tries it.
 */
static u32 cw_choice_guess(const struct cw_choice *c, const struct cw_choice *last, u32 load)
{
	u32 mean = cw_choice_known_mean(last), units = load >> CW_CHOICE_LOAD, farther;
	bool is_farther = c->rtt > last->rtt;

	if (!c->rtt || !last->rtt || !units || !mean)
		return 0;
	farther = is_farther ? c->rtt - last->rtt : last->rtt - c->rtt;
	farther /= units;
	if (farther >= CW_CHOICE_LONGEST >> (CW_CHOICE_SHIFT - CW_CHOICE_TIME))
		return is_farther ? CW_CHOICE_LONGEST : 0;
	farther <<= CW_CHOICE_SHIFT - CW_CHOICE_TIME;
	if (is_farther)
		return mean + farther;
	return mean > farther ? mean - farther : 0;
}

/* As cw_choice_expected(), if the path had the load @before. */
static u64 cw_choice_expected_behind(const struct cw_choice *c, const struct cw_choice *last,
				     u32 before, u32 load)
{
	u64 least = cw_choice_time(c->rtt), expected;
	u32 mean = cw_choice_known_mean(c);

	if (!mean && !c->rtt)
		return 1ULL << 57;
	if (!mean)
		mean = cw_choice_guess(c, last, load);
	/* A path that does not answer is at least as slow as it is silent. */
	if (c->load && c->age > c->rtt)
		least = cw_choice_time(c->age);
	expected = (u64)mean * (((u64)before + load) >> CW_CHOICE_LOAD);
	return expected > least ? expected : least;
}

u64 cw_choice_expected(const struct cw_choice *c, const struct cw_choice *last, u32 load)
{
	return cw_choice_expected_behind(c, last, c->load, load);
}

u32 cw_choice_mean(u32 mean, u64 ns, u32 load)
{
	u32 sample, whole = 1U << CW_CHOICE_SMOOTH;

	ns >>= CW_CHOICE_TIME;
	load >>= CW_CHOICE_LOAD;
	sample = ns < CW_CHOICE_LONGEST ? ns : CW_CHOICE_LONGEST;
	if (load)
		sample /= load;
	/* Rounded up, so that a mean reaches samples that are all the same. */
	if (mean && sample > mean)
		sample = mean + (sample - mean + whole - 1) / whole;
	else if (mean)
		sample = mean - (mean - sample + whole - 1) / whole;
	return sample ? sample : 1;
}

unsigned int cw_choice_best(const struct cw_choice *paths, unsigned int count, unsigned int last,
			    u32 load, u32 together)
{
	static const struct cw_choice unknown;
	const struct cw_choice *used = last < count && paths[last].usable ? &paths[last] : &unknown;
	u64 expected, least = 0, stays = cw_choice_expected(used, used, load);
	unsigned int i, best = count;
	u32 before = 0;

	if ((u64)used->load + load <= together &&
	    stays <= CW_CHOICE_PROMPT * cw_choice_time(used->rtt))
		before = used->load;
	for (i = 0; i < count; i++) {
		u32 behind = paths[i].load > before ? paths[i].load : before;

		if (!paths[i].usable || i == last)
			continue;
		expected = cw_choice_expected_behind(&paths[i], used, behind, load);
		if (best != count && expected >= least)
			continue;
		best = i;
		least = expected;
	}
	if (used == &unknown || best == count)
		return used == &unknown ? best : last;
	/*
	 * It takes less than 7 of 8 parts where commands stay together, else than three quarters,
	 * or than 31 of 32 parts if no message is shared.
	 */
	if (before)
		return 8 * least < 7 * stays ? best : last;
	return (used->load ? 4 * least < 3 * stays : 32 * least < 31 * stays) ? best : last;
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
