// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of a queue are given when its disk is made (Linux 6.9), change by a commit, and hold the
 * features (6.11).
 */
#include <linux/blk-mq.h>

struct gendisk *probe(struct blk_mq_tag_set *set, struct request_queue *q, void *data);
struct gendisk *probe(struct blk_mq_tag_set *set, struct request_queue *q, void *data)
{
	struct queue_limits limits = queue_limits_start_update(q);

	limits.features |= BLK_FEAT_WRITE_CACHE | BLK_FEAT_ROTATIONAL;
	if (queue_limits_commit_update(q, &limits))
		return NULL;
	return blk_mq_alloc_disk(set, &limits, data);
}
