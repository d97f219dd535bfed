/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_BIO_H
#define CAUSEWAY_5_10_BIO_H

#include_next <linux/bio.h>
#include "causeway_answers.h"

/* Linux before 5.11 defines SECTOR_SIZE in linux/blkdev.h. */
#if !CAUSEWAY_HAS_SECTOR_SIZE
#include <linux/blkdev.h>
#endif

#if !CAUSEWAY_HAS_BIO_INIT_FIVE
typedef unsigned int blk_opf_t;

/**
 * causeway_bio_init() - initialise a bio with its device and operation
 * @bio: bio
 * @bdev: block device
 * @table: its table of pages, or NULL
 * @count: entries of the table
 * @operation: operation and flags (REQ_OP_*, REQ_*)
 *
 * bio_init() of Linux before 5.18 takes neither the device nor the operation.
 *
 * Context: Any context.
 */
static inline void causeway_bio_init(struct bio *bio, struct block_device *bdev,
				     struct bio_vec *table, unsigned short count,
				     blk_opf_t operation)
{
	bio_init(bio, table, count);
	bio_set_dev(bio, bdev);
	bio->bi_opf = operation;
}

#define bio_init(bio, bdev, table, count, operation)				\
	causeway_bio_init(bio, bdev, table, count, operation)
#endif

#endif /* CAUSEWAY_5_10_BIO_H */
