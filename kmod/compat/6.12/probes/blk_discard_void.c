// SPDX-License-Identifier: GPL-2.0-only
/* __blkdev_issue_discard() returns nothing, in the newest kernels. */
#include <linux/blkdev.h>

typedef void (*issue)(struct block_device *bdev, sector_t sector, sector_t sectors, gfp_t gfp,
		      struct bio **bio);

issue probe(void);
issue probe(void)
{
	return __blkdev_issue_discard;
}
