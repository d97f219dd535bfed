// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums of the counters of links.
 */
#include "link.h"

void cw_stats_add(struct cw_stats *to, const struct cw_stats *from)
{
	unsigned int i;

	for (i = 0; i < __CW_N_MAX; i++)
		to->n[i] += READ_ONCE(from->n[i]);
	for (i = 0; i < CW_HISTOGRAM; i++) {
		to->read_latency[i] += READ_ONCE(from->read_latency[i]);
		to->write_latency[i] += READ_ONCE(from->write_latency[i]);
		to->flush_latency[i] += READ_ONCE(from->flush_latency[i]);
	}
}
