/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The operations of a disk and its queue with the types of Linux 6.1, on a kernel as old as 5.10.
 *
 * The driver fills in our structures in the place of the kernel's. When it gives its operations to
 * the kernel (tag set, disk), they are put behind operations of the kernel's types. Where the
 * kernel has changed the order of calls, the old order is kept here: del_gendisk() is followed by
 * the cleanup of the disk's queue, and put_disk() calls free_disk, because then nothing of the disk
 * leads to the driver any longer. The state is static, so only one source file of a driver gives
 * operations to the kernel: the one that makes disks.
 */
#ifndef CAUSEWAY_DISK_OPS_H
#define CAUSEWAY_DISK_OPS_H

/* The members that point to operations have the kernel's types. */
#pragma GCC diagnostic ignored "-Wincompatible-pointer-types"

struct io_comp_batch;

/* The operations of struct blk_mq_ops that the driver sets, with the types of Linux 6.1. */
struct causeway_mq_ops {
	blk_status_t (*queue_rq)(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *data);
	void (*commit_rqs)(struct blk_mq_hw_ctx *hctx);
	void (*complete)(struct request *rq);
	enum blk_eh_timer_return (*timeout)(struct request *rq);
	int (*init_hctx)(struct blk_mq_hw_ctx *hctx, void *data, unsigned int index);
	int (*poll)(struct blk_mq_hw_ctx *hctx, struct io_comp_batch *batch);
	void (*map_queues)(struct blk_mq_tag_set *set);
};

static const struct causeway_mq_ops *causeway_mq_given;
static struct blk_mq_ops causeway_mq_kernel;

/**
 * causeway_mq_timeout() - call the driver's timeout(), which has one argument
 * @rq: request
 * @reserved: the request has a reserved tag; the driver has none. Linux before 6.0 passes it.
 *
 * Context: Process context.
 * Return: The driver's result.
 */
static inline enum blk_eh_timer_return causeway_mq_timeout(struct request *rq, bool reserved)
{
	return causeway_mq_given->timeout(rq);
}

/**
 * causeway_mq_poll() - call the driver's poll(), which has a batch
 * @hctx: hardware queue
 *
 * Linux before 5.16 gives no batch, so the driver ends each request by itself.
 *
 * Context: Process context.
 * Return: The number of requests that ended.
 */
static inline int causeway_mq_poll(struct blk_mq_hw_ctx *hctx)
{
	return causeway_mq_given->poll(hctx, NULL);
}

/**
 * causeway_mq_map_queues() - call the driver's map_queues(), which has no result
 * @set: tag set
 *
 * Linux before 6.0 expects a result.
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
static inline int causeway_mq_map_queues(struct blk_mq_tag_set *set)
{
	causeway_mq_given->map_queues(set);
	return 0;
}

/**
 * causeway_alloc_tag_set() - allocate a tag set whose operations are a struct causeway_mq_ops
 * @set: tag set. This function replaces its operations by those of the kernel's type.
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
static inline int causeway_alloc_tag_set(struct blk_mq_tag_set *set)
{
	const struct causeway_mq_ops *given = (const void *)set->ops;

	causeway_mq_given = given;
	causeway_mq_kernel.queue_rq = given->queue_rq;
	causeway_mq_kernel.commit_rqs = given->commit_rqs;
	causeway_mq_kernel.complete = given->complete;
	causeway_mq_kernel.timeout = causeway_mq_timeout;
	causeway_mq_kernel.init_hctx = given->init_hctx;
	causeway_mq_kernel.poll = causeway_mq_poll;
	causeway_mq_kernel.map_queues = causeway_mq_map_queues;
	set->ops = &causeway_mq_kernel;
	return blk_mq_alloc_tag_set(set);
}

/* The operations of struct block_device_operations that the driver sets, as in Linux 6.1. */
struct causeway_disk_ops {
	struct module *owner;
	void (*free_disk)(struct gendisk *disk);
};

static const struct causeway_disk_ops *causeway_disk_given;
static struct block_device_operations causeway_disk_kernel;

/**
 * causeway_old_alloc_disk() - allocate a disk and its queue
 * @set: tag set
 * @queuedata: the driver's data of the queue
 *
 * Linux before 5.14 has no blk_mq_alloc_disk(), and allocates disk and queue one by one.
 *
 * Context: Process context. May sleep.
 * Return: The disk, or ERR_PTR(-errno).
 */
static inline struct gendisk *causeway_old_alloc_disk(struct blk_mq_tag_set *set, void *queuedata)
{
	struct request_queue *q = blk_mq_init_queue_data(set, queuedata);
	struct gendisk *disk;

	if (IS_ERR(q))
		return ERR_CAST(q);
	disk = alloc_disk(0);
	if (!disk) {
		blk_cleanup_queue(q);
		return ERR_PTR(-ENOMEM);
	}
	/*
	 * The block layer assigns the device numbers, those of partitions too, as it does for all
	 * disks now.
	 */
	disk->flags |= GENHD_FL_EXT_DEVT;
	disk->queue = q;
	return disk;
}

/**
 * causeway_add_disk() - make a disk visible
 * @parent: parent of the disk's device, or NULL
 * @disk: disk, whose operations are a struct causeway_disk_ops. This function replaces them by
 *        those of the kernel's type.
 * @groups: attributes of the disk in sysfs
 *
 * device_add_disk() of Linux before 5.15 reports no error.
 *
 * Context: Process context. May sleep.
 * Return: 0.
 */
static inline int causeway_add_disk(struct device *parent, struct gendisk *disk,
				    const struct attribute_group **groups)
{
	causeway_disk_given = (const void *)disk->fops;
	causeway_disk_kernel.owner = causeway_disk_given->owner;
	disk->fops = &causeway_disk_kernel;
	device_add_disk(parent, disk, groups);
	return 0;
}

/**
 * causeway_del_disk() - remove a disk that was added, and shut its queue down
 * @disk: disk
 *
 * In the newest kernels del_gendisk() shuts the queue down too.
 *
 * Context: Process context. May sleep.
 */
static inline void causeway_del_disk(struct gendisk *disk)
{
	del_gendisk(disk);
	blk_cleanup_queue(disk->queue);
}

/**
 * causeway_put_disk() - drop the driver's reference to a disk
 * @disk: disk that causeway_del_disk() removed, or that was never added
 *
 * Linux before 5.18 has no free_disk(). For a disk that was added, this function calls the driver's
 * free_disk(). For a disk that was not added, it shuts the queue down.
 *
 * Context: Process context. May sleep.
 */
static inline void causeway_put_disk(struct gendisk *disk)
{
	if (disk->fops == &causeway_disk_kernel) {
		causeway_disk_given->free_disk(disk);
	} else {
		blk_cleanup_queue(disk->queue);
		disk->queue = NULL; /* only a disk that was added holds it */
	}
	put_disk(disk);
}

#define blk_mq_ops causeway_mq_ops
#define block_device_operations causeway_disk_ops
#define blk_mq_alloc_tag_set(set) causeway_alloc_tag_set(set)
#define blk_mq_alloc_disk(set, queuedata) causeway_old_alloc_disk(set, queuedata)
#define device_add_disk(parent, disk, groups) causeway_add_disk(parent, disk, groups)
#define del_gendisk(disk) causeway_del_disk(disk)
#define put_disk(disk) causeway_put_disk(disk)

#endif /* CAUSEWAY_DISK_OPS_H */
