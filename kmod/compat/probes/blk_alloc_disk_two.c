// SPDX-License-Identifier: GPL-2.0-only
/* blk_mq_alloc_disk(set, queuedata) of Linux 5.14; 6.9 put the limits between them. */
#include <linux/blk-mq.h>

struct gendisk *probe(struct blk_mq_tag_set *set, void *data);
struct gendisk *probe(struct blk_mq_tag_set *set, void *data)
{
	return blk_mq_alloc_disk(set, data);
}
