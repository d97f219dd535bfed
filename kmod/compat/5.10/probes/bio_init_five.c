// SPDX-License-Identifier: GPL-2.0-only
/* bio_init(bio, bdev, table, count, operation) of Linux 5.18. */
#include <linux/bio.h>

void probe(struct bio *bio, struct block_device *bdev);
void probe(struct bio *bio, struct block_device *bdev)
{
	blk_opf_t operation = REQ_OP_READ;

	bio_init(bio, bdev, NULL, 0, operation);
}
