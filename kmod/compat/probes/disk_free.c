// SPDX-License-Identifier: GPL-2.0-only
/* The operation free_disk of Linux 5.18, when the last user of a disk is gone. */
#include <linux/blkdev.h>

void probe(const struct block_device_operations *ops, struct gendisk *disk);
void probe(const struct block_device_operations *ops, struct gendisk *disk)
{
	ops->free_disk(disk);
}
