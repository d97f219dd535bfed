/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_LIMITS_H
#define CAUSEWAY_6_1_LIMITS_H

/*
 * The limits of a queue as one structure, with the features of the queue among them. Before Linux
 * 6.11 each has a function that sets it, and most features are flags of the queue.
 */
#include <linux/err.h>

typedef unsigned int blk_features_t;

#define BLK_FEAT_WRITE_CACHE 1
#define BLK_FEAT_FUA 2
#define BLK_FEAT_ROTATIONAL 4

/* The members of struct queue_limits of Linux 6.11 that the modules use. */
struct causeway_queue_limits {
	blk_features_t features;
	unsigned long virt_boundary_mask;
	unsigned int max_hw_sectors;
	unsigned int physical_block_size;
	unsigned int logical_block_size;
	unsigned int io_min;
	unsigned int io_opt;
	unsigned int max_hw_discard_sectors;
	unsigned int max_write_zeroes_sectors;
	unsigned int discard_granularity;
	unsigned short max_segments;
	unsigned short max_discard_segments;
};

/**
 * causeway_cache_set() - set whether a queue has a write cache and FUA
 * @q: queue
 * @features: BLK_FEAT_WRITE_CACHE and BLK_FEAT_FUA count
 *
 * Context: Process context.
 */
static inline void causeway_cache_set(struct request_queue *q, blk_features_t features)
{
	blk_queue_write_cache(q, features & BLK_FEAT_WRITE_CACHE, features & BLK_FEAT_FUA);
}

/**
 * causeway_limits_set() - set all limits of a disk that is not added yet
 * @q: queue of the disk
 * @limits: limits
 *
 * Linux before 6.9 takes no limits when it allocates a disk.
 *
 * Context: Process context.
 */
static inline void causeway_limits_set(struct request_queue *q,
				       const struct causeway_queue_limits *limits)
{
	blk_queue_logical_block_size(q, limits->logical_block_size);
	blk_queue_physical_block_size(q, limits->physical_block_size);
	if (limits->io_min)
		blk_queue_io_min(q, limits->io_min);
	blk_queue_io_opt(q, limits->io_opt);
	blk_queue_max_hw_sectors(q, limits->max_hw_sectors);
	blk_queue_virt_boundary(q, limits->virt_boundary_mask);
	blk_queue_max_segments(q, limits->max_segments);
	blk_queue_max_discard_sectors(q, limits->max_hw_discard_sectors);
	blk_queue_max_discard_segments(q, limits->max_discard_segments);
	q->limits.discard_granularity = limits->discard_granularity;
	blk_queue_max_write_zeroes_sectors(q, limits->max_write_zeroes_sectors);
	if (!(limits->features & BLK_FEAT_ROTATIONAL))
		blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, q);
	causeway_cache_set(q, limits->features);
}

/**
 * queue_limits_start_update() - get the limits that a commit can change
 * @q: queue
 *
 * Linux before 6.11 lacks the features in these limits. The newest kernels lock the limits here
 * until the commit; this function takes no lock, so the caller must exclude other updates.
 *
 * Context: Any context.
 * Return: The limits; the members that a commit cannot change are 0.
 */
static inline struct causeway_queue_limits queue_limits_start_update(struct request_queue *q)
{
	struct causeway_queue_limits limits = {
		.max_hw_discard_sectors = q->limits.max_hw_discard_sectors,
		.max_discard_segments = q->limits.max_discard_segments,
		.discard_granularity = q->limits.discard_granularity,
		.max_write_zeroes_sectors = q->limits.max_write_zeroes_sectors,
	};

	if (test_bit(QUEUE_FLAG_WC, &q->queue_flags))
		limits.features |= BLK_FEAT_WRITE_CACHE;
	if (test_bit(QUEUE_FLAG_FUA, &q->queue_flags))
		limits.features |= BLK_FEAT_FUA;
	return limits;
}

/**
 * queue_limits_commit_update() - set the limits that a commit can change
 * @q: queue
 * @to: limits. A limit that is not changed keeps the value that the administrator wrote to sysfs.
 *
 * Linux before 6.11 has a function for each limit, and none reports an error.
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
static inline int queue_limits_commit_update(struct request_queue *q,
					     const struct causeway_queue_limits *to)
{
	struct causeway_queue_limits was = queue_limits_start_update(q);

	if (to->features != was.features)
		causeway_cache_set(q, to->features);
	if (to->max_hw_discard_sectors != was.max_hw_discard_sectors)
		blk_queue_max_discard_sectors(q, to->max_hw_discard_sectors);
	blk_queue_max_discard_segments(q, to->max_discard_segments);
	q->limits.discard_granularity = to->discard_granularity;
	blk_queue_max_write_zeroes_sectors(q, to->max_write_zeroes_sectors);
	return 0;
}

#define queue_limits causeway_queue_limits

#endif /* CAUSEWAY_6_1_LIMITS_H */
