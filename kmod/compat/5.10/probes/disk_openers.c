// SPDX-License-Identifier: GPL-2.0-only
/* disk_openers() of Linux 5.19. */
#include <linux/blkdev.h>

int probe(struct gendisk *disk);
int probe(struct gendisk *disk)
{
	return disk_openers(disk);
}
