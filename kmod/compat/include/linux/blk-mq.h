/* SPDX-License-Identifier: GPL-2.0-only */
/* Request queues as Linux 6.1 has them. */
#ifndef CAUSEWAY_COMPAT_BLK_MQ_H
#define CAUSEWAY_COMPAT_BLK_MQ_H

#include_next <linux/blk-mq.h>
#include <linux/blkdev.h>
#include "causeway_answers.h"

#if CAUSEWAY_HAS_BLK_ALLOC_DISK_LIMITS && !CAUSEWAY_HAS_BLK_ALLOC_DISK_TWO
/* A disk turned until it was told otherwise; now it is the other way round. */
static inline struct gendisk *causeway_alloc_disk(struct blk_mq_tag_set *set, void *queuedata)
{
	struct queue_limits limits = {
#if !CAUSEWAY_HAS_BLK_FLAG_NONROT
		.features = BLK_FEAT_ROTATIONAL,
#endif
	};

	return blk_mq_alloc_disk(set, &limits, queuedata);
}

#undef blk_mq_alloc_disk
#define blk_mq_alloc_disk(set, queuedata) causeway_alloc_disk(set, queuedata)
#endif

#if !CAUSEWAY_HAS_BLK_SHOULD_MERGE
#define BLK_MQ_F_SHOULD_MERGE 0
#endif

#if !CAUSEWAY_HAS_BLK_RQ_MAP_SG_QUEUE
#define blk_rq_map_sg(q, rq, sg) blk_rq_map_sg(rq, sg)
#endif

#endif /* CAUSEWAY_COMPAT_BLK_MQ_H */
