/* SPDX-License-Identifier: GPL-2.0-only */
/* Files as Linux 6.1 has them. */
#ifndef CAUSEWAY_COMPAT_FS_H
#define CAUSEWAY_COMPAT_FS_H

#include_next <linux/fs.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_CALL_WRITE_ITER
static inline ssize_t call_read_iter(struct file *file, struct kiocb *iocb, struct iov_iter *iter)
{
	return file->f_op->read_iter(iocb, iter);
}

static inline ssize_t call_write_iter(struct file *file, struct kiocb *iocb, struct iov_iter *iter)
{
	return file->f_op->write_iter(iocb, iter);
}
#endif

#if !CAUSEWAY_HAS_FILE_MNT_USER_NS && CAUSEWAY_HAS_FILE_MNT_IDMAP
#define file_mnt_user_ns(file) file_mnt_idmap(file)
#endif

#endif /* CAUSEWAY_COMPAT_FS_H */
