/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_BLKDEV_H
#define CAUSEWAY_6_1_BLKDEV_H

#include_next <linux/blkdev.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BLK_LIMITS
#include "causeway_limits.h"
#endif

#if !CAUSEWAY_HAS_BDEV_FILE_OPEN
#include "causeway_bdev_file.h"
#endif

#endif /* CAUSEWAY_6_1_BLKDEV_H */
