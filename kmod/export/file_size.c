// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes of exported files; file_size.h has the purpose.
 *
 * Uses fsnotify as nfsd does for deleted files that it keeps open (fs/nfsd/filecache.c): one group,
 * and a mark on each inode. The kernel frees a mark some time after it was removed.
 */
#include <linux/fs.h>
#include <linux/fsnotify_backend.h>
#include <linux/slab.h>

#include "file_size.h"

struct cwt_file_size {
	struct fsnotify_mark mark;
	struct file *file; /* the export holds it; the fsnotify callback must not use it */
	u64 grown; /* a size above bytes that the last look found; 0: none */
	u64 bytes;
	/* orders writers of bytes, so that an older size does not replace a newer one */
	spinlock_t lock;
};

static struct fsnotify_group *group;

static void cwt_file_size_set(struct cwt_file_size *size, const struct inode *inode)
{
	spin_lock(&size->lock);
	WRITE_ONCE(size->bytes, i_size_read(inode));
	spin_unlock(&size->lock);
}

/*
 * fsnotify callback. The inode's lock is held if the size was set, but not after a write or
 * fallocate().
 */
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
	/*
	 * A second export of the file was refused before, so the inode has no mark of this group.
	 */
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

	/* The holder of the lock may need long, and may be changing the size. */
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

	/* The file is open for writing, so its file system cannot become read-only. */
	file_start_write(size->file);
	inode_lock(inode);
	change.ia_size = READ_ONCE(size->bytes);
	ret = i_size_read(inode) > change.ia_size ?
		      notify_change(file_mnt_idmap(size->file), dentry, &change, NULL) :
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
