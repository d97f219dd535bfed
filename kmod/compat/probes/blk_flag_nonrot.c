// SPDX-License-Identifier: GPL-2.0-only
/* QUEUE_FLAG_NONROT; since Linux 6.11 a feature among the limits. */
#include <linux/blkdev.h>

void probe(struct request_queue *q);
void probe(struct request_queue *q)
{
	blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, q);
}
