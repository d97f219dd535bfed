/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_FS_H
#define CAUSEWAY_5_10_FS_H

#include_next <linux/fs.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_PATH_PERMISSION
/**
 * path_permission() - check access to an inode, which early releases of Linux 5.10 lack
 * @path: path
 * @mask: wanted access, MAY_*
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
static inline int path_permission(const struct path *path, int mask)
{
	return inode_permission(d_inode(path->dentry), mask);
}
#endif

/* Linux before 5.12 has no mounts that map users. */
#if !CAUSEWAY_HAS_NOTIFY_CHANGE_FOUR
#define file_mnt_user_ns(file) NULL
#define notify_change(users, dentry, change, inode) notify_change(dentry, change, inode)
#endif

/* Linux before 5.18 lacks the flag, and opens only files that have direct I/O with O_DIRECT. */
#if !CAUSEWAY_HAS_FMODE_CAN_ODIRECT
#define FMODE_CAN_ODIRECT FMODE_READ
#endif

#if !CAUSEWAY_HAS_KIOCB_START_WRITE
/**
 * kiocb_start_write() - keep the file system from being frozen, which Linux before 6.6 lacks
 * @iocb: a write, until kiocb_end_write()
 *
 * Context: Process context. May sleep, while the file system is frozen.
 */
static inline void kiocb_start_write(struct kiocb *iocb)
{
	struct inode *inode = file_inode(iocb->ki_filp);

	/* Another thread may end the write. */
	sb_start_write(inode->i_sb);
	__sb_writers_release(inode->i_sb, SB_FREEZE_WRITE);
}

/**
 * kiocb_end_write() - let the file system be frozen again, which Linux before 6.6 lacks
 * @iocb: a write that kiocb_start_write() was called for, maybe by another thread
 *
 * Context: Any context.
 */
static inline void kiocb_end_write(struct kiocb *iocb)
{
	struct inode *inode = file_inode(iocb->ki_filp);

	__sb_writers_acquired(inode->i_sb, SB_FREEZE_WRITE);
	sb_end_write(inode->i_sb);
}
#endif

#if !CAUSEWAY_HAS_KIOCB_COMPLETE_TWO
/*
 * Linux before 5.16 calls ki_complete() with a second result, which has always been 0. The modules'
 * function takes one: a surplus argument is ignored on every architecture that Linux runs on.
 */
#pragma GCC diagnostic ignored "-Wincompatible-pointer-types"
#endif

#if !CAUSEWAY_HAS_STATX_DIOALIGN
/* Linux before 6.1 lacks the flag and the members of struct kstat for it. */
#define STATX_DIOALIGN 0x2000U

struct causeway_kstat {
	u32 result_mask;
	u32 dio_mem_align;
	u32 dio_offset_align;
};

/**
 * causeway_getattr() - report no alignment of direct I/O, which Linux before 6.1 does not know
 * @stat: result. STATX_DIOALIGN is not set, so callers fall back to the size of blocks.
 *
 * Context: Any context.
 * Return: 0.
 */
static inline int causeway_getattr(struct causeway_kstat *stat)
{
	*stat = (struct causeway_kstat) { };
	return 0;
}

#define kstat causeway_kstat
#define vfs_getattr(path, stat, mask, flags) causeway_getattr(stat)
#endif

#endif /* CAUSEWAY_5_10_FS_H */
