// SPDX-License-Identifier: GPL-2.0-only
/* BLK_MQ_F_SHOULD_MERGE; since Linux 6.14 every queue merges. */
#include <linux/blk-mq.h>

int probe(void);
int probe(void)
{
	return BLK_MQ_F_SHOULD_MERGE;
}
