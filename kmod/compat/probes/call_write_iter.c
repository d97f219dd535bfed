// SPDX-License-Identifier: GPL-2.0-only
/* call_read_iter() and call_write_iter(); gone in Linux 6.12. */
#include <linux/fs.h>

ssize_t probe(struct file *file, struct kiocb *iocb, struct iov_iter *iter);
ssize_t probe(struct file *file, struct kiocb *iocb, struct iov_iter *iter)
{
	return call_read_iter(file, iocb, iter) + call_write_iter(file, iocb, iter);
}
