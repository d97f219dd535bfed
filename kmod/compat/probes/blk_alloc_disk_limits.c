// SPDX-License-Identifier: GPL-2.0-only
/* blk_mq_alloc_disk(set, limits, queuedata) of Linux 6.9. */
#include <linux/blk-mq.h>

struct gendisk *probe(struct blk_mq_tag_set *set, struct queue_limits *limits, void *data);
struct gendisk *probe(struct blk_mq_tag_set *set, struct queue_limits *limits, void *data)
{
	return blk_mq_alloc_disk(set, limits, data);
}
