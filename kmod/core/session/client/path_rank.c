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

/* The best rank of the live paths that carry I/O, or of all live paths. */
static u32 cw_rank_best(const struct cw_rank_path *paths, unsigned int count, bool carries)
{
	u32 best = CW_RANK_NONE;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (paths[i].live && (!carries || paths[i].carries) && paths[i].rank < best)
			best = paths[i].rank;
	return best;
}

u32 cw_rank_choose(const struct cw_rank_path *paths, unsigned int count, u32 *next_ms)
{
	u32 best = cw_rank_best(paths, count, true), used = best, chosen = 0, settle;
	unsigned int i;

	*next_ms = CW_RANK_NEVER;
	if (used == CW_RANK_NONE)
		best = cw_rank_best(paths, count, false);
	for (i = 0; i < count; i++)
		if (paths[i].live && paths[i].rank < best &&
		    paths[i].live_ms >= cw_rank_settle_ms(paths[i].relapses))
			best = paths[i].rank;
	for (i = 0; i < count; i++) {
		if (!paths[i].live)
			continue;
		if (paths[i].rank == best)
			chosen |= 1U << i;
		if (paths[i].rank >= best)
			continue;
		settle = cw_rank_settle_ms(paths[i].relapses) - paths[i].live_ms;
		if (settle < *next_ms)
			*next_ms = settle;
	}
	return chosen;
}
