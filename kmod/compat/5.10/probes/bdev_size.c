// SPDX-License-Identifier: GPL-2.0-only
/* bdev_nr_bytes() of Linux 5.16. */
#include <linux/blkdev.h>

loff_t probe(struct block_device *bdev);
loff_t probe(struct block_device *bdev)
{
	return bdev_nr_bytes(bdev);
}
