/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_BLKDEV_H
#define CAUSEWAY_5_10_BLKDEV_H

#include_next <linux/blkdev.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BDEV_SIZE
static inline loff_t bdev_nr_bytes(struct block_device *bdev)
{
	return i_size_read(bdev->bd_inode);
}
#endif

#if !CAUSEWAY_HAS_BDEV_LIMITS
static inline unsigned int bdev_max_discard_sectors(struct block_device *bdev)
{
	struct request_queue *q = bdev_get_queue(bdev);

	return blk_queue_discard(q) ? q->limits.max_discard_sectors : 0;
}

static inline unsigned int bdev_discard_granularity(struct block_device *bdev)
{
	return bdev_get_queue(bdev)->limits.discard_granularity;
}

static inline bool bdev_write_cache(struct block_device *bdev)
{
	return test_bit(QUEUE_FLAG_WC, &bdev_get_queue(bdev)->queue_flags);
}

static inline bool bdev_nonrot(struct block_device *bdev)
{
	return blk_queue_nonrot(bdev_get_queue(bdev));
}

static inline unsigned int bdev_dma_alignment(struct block_device *bdev)
{
	return queue_dma_alignment(bdev_get_queue(bdev));
}
#endif

#if !CAUSEWAY_HAS_BLK_FLUSH_ONE
#define blkdev_issue_flush(bdev) blkdev_issue_flush(bdev, GFP_KERNEL)
#endif

#if !CAUSEWAY_HAS_BLK_DISCARD_FIVE
#define __blkdev_issue_discard(bdev, sector, sectors, gfp, bio)		\
	__blkdev_issue_discard(bdev, sector, sectors, gfp, 0, bio)
#endif

#if !CAUSEWAY_HAS_DISK_CAPACITY_NOTIFY
static inline bool set_capacity_and_notify(struct gendisk *disk, sector_t sectors)
{
	if (disk->flags & GENHD_FL_UP)
		return set_capacity_revalidate_and_notify(disk, sectors, true);
	set_capacity(disk, sectors);
	return false;
}
#endif

#if !CAUSEWAY_HAS_DISK_OPENERS
static inline unsigned int disk_openers(struct gendisk *disk)
{
	struct block_device *bdev = bdget_disk(disk, 0);
	unsigned int openers = bdev ? bdev->bd_openers : 0;

	if (bdev)
		bdput(bdev);
	return openers;
}
#endif

#endif /* CAUSEWAY_5_10_BLKDEV_H */
