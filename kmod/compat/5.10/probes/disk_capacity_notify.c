// SPDX-License-Identifier: GPL-2.0-only
/* set_capacity_and_notify() of Linux 5.11. */
#include <linux/blkdev.h>

void probe(struct gendisk *disk);
void probe(struct gendisk *disk)
{
	set_capacity_and_notify(disk, 8);
}
