/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_BLK_MQ_H
#define CAUSEWAY_5_10_BLK_MQ_H

#include_next <linux/blk-mq.h>
#include <linux/blkdev.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BLK_NO_SCHED_BY_DEFAULT
#define BLK_MQ_F_NO_SCHED_BY_DEFAULT 0
#endif

#if !CAUSEWAY_HAS_BLK_BUSY_ITER_TWO
struct causeway_busy_iter {
	bool (*each)(struct request *rq, void *data);
	void *data;
};

static inline bool causeway_busy(struct request *rq, void *data, bool reserved)
{
	struct causeway_busy_iter *iter = data;

	return iter->each(rq, iter->data);
}

static inline void causeway_busy_iter(struct blk_mq_tag_set *set,
				      bool (*each)(struct request *rq, void *data), void *data)
{
	struct causeway_busy_iter iter = { .each = each, .data = data };

	blk_mq_tagset_busy_iter(set, causeway_busy, &iter);
}

#define blk_mq_tagset_busy_iter(set, each, data) causeway_busy_iter(set, each, data)
#endif

#if !CAUSEWAY_HAS_BLK_OPS
#include "causeway_disk_ops.h"
#endif

#endif /* CAUSEWAY_5_10_BLK_MQ_H */
