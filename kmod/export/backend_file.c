// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports of files.
 *
 * The file is read and written with asynchronous direct I/O: the file system calls the completion,
 * and a short transfer goes on with the rest. A file system without direct I/O is refused, because
 * the page cache would hold acknowledged writes in memory that no bound counts. The size of the
 * file is the size of the disk, and this module must not change it (file_size.h). Data is durable
 * after fsync or a write with IOCB_DSYNC.
 */
#include <linux/blkdev.h>
#include <linux/cred.h>
#include <linux/falloc.h>
#include <linux/file.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "../core/netlink/netlink.h"
#include "backend.h"
#include "file_size.h"

/* pages of zeroes in one write; all are the same page */
#define CWT_ZERO_VECS 64

struct cwt_file {
	struct file *file;
	struct cwt_file_size *size;
	u32 block; /* offsets and sizes of direct I/O are multiples of this */
};

static struct cwt_file *cwt_file_of(struct cwt_export *e)
{
	return e->disk;
}

/* ---- open, close ---- */

/* The block of direct I/O. 0: the file has no direct I/O. */
static u32 cwt_file_block(struct file *file)
{
	struct inode *inode = file_inode(file);
	struct block_device *bdev = inode->i_sb->s_bdev;
	struct kstat stat;
	int ret;

	ret = vfs_getattr(&file->f_path, &stat, STATX_DIOALIGN, AT_STATX_SYNC_AS_STAT);
	if (!ret && stat.result_mask & STATX_DIOALIGN) {
		if (!stat.dio_mem_align)
			return 0;
		return max_t(u32, stat.dio_offset_align, SECTOR_SIZE);
	}
	/* The file system does not report it. Its own blocks always work. */
	return max_t(u32, min_t(u32, i_blocksize(inode), CW_WIRE_PAGE),
		     bdev ? bdev_logical_block_size(bdev) : SECTOR_SIZE);
}

/* True if another export has this file: two exports must not share one. */
static bool cwt_file_exported(const struct inode *inode)
{
	struct cwt_export *e;
	bool found = false;
	u32 id = 0;

	lockdep_assert_held(&cwt_admin);
	while (!found && (e = cwt_export_after(id))) {
		id = e->id;
		if (e->kind == CW_BACKEND_FILE) {
			mutex_lock(&e->lock); /* against an export that ends and closes its file */
			found = e->open && file_inode(cwt_file_of(e)->file) == inode;
			mutex_unlock(&e->lock);
		}
		cwt_export_put(e);
	}
	return found;
}

static int cwt_file_judge(struct cwt_export *e, const struct inode *inode,
			  struct netlink_ext_ack *extack)
{
	if (S_ISBLK(inode->i_mode)) {
		cw_refuse(extack, "%s is a block device; it is exported with --device", e->path);
		return -EINVAL;
	}
	if (!S_ISREG(inode->i_mode)) {
		cw_refuse(extack, "%s is not a regular file", e->path);
		return -EINVAL;
	}
	if (IS_SWAPFILE(inode)) {
		cw_refuse(extack, "%s is in use: this machine swaps to it", e->path);
		return -EBUSY;
	}
	if (cwt_file_exported(inode)) {
		cw_refuse(extack, "%s is in use: it is exported already", e->path);
		return -EBUSY;
	}
	return 0;
}

static int cwt_file_fit(struct cwt_export *e, struct cwt_file *f, struct netlink_ext_ack *extack)
{
	f->block = cwt_file_block(f->file);
	if (!f->block || !(f->file->f_mode & FMODE_CAN_ODIRECT)) {
		cw_refuse(extack,
			  "%s cannot be read and written directly, as its file system (%s) keeps it; a file on ext4 or xfs can",
			  e->path, file_inode(f->file)->i_sb->s_type->name);
		return -EOPNOTSUPP;
	}
	if (f->block > CW_WIRE_PAGE || !is_power_of_2(f->block)) {
		cw_refuse(extack,
			  "%s takes direct I/O in blocks of %u bytes only; the most that can be exported is %u",
			  e->path, f->block, CW_WIRE_PAGE);
		return -EOPNOTSUPP;
	}
	if (i_size_read(file_inode(f->file)) < f->block) {
		cw_refuse(extack, "%s is too short to be a disk: %lld bytes, one block is %u",
			  e->path, i_size_read(file_inode(f->file)), f->block);
		return -EINVAL;
	}
	return 0;
}

/* Opens the object of @path. The caller has checked that it is a regular file. */
static struct file *cwt_file_try(struct cwt_export *e, const struct path *path,
				 struct netlink_ext_ack *extack)
{
	int flags = (cwt_export_only_reads(e) ? O_RDONLY : O_RDWR) | O_LARGEFILE | O_DIRECT;
	struct file *file = dentry_open(path, flags, current_cred());

	if (!IS_ERR(file))
		return file;
	if (PTR_ERR(file) == -EINVAL)
		cw_refuse(extack,
			  "%s: its file system (%s) has no direct I/O; a file on ext4 or xfs can be exported",
			  e->path, path->dentry->d_sb->s_type->name);
	else if (PTR_ERR(file) == -EROFS || PTR_ERR(file) == -EACCES)
		cw_refuse(extack, "%s cannot be written; it can be exported with --read-only",
			  e->path);
	else
		cw_refuse(extack, "%s cannot be opened (error %ld)", e->path, -PTR_ERR(file));
	return file;
}

static int cwt_file_open(struct cwt_export *e, struct netlink_ext_ack *extack)
{
	struct cwt_file *f;
	struct path path;
	int ret;

	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	ret = cwt_path_find(e, &path, extack);
	if (ret)
		goto free;
	ret = cwt_file_judge(e, d_backing_inode(path.dentry), extack) ?:
	      cwt_path_may(e, &path, extack);
	if (ret)
		goto put_path;
	f->file = cwt_file_try(e, &path, extack);
	if (IS_ERR(f->file)) {
		ret = PTR_ERR(f->file);
		goto put_path;
	}
	ret = cwt_file_fit(e, f, extack);
	if (ret)
		goto close;
	f->size = cwt_file_size_open(f->file);
	if (IS_ERR(f->size)) {
		ret = PTR_ERR(f->size);
		cw_refuse(extack, "%s: changes of its size cannot be watched (error %d)", e->path,
			  -ret);
		goto close;
	}
	path_put(&path);
	e->disk = f;
	e->align = f->block - 1;
	return 0;

close:
	fput(f->file);
put_path:
	path_put(&path);
free:
	kfree(f);
	return ret;
}

static void cwt_file_close(struct cwt_export *e)
{
	struct cwt_file *f = cwt_file_of(e);

	e->disk = NULL;
	cwt_file_size_close(f->size);
	fput(f->file);
	kfree(f);
}

static void cwt_file_describe(struct cwt_export *e, struct cw_geometry *geo)
{
	struct cwt_file *f = cwt_file_of(e);
	struct inode *inode = file_inode(f->file);
	struct block_device *bdev = inode->i_sb->s_bdev;

	geo->size = round_down(cwt_file_size_look(f->size), f->block);
	geo->logical_block = f->block;
	geo->physical_block = clamp_t(u32, i_blocksize(inode), f->block, SZ_1M);
	geo->io_min = geo->physical_block;
	geo->flags = CW_EXPORT_VOLATILE | CW_EXPORT_WRITE_ZEROES;
	if (bdev && bdev_rot(bdev))
		geo->flags |= CW_EXPORT_ROTATIONAL;
	geo->zeroes_max = CW_WIRE_IO_MAX;
	if (f->file->f_op->fallocate) {
		geo->flags |= CW_EXPORT_DISCARD;
		geo->discard_max = CWT_ZEROES_MAX;
		geo->discard_granularity = geo->physical_block;
		geo->discard_ranges = CWT_RANGES;
		geo->zeroes_max = CWT_ZEROES_MAX;
	}
}

/* ---- read, write ---- */

/* The file was cut before or during a write of @c: removes what the write added. */
static void cwt_file_restore_work(struct work_struct *work)
{
	struct cwt_command *c = container_of(work, struct cwt_command, slow);
	unsigned int noio = memalloc_noio_save();
	int ret = cwt_file_size_restore(cwt_file_of(c->tl->export)->size);

	memalloc_noio_restore(noio);
	cwt_command_done(c, ret ? CW_STATUS_IO : CW_STATUS_RANGE);
}

static bool cwt_file_reaches(const struct cwt_file *f, u64 end)
{
	return end <= cwt_file_size_get(f->size);
}

/* Any context. @ret: number of bytes, or -errno. */
static void cwt_file_complete(struct kiocb *iocb, long ret)
{
	struct cwt_command *c = container_of(iocb, struct cwt_command, iocb);

	if (c->cmd.op == CW_OP_WRITE) {
		kiocb_end_write(iocb);
		if (unlikely(!cwt_file_reaches(cwt_file_of(c->tl->export),
					       c->cmd.offset + c->cmd.len))) {
			INIT_WORK(&c->slow, cwt_file_restore_work);
			queue_work(c->tl->export->wq, &c->slow);
			return;
		}
	}
	if (ret <= 0 || ret > c->cmd.len - c->moved) {
		/* 0 bytes: the file was cut meanwhile, and the offset is behind its end. */
		cwt_command_done(c, ret < 0 ? cwt_status(ret) : CW_STATUS_IO);
		return;
	}
	c->moved += ret;
	if (c->moved == c->cmd.len) {
		cwt_command_done(c, CW_STATUS_OK);
		return;
	}
	c->stage = CWT_SUBMIT; /* for the rest */
	cwt_link_queue(c);
}

static void cwt_file_submit(struct cwt_command *c)
{
	struct cwt_file *f = cwt_file_of(c->tl->export);
	bool write = c->cmd.op == CW_OP_WRITE;
	struct file *file = f->file;
	struct kiocb *iocb = &c->iocb;
	struct iov_iter iter;
	ssize_t ret;

	if (unlikely(!cwt_file_reaches(f, c->cmd.offset + c->cmd.len))) {
		cwt_command_done(c, CW_STATUS_RANGE);
		return;
	}
	init_sync_kiocb(iocb, file);
	iocb->ki_complete = cwt_file_complete;
	iocb->ki_pos = c->cmd.offset + c->moved;
	iov_iter_bvec(&iter, write ? ITER_SOURCE : ITER_DEST, c->vecs, c->nvecs, c->cmd.len);
	iov_iter_advance(&iter, c->moved);
	if (write) {
		iocb->ki_flags |= IOCB_WRITE | (c->fua ? IOCB_DSYNC : 0);
		kiocb_start_write(iocb);
		ret = file->f_op->write_iter(iocb, &iter);
	} else {
		ret = file->f_op->read_iter(iocb, &iter);
	}
	if (ret != -EIOCBQUEUED)
		cwt_file_complete(iocb, ret);
}

/* ---- operations that take long ---- */

static int cwt_file_sync(struct cwt_export *e)
{
	return vfs_fsync(cwt_file_of(e)->file, 1);
}

static void cwt_file_flush_work(struct work_struct *work)
{
	struct cwt_command *c = container_of(work, struct cwt_command, slow);
	unsigned int noio = memalloc_noio_save();
	int ret = cwt_file_sync(c->tl->export);

	memalloc_noio_restore(noio);
	cwt_command_done(c, cwt_status(ret));
}

static void cwt_file_flush(struct cwt_command *c)
{
	INIT_WORK(&c->slow, cwt_file_flush_work);
	queue_work(c->tl->export->wq, &c->slow);
}

static int cwt_file_discard(struct cwt_command *c, const struct cw_range *ranges, u32 count)
{
	struct file *file = cwt_file_of(c->tl->export)->file;
	int ret = 0;
	u32 i;

	for (i = 0; i < count && !ret; i++)
		ret = cwt_command_is_over(c) ?
			      -ENOTCONN :
			      vfs_fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					    ranges[i].offset, ranges[i].len);
	return ret;
}

static int cwt_file_write_zeroes(struct cwt_command *c, u64 offset, u32 len)
{
	struct file *file = cwt_file_of(c->tl->export)->file;
	struct bio_vec vecs[CWT_ZERO_VECS];
	struct iov_iter iter;
	struct kiocb iocb;
	ssize_t ret;
	u32 i;

	for (i = 0; i < CWT_ZERO_VECS; i++)
		bvec_set_page(&vecs[i], ZERO_PAGE(0), PAGE_SIZE, 0);
	while (len) {
		if (cwt_command_is_over(c))
			return -ENOTCONN;
		iov_iter_bvec(&iter, ITER_SOURCE, vecs, CWT_ZERO_VECS,
			      min_t(u32, len, CWT_ZERO_VECS * PAGE_SIZE));
		init_sync_kiocb(&iocb, file);
		iocb.ki_pos = offset;
		iocb.ki_flags |= IOCB_WRITE;
		file_start_write(file);
		ret = file->f_op->write_iter(&iocb, &iter);
		file_end_write(file);
		if (ret <= 0)
			return ret ?: -EIO;
		offset += ret;
		len -= ret;
		cond_resched();
	}
	return 0;
}

static int cwt_file_zero(struct cwt_command *c, u64 offset, u32 len, bool keep_allocated)
{
	struct cwt_file *f = cwt_file_of(c->tl->export);
	struct file *file = f->file;
	int how = keep_allocated ? FALLOC_FL_ZERO_RANGE : FALLOC_FL_PUNCH_HOLE;
	int ret;

	if (!cwt_file_reaches(f, offset + len))
		return -ERANGE;
	ret = vfs_fallocate(file, how | FALLOC_FL_KEEP_SIZE, offset, len);
	/* Without NOUNMAP, allocated zeroes do as well as a hole; with it, a hole does not. */
	if (ret == -EOPNOTSUPP && !keep_allocated)
		ret = vfs_fallocate(file, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, offset, len);
	if (ret == -EOPNOTSUPP) {
		ret = cwt_file_write_zeroes(c, offset, len);
		if (!cwt_file_reaches(f, offset + len))
			return cwt_file_size_restore(f->size) ?: -ERANGE;
	}
	return ret;
}

const struct cwt_backend cwt_backend_file = {
	.kind = CW_BACKEND_FILE,
	.open = cwt_file_open,
	.close = cwt_file_close,
	.describe = cwt_file_describe,
	.submit = cwt_file_submit,
	.flush = cwt_file_flush,
	.sync = cwt_file_sync,
	.discard = cwt_file_discard,
	.zero = cwt_file_zero,
};
