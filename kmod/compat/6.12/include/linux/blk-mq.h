/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_12_BLK_MQ_H
#define CAUSEWAY_6_12_BLK_MQ_H

#include_next <linux/blk-mq.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BLK_RQ_MAP_SG_TWO
/**
 * causeway_rq_map_sg() - map a request to a scatterlist
 * @rq: request
 * @sg: scatterlist with an entry for each segment of the request
 *
 * blk_rq_map_sg() of Linux before 6.16 takes the queue too.
 *
 * Context: Any context.
 * Return: The number of entries.
 */
static inline int causeway_rq_map_sg(struct request *rq, struct scatterlist *sg)
{
	return blk_rq_map_sg(rq->q, rq, sg);
}

#define blk_rq_map_sg(rq, sg) causeway_rq_map_sg(rq, sg)
#endif

#if !CAUSEWAY_HAS_BLK_ALWAYS_MERGES
/**
 * causeway_alloc_merging() - allocate a tag set whose queues merge requests
 * @set: tag set
 *
 * In Linux before 6.14 only queues with BLK_MQ_F_SHOULD_MERGE merge.
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
static inline int causeway_alloc_merging(struct blk_mq_tag_set *set)
{
	set->flags |= BLK_MQ_F_SHOULD_MERGE;
	return blk_mq_alloc_tag_set(set);
}

#undef blk_mq_alloc_tag_set
#define blk_mq_alloc_tag_set(set) causeway_alloc_merging(set)
#endif

#endif /* CAUSEWAY_6_12_BLK_MQ_H */
