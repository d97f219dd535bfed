// SPDX-License-Identifier: GPL-2.0-only
/* device_add_disk() tells an error, since Linux 5.15. */
#include <linux/blkdev.h>

int probe(struct gendisk *disk);
int probe(struct gendisk *disk)
{
	return device_add_disk(NULL, disk, NULL);
}
