// SPDX-License-Identifier: GPL-2.0-only
/* FMODE_CAN_ODIRECT of Linux 5.18. */
#include <linux/fs.h>

bool probe(struct file *file);
bool probe(struct file *file)
{
	return file->f_mode & FMODE_CAN_ODIRECT;
}
