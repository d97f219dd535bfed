/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_12_BLK_MQ_H
#define CAUSEWAY_6_12_BLK_MQ_H

#include_next <linux/blk-mq.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BLK_RQ_MAP_SG_TWO
static inline int causeway_rq_map_sg(struct request *rq, struct scatterlist *sg)
{
	return blk_rq_map_sg(rq->q, rq, sg);
}

#define blk_rq_map_sg(rq, sg) causeway_rq_map_sg(rq, sg)
#endif

#if !CAUSEWAY_HAS_BLK_ALWAYS_MERGES
static inline int causeway_alloc_merging(struct blk_mq_tag_set *set)
{
	set->flags |= BLK_MQ_F_SHOULD_MERGE;
	return blk_mq_alloc_tag_set(set);
}

#undef blk_mq_alloc_tag_set
#define blk_mq_alloc_tag_set(set) causeway_alloc_merging(set)
#endif

#endif /* CAUSEWAY_6_12_BLK_MQ_H */
