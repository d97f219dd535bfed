// SPDX-License-Identifier: GPL-2.0-only
/* notify_change() takes the mapping of the mount, since Linux 6.3. */
#include <linux/fs.h>

int probe(struct file *file, struct dentry *dentry, struct iattr *change);
int probe(struct file *file, struct dentry *dentry, struct iattr *change)
{
	return notify_change(file_mnt_idmap(file), dentry, change, NULL);
}
