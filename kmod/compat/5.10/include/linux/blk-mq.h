/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_BLK_MQ_H
#define CAUSEWAY_5_10_BLK_MQ_H

#include_next <linux/blk-mq.h>
#include <linux/blkdev.h>
#include "causeway_answers.h"

/* Linux before 5.14 lacks the flag, and gives the queue its usual scheduler. */
#if !CAUSEWAY_HAS_BLK_NO_SCHED_BY_DEFAULT
#define BLK_MQ_F_NO_SCHED_BY_DEFAULT 0
#endif

#if !CAUSEWAY_HAS_BLK_OPS
#include "causeway_disk_ops.h"
#endif

#endif /* CAUSEWAY_5_10_BLK_MQ_H */
