// SPDX-License-Identifier: GPL-2.0-only
/* __blkdev_issue_discard() with flags, until Linux 5.18. */
#include <linux/blkdev.h>

int probe(struct block_device *bdev, struct bio **bio);
int probe(struct block_device *bdev, struct bio **bio)
{
	return __blkdev_issue_discard(bdev, 0, 8, GFP_NOIO, 0, bio);
}
