/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_BLKDEV_H
#define CAUSEWAY_5_10_BLKDEV_H

#include_next <linux/blkdev.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BDEV_SIZE
/**
 * bdev_nr_bytes() - get the size of a block device, which Linux before 5.16 lacks
 * @bdev: block device
 *
 * Context: Any context.
 * Return: The size in bytes.
 */
static inline loff_t bdev_nr_bytes(struct block_device *bdev)
{
	return i_size_read(bdev->bd_inode);
}
#endif

#if !CAUSEWAY_HAS_BDEV_LIMITS
/**
 * bdev_max_discard_sectors() - get the longest discard, which Linux before 5.19 lacks
 * @bdev: block device
 *
 * Context: Any context.
 * Return: The number of sectors, 0 if the device does not discard.
 */
static inline unsigned int bdev_max_discard_sectors(struct block_device *bdev)
{
	struct request_queue *q = bdev_get_queue(bdev);

	return blk_queue_discard(q) ? q->limits.max_discard_sectors : 0;
}

/**
 * bdev_discard_granularity() - get the unit of discards, which Linux before 5.19 lacks
 * @bdev: block device
 *
 * Context: Any context.
 * Return: The number of bytes.
 */
static inline unsigned int bdev_discard_granularity(struct block_device *bdev)
{
	return bdev_get_queue(bdev)->limits.discard_granularity;
}

/**
 * bdev_write_cache() - check for a volatile write cache, which Linux before 5.19 lacks
 * @bdev: block device
 *
 * Context: Any context.
 * Return: True if the device needs flushes.
 */
static inline bool bdev_write_cache(struct block_device *bdev)
{
	return test_bit(QUEUE_FLAG_WC, &bdev_get_queue(bdev)->queue_flags);
}

/**
 * bdev_nonrot() - check whether a block device has no rotating media, which Linux before 5.19 lacks
 * @bdev: block device
 *
 * Context: Any context.
 * Return: True if the media do not rotate.
 */
static inline bool bdev_nonrot(struct block_device *bdev)
{
	return blk_queue_nonrot(bdev_get_queue(bdev));
}

/**
 * bdev_dma_alignment() - get the alignment of memory for I/O, which Linux before 6.0 lacks
 * @bdev: block device
 *
 * Context: Any context.
 * Return: The mask of the address bits that must be 0.
 */
static inline unsigned int bdev_dma_alignment(struct block_device *bdev)
{
	return queue_dma_alignment(bdev_get_queue(bdev));
}
#endif

/* Linux before 5.12 takes flags for the allocation. */
#if !CAUSEWAY_HAS_BLK_FLUSH_ONE
#define blkdev_issue_flush(bdev) blkdev_issue_flush(bdev, GFP_KERNEL)
#endif

/* Linux before 5.19 takes flags, of which the modules use none. */
#if !CAUSEWAY_HAS_BLK_DISCARD_FIVE
#define __blkdev_issue_discard(bdev, sector, sectors, gfp, bio)		\
	__blkdev_issue_discard(bdev, sector, sectors, gfp, 0, bio)
#endif

#if !CAUSEWAY_HAS_DISK_CAPACITY_NOTIFY
/**
 * set_capacity_and_notify() - set the size of a disk, which Linux before 5.11 lacks
 * @disk: disk
 * @sectors: size in sectors of 512 bytes
 *
 * The kernel's older function may be called only for a disk that was added.
 *
 * Context: Process context. May sleep.
 * Return: True if programs were notified.
 */
static inline bool set_capacity_and_notify(struct gendisk *disk, sector_t sectors)
{
	if (disk->flags & GENHD_FL_UP)
		return set_capacity_revalidate_and_notify(disk, sectors, true);
	set_capacity(disk, sectors);
	return false;
}
#endif

#if !CAUSEWAY_HAS_DISK_OPENERS
/**
 * disk_openers() - count how often a disk is open, which Linux before 5.19 lacks
 * @disk: disk
 *
 * Context: Process context. May sleep.
 * Return: The number of opens, 0 for a disk without a device.
 */
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
