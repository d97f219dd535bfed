// SPDX-License-Identifier: GPL-2.0-only
/* Every queue merges since Linux 6.14; before, those with BLK_MQ_F_SHOULD_MERGE did. */
#include <linux/blk-mq.h>

enum probe { BLK_MQ_F_SHOULD_MERGE };

enum probe probe(void);
enum probe probe(void)
{
	return BLK_MQ_F_SHOULD_MERGE;
}
