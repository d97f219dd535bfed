/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_BLK_MQ_H
#define CAUSEWAY_6_1_BLK_MQ_H

#include_next <linux/blk-mq.h>
#include <linux/blkdev.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BLK_LIMITS
/**
 * causeway_alloc_disk() - allocate a disk with its limits
 * @set: tag set
 * @limits: limits of the queue
 * @data: the driver's data of the queue
 *
 * blk_mq_alloc_disk() of Linux before 6.9 takes no limits.
 *
 * Context: Process context. May sleep.
 * Return: The disk, or ERR_PTR(-errno).
 */
static inline struct gendisk *causeway_alloc_disk(struct blk_mq_tag_set *set,
						  const struct queue_limits *limits, void *data)
{
	struct gendisk *disk = blk_mq_alloc_disk(set, data);

	if (!IS_ERR(disk))
		causeway_limits_set(disk->queue, limits);
	return disk;
}

#undef blk_mq_alloc_disk
#define blk_mq_alloc_disk(set, limits, queuedata) causeway_alloc_disk(set, limits, queuedata)
#endif

#endif /* CAUSEWAY_6_1_BLK_MQ_H */
