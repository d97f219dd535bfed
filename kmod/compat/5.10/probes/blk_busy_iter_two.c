// SPDX-License-Identifier: GPL-2.0-only
/* What blk_mq_tagset_busy_iter() calls has no "reserved" since Linux 6.0. */
#include <linux/blk-mq.h>

bool each(struct request *rq, void *data);
void probe(struct blk_mq_tag_set *set);
void probe(struct blk_mq_tag_set *set)
{
	blk_mq_tagset_busy_iter(set, each, NULL);
}
