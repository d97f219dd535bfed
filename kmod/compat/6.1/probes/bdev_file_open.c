// SPDX-License-Identifier: GPL-2.0-only
/* bdev_file_open_by_path() of Linux 6.9 and bdev_fput() of 6.10. */
#include <linux/blkdev.h>

void probe(const char *path, void *holder);
void probe(const char *path, void *holder)
{
	bdev_fput(bdev_file_open_by_path(path, BLK_OPEN_READ, holder, NULL));
}
