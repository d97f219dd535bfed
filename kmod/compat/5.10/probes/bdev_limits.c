// SPDX-License-Identifier: GPL-2.0-only
/* bdev_max_discard_sectors(), bdev_nonrot() and more of Linux 5.19, bdev_dma_alignment() of 6.0. */
#include <linux/blkdev.h>

unsigned int probe(struct block_device *bdev);
unsigned int probe(struct block_device *bdev)
{
	return bdev_max_discard_sectors(bdev) + bdev_discard_granularity(bdev) +
	       bdev_write_cache(bdev) + bdev_dma_alignment(bdev);
}
