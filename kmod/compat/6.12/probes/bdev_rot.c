// SPDX-License-Identifier: GPL-2.0-only
/* bdev_rot() in the place of bdev_nonrot(), in the newest kernels. */
#include <linux/blkdev.h>

bool probe(struct block_device *bdev);
bool probe(struct block_device *bdev)
{
	return bdev_rot(bdev);
}
