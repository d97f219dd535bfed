/* SPDX-License-Identifier: GPL-2.0-only */
/* Block devices as Linux 6.1 has them: the limits of a queue, and opening a device. */
#ifndef CAUSEWAY_COMPAT_BLKDEV_H
#define CAUSEWAY_COMPAT_BLKDEV_H

#include_next <linux/blkdev.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BLK_QUEUE_SETTERS
/*
 * Each setter is an update of its own, and each takes the queue's mutex of limits, which others
 * hold while they wait until the requests of the disk have ended. They are for a disk that nobody
 * else knows yet; later changes go through causeway_limits.h. The queue is not frozen for them, as
 * it never was.
 */
static inline void causeway_commit(struct request_queue *q, struct queue_limits *limits)
{
	int ret = queue_limits_commit_update(q, limits);

	WARN_ONCE(ret, "causeway: limits refused (%d)\n", ret);
}

static inline void causeway_feature(struct request_queue *q, blk_features_t feature, bool on)
{
	struct queue_limits limits;

	might_sleep();
	limits = queue_limits_start_update(q);
	if (on)
		limits.features |= feature;
	else
		limits.features &= ~feature;
	causeway_commit(q, &limits);
}

#define CAUSEWAY_LIMIT(setter, type, limit)					\
static inline void setter(struct request_queue *q, type value)			\
{										\
	struct queue_limits limits;						\
										\
	might_sleep();								\
	limits = queue_limits_start_update(q);					\
	limits.limit = value;							\
	causeway_commit(q, &limits);						\
}

CAUSEWAY_LIMIT(blk_queue_logical_block_size, unsigned int, logical_block_size)
CAUSEWAY_LIMIT(blk_queue_physical_block_size, unsigned int, physical_block_size)
CAUSEWAY_LIMIT(blk_queue_io_min, unsigned int, io_min)
CAUSEWAY_LIMIT(blk_queue_io_opt, unsigned int, io_opt)
CAUSEWAY_LIMIT(blk_queue_max_hw_sectors, unsigned int, max_hw_sectors)
CAUSEWAY_LIMIT(blk_queue_max_segments, unsigned short, max_segments)

/* Pages that join make a segment of any length. */
static inline void blk_queue_virt_boundary(struct request_queue *q, unsigned long mask)
{
	struct queue_limits limits;

	might_sleep();
	limits = queue_limits_start_update(q);
	limits.virt_boundary_mask = mask;
	if (mask)
		limits.max_segment_size = UINT_MAX;
	causeway_commit(q, &limits);
}
#endif

#if !CAUSEWAY_HAS_BLK_FLAG_NONROT
/* Flags of the queue that are features among its limits now. */
enum {
	QUEUE_FLAG_NONROT = 1000,
	QUEUE_FLAG_ADD_RANDOM,
};

static inline void causeway_flag(unsigned int flag, struct request_queue *q, bool on)
{
	if (flag == QUEUE_FLAG_NONROT)
		causeway_feature(q, BLK_FEAT_ROTATIONAL, !on);
	else if (flag == QUEUE_FLAG_ADD_RANDOM)
		causeway_feature(q, BLK_FEAT_ADD_RANDOM, on);
	else if (on)
		blk_queue_flag_set(flag, q);
	else
		blk_queue_flag_clear(flag, q);
}

#define blk_queue_flag_set(flag, q) causeway_flag(flag, q, true)
#define blk_queue_flag_clear(flag, q) causeway_flag(flag, q, false)
#endif

#if !CAUSEWAY_HAS_BDEV_NONROT && CAUSEWAY_HAS_BDEV_ROT
static inline bool bdev_nonrot(struct block_device *bdev)
{
	return !bdev_rot(bdev);
}
#endif

#if CAUSEWAY_HAS_BLK_DISCARD_FIVE && !CAUSEWAY_HAS_BLK_DISCARD_RESULT
static inline int causeway_issue_discard(struct block_device *bdev, sector_t sector,
					 sector_t sectors, gfp_t gfp, struct bio **bio)
{
	__blkdev_issue_discard(bdev, sector, sectors, gfp, bio);
	return 0;
}

#define __blkdev_issue_discard causeway_issue_discard
#endif

#if !CAUSEWAY_HAS_BLKDEV_GET_BY_PATH && CAUSEWAY_HAS_BDEV_FILE_OPEN
#include <linux/slab.h>

/* Always exclusive, in the name of this object: it leads from the device back to its file. */
struct causeway_bdev_open {
	struct file *file;
};

#ifndef FMODE_EXCL
#define FMODE_EXCL ((__force fmode_t)0)
#endif

static inline struct block_device *blkdev_get_by_path(const char *path, fmode_t mode, void *holder)
{
	struct causeway_bdev_open *open = kzalloc(sizeof(*open), GFP_KERNEL);
	blk_mode_t how = BLK_OPEN_READ;

	if (!open)
		return ERR_PTR(-ENOMEM);
	if (mode & FMODE_WRITE)
		how |= BLK_OPEN_WRITE;
	open->file = bdev_file_open_by_path(path, how, open, NULL);
	if (IS_ERR(open->file)) {
		long err = PTR_ERR(open->file);

		kfree(open);
		return ERR_PTR(err);
	}
	return file_bdev(open->file);
}

static inline void blkdev_put(struct block_device *bdev, fmode_t mode)
{
	struct causeway_bdev_open *open = bdev->bd_holder;

	bdev_fput(open->file);
	kfree(open);
}
#endif

#endif /* CAUSEWAY_COMPAT_BLKDEV_H */
