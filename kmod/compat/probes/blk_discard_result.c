// SPDX-License-Identifier: GPL-2.0-only
/*
 * __blkdev_issue_discard(bdev, sector, sectors, gfp, bio) tells an error; void in newer kernels,
 * and Linux 5.19 dropped its flags.
 */
#include <linux/blkdev.h>

int probe(struct block_device *bdev, struct bio **bio);
int probe(struct block_device *bdev, struct bio **bio)
{
	return __blkdev_issue_discard(bdev, 0, 8, GFP_NOIO, bio);
}
