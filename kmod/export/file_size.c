// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes of exported files: file_size.h says what for.
 *
 * Follows what nfsd does to learn that a file it keeps open was deleted (fs/nfsd/filecache.c): one
 * group, a mark on each inode, which is freed by the kernel some time after it was taken off.
 */
#include <linux/fs.h>
#include <linux/fsnotify_backend.h>
#include <linux/slab.h>

#include "file_size.h"

struct cwt_file_size {
	struct fsnotify_mark mark;
	struct file *file; /* the export's; not to be touched through the mark */
	u64 grown; /* what it was beyond that at the last look, 0: nothing */
	u64 bytes;
	spinlock_t lock; /* writers of bytes: none stores what was read before another change */
};

static struct fsnotify_group *group;

static void cwt_file_size_set(struct cwt_file_size *size, const struct inode *inode)
{
	spin_lock(&size->lock);
	WRITE_ONCE(size->bytes, i_size_read(inode));
	spin_unlock(&size->lock);
}

/* Under the inode's lock when the size was set; not when data was written, or fallocated. */
static int cwt_file_size_changed(struct fsnotify_mark *mark, u32 mask, struct inode *inode,
				 struct inode *dir, const struct qstr *name, u32 cookie)
{
	struct cwt_file_size *size = container_of(mark, struct cwt_file_size, mark);

	if (inode)
		cwt_file_size_set(size, inode);
	return 0;
}

static void cwt_file_size_free(struct fsnotify_mark *mark)
{
	kfree(container_of(mark, struct cwt_file_size, mark));
}

static const struct fsnotify_ops cwt_file_size_ops = {
	.handle_inode_event = cwt_file_size_changed,
	.free_mark = cwt_file_size_free,
};

struct cwt_file_size *cwt_file_size_open(struct file *file)
{
	struct inode *inode = file_inode(file);
	struct cwt_file_size *size = kzalloc(sizeof(*size), GFP_KERNEL);
	int ret;

	if (!size)
		return ERR_PTR(-ENOMEM);
	size->file = file;
	spin_lock_init(&size->lock);
	fsnotify_init_mark(&size->mark, group);
	size->mark.mask = FS_MODIFY;
	/* Two exports of one file are refused before this, so a mark is never there already. */
	ret = fsnotify_add_inode_mark(&size->mark, inode, 0);
	if (ret) {
		fsnotify_put_mark(&size->mark);
		return ERR_PTR(ret);
	}
	file->f_mode |= FMODE_NONOTIFY;
	inode_lock_shared(inode);
	cwt_file_size_set(size, inode);
	inode_unlock_shared(inode);
	return size;
}

void cwt_file_size_close(struct cwt_file_size *size)
{
	fsnotify_destroy_mark(&size->mark, group);
	fsnotify_put_mark(&size->mark);
}

u64 cwt_file_size_get(const struct cwt_file_size *size)
{
	return READ_ONCE(size->bytes);
}

u64 cwt_file_size_look(struct cwt_file_size *size)
{
	struct inode *inode = file_inode(size->file);
	u64 now;

	/* Who holds it may need long, and changes the size perhaps. */
	if (!inode_trylock_shared(inode))
		return READ_ONCE(size->bytes);
	spin_lock(&size->lock);
	now = i_size_read(inode);
	if (now < size->bytes || (now > size->bytes && now == size->grown))
		WRITE_ONCE(size->bytes, now);
	size->grown = now > size->bytes ? now : 0;
	spin_unlock(&size->lock);
	inode_unlock_shared(inode);
	return READ_ONCE(size->bytes);
}

int cwt_file_size_restore(struct cwt_file_size *size)
{
	struct dentry *dentry = file_dentry(size->file);
	struct inode *inode = file_inode(size->file);
	struct iattr change = { .ia_valid = ATTR_SIZE };
	int ret;

	/* Opened for writing, the file keeps its file system from becoming read-only. */
	file_start_write(size->file);
	inode_lock(inode);
	change.ia_size = READ_ONCE(size->bytes);
	ret = i_size_read(inode) > change.ia_size ?
		      notify_change(file_mnt_user_ns(size->file), dentry, &change, NULL) :
		      0;
	inode_unlock(inode);
	file_end_write(size->file);
	return ret;
}

int cwt_file_size_init(void)
{
	group = fsnotify_alloc_group(&cwt_file_size_ops, 0);
	return PTR_ERR_OR_ZERO(group);
}

void cwt_file_size_exit(void)
{
	fsnotify_put_group(group);
	fsnotify_wait_marks_destroyed();
}
