/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_FS_H
#define CAUSEWAY_5_10_FS_H

#include_next <linux/fs.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_PATH_PERMISSION
static inline int path_permission(const struct path *path, int mask)
{
	return inode_permission(d_inode(path->dentry), mask);
}
#endif

#if !CAUSEWAY_HAS_NOTIFY_CHANGE_FOUR
#define file_mnt_user_ns(file) NULL
#define notify_change(users, dentry, change, inode) notify_change(dentry, change, inode)
#endif

/* A file that was opened with O_DIRECT can be read so. */
#if !CAUSEWAY_HAS_FMODE_CAN_ODIRECT
#define FMODE_CAN_ODIRECT FMODE_READ
#endif

#if !CAUSEWAY_HAS_KIOCB_START_WRITE
static inline void kiocb_start_write(struct kiocb *iocb)
{
	struct inode *inode = file_inode(iocb->ki_filp);

	/* Another thread may end the write. */
	sb_start_write(inode->i_sb);
	__sb_writers_release(inode->i_sb, SB_FREEZE_WRITE);
}

static inline void kiocb_end_write(struct kiocb *iocb)
{
	struct inode *inode = file_inode(iocb->ki_filp);

	__sb_writers_acquired(inode->i_sb, SB_FREEZE_WRITE);
	sb_end_write(inode->i_sb);
}
#endif

#if !CAUSEWAY_HAS_KIOCB_COMPLETE_TWO
/*
 * A kernel that gives a second result, which has always been 0, calls a function that takes one: a
 * surplus argument is ignored on every architecture that Linux runs on.
 */
#pragma GCC diagnostic ignored "-Wincompatible-pointer-types"
#endif

#if !CAUSEWAY_HAS_STATX_DIOALIGN
/* Never reports the alignment, so callers fall back to the size of blocks. */
#define STATX_DIOALIGN 0x2000U

struct causeway_kstat {
	u32 result_mask;
	u32 dio_mem_align;
	u32 dio_offset_align;
};

static inline int causeway_getattr(struct causeway_kstat *stat)
{
	*stat = (struct causeway_kstat) { };
	return 0;
}

#define kstat causeway_kstat
#define vfs_getattr(path, stat, mask, flags) causeway_getattr(stat)
#endif

#endif /* CAUSEWAY_5_10_FS_H */
