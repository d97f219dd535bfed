// SPDX-License-Identifier: GPL-2.0-only
/*
 * blkdev_get_by_path(path, FMODE_..., holder); Linux 6.5 to 6.9 made it bdev_file_open_by_path().
 */
#include <linux/blkdev.h>

struct block_device *probe(const char *path, void *holder);
struct block_device *probe(const char *path, void *holder)
{
	return blkdev_get_by_path(path, FMODE_READ | FMODE_EXCL, holder);
}
