/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_12_BLKDEV_H
#define CAUSEWAY_6_12_BLKDEV_H

#include_next <linux/blkdev.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BDEV_ROT
static inline bool bdev_rot(struct block_device *bdev)
{
	return !bdev_nonrot(bdev);
}
#endif

/* The result reports only what the device cannot do, which the caller knows. */
#if !CAUSEWAY_HAS_BLK_DISCARD_VOID
static inline void causeway_issue_discard(struct block_device *bdev, sector_t sector,
					  sector_t sectors, gfp_t gfp, struct bio **bio)
{
	__blkdev_issue_discard(bdev, sector, sectors, gfp, bio);
}

#undef __blkdev_issue_discard
#define __blkdev_issue_discard causeway_issue_discard
#endif

#endif /* CAUSEWAY_6_12_BLKDEV_H */
