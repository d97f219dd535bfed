// SPDX-License-Identifier: GPL-2.0-only
/* __blkdev_issue_discard() without flags, since Linux 5.19. */
#include <linux/blkdev.h>

void probe(struct block_device *bdev, struct bio **bio);
void probe(struct block_device *bdev, struct bio **bio)
{
	__blkdev_issue_discard(bdev, 0, 8, GFP_NOIO, bio);
}
