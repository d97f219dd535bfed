/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of a queue that change while its disk is in use.
 *
 * From Linux 6.9 on they are under a mutex of the queue (limits_lock), and who writes to the
 * queue's folder in sysfs holds that mutex while the queue is frozen, which takes until the
 * requests of the disk have ended. A driver that holds requests and then waits for the mutex waits
 * for itself.
 */
#ifndef CAUSEWAY_LIMITS_H
#define CAUSEWAY_LIMITS_H

#include <linux/blkdev.h>

struct causeway_limits {
	bool write_cache, fua;
	unsigned int discard_sectors, discard_segments;
	unsigned int discard_granularity; /* bytes */
	unsigned int write_zeroes_sectors;
};

/*
 * Gives the queue what differs between @to and @was (NULL: all); what is the same keeps what the
 * administrator made of it. Sleeps, and may wait until the requests of @q have ended: MUST NOT be
 * called by anything on which a held request depends.
 */
static inline void causeway_limits_update(struct request_queue *q, const struct causeway_limits *to,
					  const struct causeway_limits *was)
{
#if CAUSEWAY_HAS_BLK_QUEUE_SETTERS
	might_sleep();
	if (!was || to->write_cache != was->write_cache || to->fua != was->fua)
		blk_queue_write_cache(q, to->write_cache, to->fua);
	if (!was || to->discard_sectors != was->discard_sectors)
		blk_queue_max_discard_sectors(q, to->discard_sectors);
	if (!was || to->discard_segments != was->discard_segments)
		blk_queue_max_discard_segments(q, to->discard_segments);
	if (!was || to->discard_granularity != was->discard_granularity)
		q->limits.discard_granularity = to->discard_granularity;
	if (!was || to->write_zeroes_sectors != was->write_zeroes_sectors)
		blk_queue_max_write_zeroes_sectors(q, to->write_zeroes_sectors);
#else
	struct queue_limits limits;
	int ret;

	might_sleep();
	limits = queue_limits_start_update(q);
	/* What the administrator chose of these is kept beside them and wins. */
	limits.features &= ~(BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA);
	if (to->write_cache)
		limits.features |= BLK_FEAT_WRITE_CACHE | (to->fua ? BLK_FEAT_FUA : 0);
	limits.max_hw_discard_sectors = to->discard_sectors;
	limits.max_discard_segments = to->discard_segments;
	limits.discard_granularity = to->discard_granularity;
	limits.max_write_zeroes_sectors = to->write_zeroes_sectors;
	ret = queue_limits_commit_update(q, &limits);
	WARN_ONCE(ret, "causeway: limits refused (%d)\n", ret);
#endif
}

#endif /* CAUSEWAY_LIMITS_H */
