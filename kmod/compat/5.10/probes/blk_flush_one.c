// SPDX-License-Identifier: GPL-2.0-only
/* blkdev_issue_flush(bdev), without flags for memory since Linux 5.12. */
#include <linux/blkdev.h>

int probe(struct block_device *bdev);
int probe(struct block_device *bdev)
{
	return blkdev_issue_flush(bdev);
}
