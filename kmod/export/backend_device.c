// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports of block devices.
 *
 * The device is opened exclusively, so this machine can neither mount nor export it a second time.
 * A read or write is one bio, embedded in the command, over the memory of the command: nothing is
 * allocated, and the block layer splits the bio as the device needs. If a device reports that it
 * can write zeroes and then fails, the block layer sends writes instead. That may take long, so
 * zeroing runs on a queue of the export; a flush does not.
 */
#include <linux/blkdev.h>
#include <linux/path.h>

#include "../core/netlink/netlink.h"
#include "backend.h"

static struct block_device *cwt_bdev_of(struct cwt_export *e)
{
	return e->disk;
}

static blk_mode_t cwt_device_mode(const struct cwt_export *e)
{
	return BLK_OPEN_READ | (cwt_export_only_reads(e) ? 0 : BLK_OPEN_WRITE);
}

/* ---- open, close ---- */

static void cwt_device_refuse(const struct cwt_export *e, int err, struct netlink_ext_ack *extack)
{
	switch (err) {
	case -EBUSY:
		cw_refuse(extack,
			  "%s is in use: it is mounted, part of another device, or exported already",
			  e->path);
		break;
	case -ENOTBLK:
		cw_refuse(extack, "%s is not a block device; a file is exported with --file",
			  e->path);
		break;
	case -ENOENT:
		cw_refuse(extack, "%s does not exist", e->path);
		break;
	case -ENXIO:
	case -ENODEV:
		cw_refuse(extack, "%s has no device behind it", e->path);
		break;
	case -ENOMEDIUM:
		cw_refuse(extack, "%s has no medium in it", e->path);
		break;
	case -EACCES:
	case -EROFS:
		cw_refuse(extack, "%s cannot be written; it can be exported with --read-only",
			  e->path);
		break;
	default:
		cw_refuse(extack, "%s cannot be opened (error %d)", e->path, -err);
	}
}

/* Checks that a client can have a disk with the properties of this device. */
static int cwt_device_fit(const struct cwt_export *e, struct block_device *bdev,
			  struct netlink_ext_ack *extack)
{
	unsigned int block = bdev_logical_block_size(bdev);

	if (bdev_is_zoned(bdev)) {
		cw_refuse(extack,
			  "%s is a zoned device; only devices that take writes in any order can be exported",
			  e->path);
		return -EOPNOTSUPP;
	}
	if (block > CW_WIRE_PAGE) {
		cw_refuse(extack,
			  "%s has logical blocks of %u bytes; the most that can be exported is %u",
			  e->path, block, CW_WIRE_PAGE);
		return -EOPNOTSUPP;
	}
	if (bdev_nr_bytes(bdev) < block) {
		cw_refuse(extack, "%s is empty: its size is 0", e->path);
		return -EINVAL;
	}
	return 0;
}

/*
 * Checks that the caller may open the device. Sets *@device to the number of the device that was
 * checked, because the path may lead to another device when it is opened.
 */
static int cwt_device_may(const struct cwt_export *e, dev_t *device,
			  struct netlink_ext_ack *extack)
{
	struct path path;
	int ret;

	ret = cwt_path_find(e, &path, extack);
	if (ret)
		return ret;
	*device = d_backing_inode(path.dentry)->i_rdev;
	if (S_ISBLK(d_backing_inode(path.dentry)->i_mode)) {
		ret = cwt_path_may(e, &path, extack);
	} else {
		ret = -ENOTBLK;
		cwt_device_refuse(e, ret, extack);
	}
	path_put(&path);
	return ret;
}

static int cwt_device_open(struct cwt_export *e, struct netlink_ext_ack *extack)
{
	struct block_device *bdev;
	struct file *file;
	dev_t checked;
	int ret;

	ret = cwt_device_may(e, &checked, extack);
	if (ret)
		return ret;
	/* With a holder, @e, it is opened exclusively. */
	file = bdev_file_open_by_path(e->path, cwt_device_mode(e), e, NULL);
	if (IS_ERR(file)) {
		cwt_device_refuse(e, PTR_ERR(file), extack);
		return PTR_ERR(file);
	}
	bdev = file_bdev(file);
	ret = cwt_device_fit(e, bdev, extack);
	if (!ret && bdev->bd_dev != checked) {
		cw_refuse(extack, "%s leads to another device than a moment ago; try again",
			  e->path);
		ret = -EAGAIN;
	}
	if (ret) {
		bdev_fput(file);
		return ret;
	}
	e->device = file;
	e->disk = bdev;
	e->align = bdev_dma_alignment(bdev) | (SECTOR_SIZE - 1);
	return 0;
}

static void cwt_device_close(struct cwt_export *e)
{
	bdev_fput(e->device);
	e->device = NULL;
	e->disk = NULL;
}

static void cwt_device_describe(struct cwt_export *e, struct cw_geometry *geo)
{
	struct block_device *bdev = cwt_bdev_of(e);
	u32 block = bdev_logical_block_size(bdev);
	u64 discard_max = (u64)bdev_max_discard_sectors(bdev) << SECTOR_SHIFT;
	u64 zeroes_max = (u64)bdev_write_zeroes_sectors(bdev) << SECTOR_SHIFT;
	u32 granularity = bdev_discard_granularity(bdev);

	geo->size = round_down((u64)bdev_nr_bytes(bdev), block);
	geo->logical_block = block;
	geo->physical_block = clamp_t(u32, bdev_physical_block_size(bdev), block, SZ_1M);
	if (!is_power_of_2(geo->physical_block))
		geo->physical_block = block;
	geo->io_min = cwt_whole_blocks(bdev_io_min(bdev), block);
	geo->io_opt = cwt_whole_blocks(max(bdev_io_opt(bdev), 0), block);
	geo->flags = CW_EXPORT_WRITE_ZEROES;
	/* Without write-zeroes of the device, the block layer writes zeroes, which is slow. */
	geo->zeroes_max = zeroes_max ? CWT_ZEROES_MAX : CW_WIRE_IO_MAX;
	if (bdev_write_cache(bdev))
		geo->flags |= CW_EXPORT_VOLATILE;
	if (bdev_rot(bdev))
		geo->flags |= CW_EXPORT_ROTATIONAL;
	if (bdev_read_only(bdev))
		geo->flags |= CW_EXPORT_READ_ONLY;
	discard_max = round_down(min_t(u64, discard_max, CWT_ZEROES_MAX), block);
	if (discard_max && cwt_whole_blocks(granularity, block)) {
		geo->flags |= CW_EXPORT_DISCARD;
		geo->discard_max = discard_max;
		geo->discard_granularity = granularity;
		geo->discard_ranges = CWT_RANGES;
	}
}

/* ---- commands ---- */

/* Any context, hard interrupts too. */
static void cwt_device_end_io(struct bio *bio)
{
	struct cwt_command *c = bio->bi_private;

	cwt_command_done(c, cwt_status(blk_status_to_errno(bio->bi_status)));
}

static void cwt_device_submit(struct cwt_command *c)
{
	struct bio *bio = &c->bio;
	blk_opf_t opf = REQ_OP_READ;

	/*
	 * The client waits for the write (REQ_SYNC). Together with REQ_IDLE that exempts it from
	 * writeback throttling, which is the client's task.
	 */
	if (c->cmd.op == CW_OP_WRITE)
		opf = REQ_OP_WRITE | REQ_SYNC | REQ_IDLE | (c->fua ? REQ_FUA : 0);
	bio_init(bio, cwt_bdev_of(c->tl->export), c->vecs, c->nvecs, opf);
	bio->bi_vcnt = c->nvecs;
	bio->bi_iter.bi_sector = c->cmd.offset >> SECTOR_SHIFT;
	bio->bi_iter.bi_size = c->cmd.len;
	bio->bi_private = c;
	bio->bi_end_io = cwt_device_end_io;
	submit_bio(bio);
}

static void cwt_device_flush(struct cwt_command *c)
{
	struct block_device *bdev = cwt_bdev_of(c->tl->export);
	struct bio *bio = &c->bio;

	if (!bdev_write_cache(bdev)) {
		cwt_command_done(c, CW_STATUS_OK);
		return;
	}
	bio_init(bio, bdev, NULL, 0, REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC);
	bio->bi_private = c;
	bio->bi_end_io = cwt_device_end_io;
	submit_bio(bio);
}

static int cwt_device_sync(struct cwt_export *e)
{
	return bdev_write_cache(cwt_bdev_of(e)) ? blkdev_issue_flush(cwt_bdev_of(e)) : 0;
}

static int cwt_device_discard(struct cwt_command *c, const struct cw_range *ranges, u32 count)
{
	struct block_device *bdev = cwt_bdev_of(c->tl->export);
	struct bio *bio = NULL;
	struct blk_plug plug;
	int ret = 0, err;
	u32 i;

	if (bdev_read_only(bdev))
		return -EPERM;
	if (!bdev_max_discard_sectors(bdev))
		return -EOPNOTSUPP;
	blk_start_plug(&plug);
	for (i = 0; i < count && !ret; i++) {
		if (cwt_command_is_over(c))
			ret = -ENOTCONN;
		else
			__blkdev_issue_discard(bdev, ranges[i].offset >> SECTOR_SHIFT,
					       ranges[i].len >> SECTOR_SHIFT, GFP_NOIO, &bio);
	}
	/* The last bio of the chain completes when all have completed. */
	if (bio) {
		err = submit_bio_wait(bio);
		bio_put(bio);
		ret = ret ?: err;
	}
	blk_finish_plug(&plug);
	return ret;
}

static int cwt_device_zero(struct cwt_command *c, u64 offset, u32 len, bool keep_allocated)
{
	return blkdev_issue_zeroout(cwt_bdev_of(c->tl->export), offset >> SECTOR_SHIFT,
				    len >> SECTOR_SHIFT, GFP_NOIO,
				    keep_allocated ? BLKDEV_ZERO_NOUNMAP : 0);
}

const struct cwt_backend cwt_backend_device = {
	.kind = CW_BACKEND_DEVICE,
	.gathers = true,
	.open = cwt_device_open,
	.close = cwt_device_close,
	.describe = cwt_device_describe,
	.submit = cwt_device_submit,
	.flush = cwt_device_flush,
	.sync = cwt_device_sync,
	.discard = cwt_device_discard,
	.zero = cwt_device_zero,
};
