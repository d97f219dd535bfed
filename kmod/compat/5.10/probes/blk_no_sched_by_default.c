// SPDX-License-Identifier: GPL-2.0-only
/* BLK_MQ_F_NO_SCHED_BY_DEFAULT of Linux 5.14. */
#include <linux/blk-mq.h>

int probe(void);
int probe(void)
{
	return BLK_MQ_F_NO_SCHED_BY_DEFAULT;
}
