/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_12_BLKDEV_H
#define CAUSEWAY_6_12_BLKDEV_H

#include_next <linux/blkdev.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BDEV_ROT
/**
 * bdev_rot() - check whether a block device has rotating media, which Linux 6.12 lacks
 * @bdev: block device
 *
 * Context: Any context.
 * Return: True if the media rotate.
 */
static inline bool bdev_rot(struct block_device *bdev)
{
	return !bdev_nonrot(bdev);
}
#endif

#if !CAUSEWAY_HAS_BLK_DISCARD_VOID
/**
 * causeway_issue_discard() - append the bios of a discard to a chain
 * @bdev: block device, which can discard
 * @sector: first sector
 * @sectors: number of sectors
 * @gfp: flags for the allocation
 * @bio: last bio of the chain, or NULL for none
 *
 * __blkdev_issue_discard() of Linux 6.12 returns an error if the device cannot discard. The newest
 * kernels return nothing, so the caller checks this before.
 *
 * Context: Process context. May sleep, as @gfp allows.
 */
static inline void causeway_issue_discard(struct block_device *bdev, sector_t sector,
					  sector_t sectors, gfp_t gfp, struct bio **bio)
{
	__blkdev_issue_discard(bdev, sector, sectors, gfp, bio);
}

#undef __blkdev_issue_discard
#define __blkdev_issue_discard causeway_issue_discard
#endif

#endif /* CAUSEWAY_6_12_BLKDEV_H */
