// SPDX-License-Identifier: GPL-2.0-only
/* notify_change() takes how the mount maps users, since Linux 5.12. */
#include <linux/fs.h>

int probe(struct dentry *dentry, struct iattr *change);
int probe(struct dentry *dentry, struct iattr *change)
{
	return notify_change(NULL, dentry, change, NULL);
}
