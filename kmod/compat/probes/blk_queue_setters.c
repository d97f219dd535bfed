// SPDX-License-Identifier: GPL-2.0-only
/* blk_queue_logical_block_size() and its kin; Linux 6.11 has only queue_limits_commit_update(). */
#include <linux/blkdev.h>

void probe(struct request_queue *q);
void probe(struct request_queue *q)
{
	blk_queue_logical_block_size(q, 512);
	blk_queue_max_hw_sectors(q, 8);
	blk_queue_write_cache(q, true, true);
}
