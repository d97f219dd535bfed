/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_BDEV_FILE_H
#define CAUSEWAY_6_1_BDEV_FILE_H

/*
 * A block device that is open is a file. Before Linux 6.9 it has none: what looks like a file to
 * the caller is what is needed to close the device, and only these functions take it.
 */
#include <linux/err.h>
#include <linux/slab.h>

#define BLK_OPEN_READ FMODE_READ
#define BLK_OPEN_WRITE FMODE_WRITE

typedef fmode_t blk_mode_t;

struct blk_holder_ops;

struct causeway_bdev_file {
	struct block_device *bdev;
	blk_mode_t mode;
};

/**
 * causeway_bdev_file_open() - open a block device exclusively
 * @path: path of its device node
 * @mode: BLK_OPEN_*
 * @holder: the owner of the device
 *
 * Linux before 6.9 lacks bdev_file_open_by_path().
 *
 * Context: Process context. May sleep.
 * Return: A pointer for file_bdev() and bdev_fput() only, or ERR_PTR(-errno).
 */
static inline struct file *causeway_bdev_file_open(const char *path, blk_mode_t mode, void *holder)
{
	struct causeway_bdev_file *file = kzalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return ERR_PTR(-ENOMEM);
	file->mode = mode | FMODE_EXCL;
	file->bdev = blkdev_get_by_path(path, file->mode, holder);
	if (IS_ERR(file->bdev)) {
		long err = PTR_ERR(file->bdev);

		kfree(file);
		return ERR_PTR(err);
	}
	return (struct file *)file;
}

/**
 * file_bdev() - get the block device that was opened, which Linux before 6.9 lacks
 * @file: result of causeway_bdev_file_open()
 *
 * Context: Any context.
 * Return: The block device, until bdev_fput().
 */
static inline struct block_device *file_bdev(struct file *file)
{
	return ((struct causeway_bdev_file *)file)->bdev;
}

/**
 * bdev_fput() - close a block device, which Linux before 6.10 lacks
 * @file: result of causeway_bdev_file_open(); invalid afterwards
 *
 * Context: Process context. May sleep.
 */
static inline void bdev_fput(struct file *file)
{
	struct causeway_bdev_file *open = (struct causeway_bdev_file *)file;

	blkdev_put(open->bdev, open->mode);
	kfree(open);
}

#define bdev_file_open_by_path(path, mode, holder, ops) causeway_bdev_file_open(path, mode, holder)

#endif /* CAUSEWAY_6_1_BDEV_FILE_H */
