// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "path_rank.h"

#define CW_RANK_NONE 0x100U /* worse than each rank */
#define CW_RANK_RDMA 1 /* CW_TRANSPORT_RDMA */

u8 cw_rank_of(u8 transport)
{
	return transport == CW_RANK_RDMA ? 0 : 1;
}

u8 cw_rank_relapses(u8 relapses, u32 live_ms)
{
	if (live_ms >= CW_RANK_RELAPSE_MS)
		return 1;
	return relapses < 0xff ? relapses + 1 : relapses;
}

u32 cw_rank_settle_ms(u8 relapses)
{
	u32 ms = CW_RANK_SETTLE_MS;

	if (!relapses)
		return 0;
	while (--relapses && ms < CW_RANK_SETTLE_MOST_MS)
		ms *= 2;
	return ms < CW_RANK_SETTLE_MOST_MS ? ms : CW_RANK_SETTLE_MOST_MS;
}

static bool cw_rank_has_settled(const struct cw_rank_path *p)
{
	return p->live && p->live_ms >= cw_rank_settle_ms(p->relapses);
}

/* True if a path may carry I/O beside or instead of others. */
static bool cw_rank_is_ready(const struct cw_rank_path *p)
{
	return cw_rank_has_settled(p) && (p->answers || !p->relapses);
}

static bool cw_rank_carries(const struct cw_rank_path *p)
{
	return p->live && p->carries;
}

static bool cw_rank_is_live(const struct cw_rank_path *p)
{
	return p->live;
}

/* The best rank of the paths that pass the test. */
static u32 cw_rank_best(const struct cw_rank_path *paths, unsigned int count,
			bool (*test)(const struct cw_rank_path *p))
{
	u32 best = CW_RANK_NONE;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (test(&paths[i]) && paths[i].rank < best)
			best = paths[i].rank;
	return best;
}

/* For a live path that is not ready. */
static void cw_rank_wait_for(const struct cw_rank_path *p, unsigned int number,
			     struct cw_rank_wait *wait)
{
	u32 settle = cw_rank_settle_ms(p->relapses);

	if (p->live_ms >= settle)
		wait->ask |= 1U << number;
	else if (settle - p->live_ms < wait->ms)
		wait->ms = settle - p->live_ms;
}

u32 cw_rank_choose(const struct cw_rank_path *paths, unsigned int count,
		   struct cw_rank_wait *wait)
{
	static bool (*const tests[])(const struct cw_rank_path *p) = {
		cw_rank_is_ready, cw_rank_has_settled, cw_rank_is_live,
	};
	bool (*may)(const struct cw_rank_path *p) = cw_rank_is_ready;
	u32 best = cw_rank_best(paths, count, cw_rank_carries), chosen = 0;
	unsigned int i;

	*wait = (struct cw_rank_wait) { .ms = CW_RANK_NEVER };
	for (i = 0; i < 3 && best == CW_RANK_NONE; i++) {
		may = tests[i];
		best = cw_rank_best(paths, count, may);
	}
	for (i = 0; i < count; i++)
		if (may(&paths[i]) && paths[i].rank < best)
			best = paths[i].rank;
	for (i = 0; i < count; i++) {
		if (!paths[i].live || paths[i].rank > best)
			continue;
		if (paths[i].rank == best && (paths[i].carries || may(&paths[i])))
			chosen |= 1U << i;
		else
			cw_rank_wait_for(&paths[i], i, wait);
	}
	return chosen;
}

/* True if a path logs in before another one. */
static bool cw_rank_is_sooner(const struct cw_rank_login *p, const struct cw_rank_login *other)
{
	if (p->tried != other->tried)
		return other->tried;
	if (p->failed != other->failed)
		return other->failed;
	return p->rank < other->rank;
}

unsigned int cw_rank_next_login(const struct cw_rank_login *paths, unsigned int count,
				unsigned int first)
{
	unsigned int i, path, best = count;

	for (i = 0; i < count; i++) {
		path = (first + i) % count;
		if (paths[path].stays &&
		    (best == count || cw_rank_is_sooner(&paths[path], &paths[best])))
			best = path;
	}
	return best == count ? first : best;
}
