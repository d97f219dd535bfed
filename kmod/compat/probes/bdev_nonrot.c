// SPDX-License-Identifier: GPL-2.0-only
/* bdev_nonrot() of Linux 5.19; newer kernels have bdev_rot(). */
#include <linux/blkdev.h>

bool probe(struct block_device *bdev);
bool probe(struct block_device *bdev)
{
	return bdev_nonrot(bdev);
}
