// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations of a disk: poll(hctx, batch) of Linux 5.16, free_disk() of 5.18, timeout(rq) and
 * map_queues() without a result of 6.0. device_add_disk() returns an error since 5.15.
 */
#include <linux/blk-mq.h>
#include <linux/blkdev.h>

int probe(const struct blk_mq_ops *ops, const struct block_device_operations *disk_ops,
	  struct gendisk *disk, struct request *rq, struct io_comp_batch *batch);
int probe(const struct blk_mq_ops *ops, const struct block_device_operations *disk_ops,
	  struct gendisk *disk, struct request *rq, struct io_comp_batch *batch)
{
	void (*map)(struct blk_mq_tag_set *set) = ops->map_queues;

	map(NULL);
	ops->timeout(rq);
	ops->poll(rq->mq_hctx, batch);
	disk_ops->free_disk(disk);
	return device_add_disk(NULL, disk, NULL);
}
