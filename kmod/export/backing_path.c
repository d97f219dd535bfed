// SPDX-License-Identifier: GPL-2.0-only
/*
 * The path of a device or file to be exported, checked with the rights of the caller.
 *
 * Backends open the object of the path by kernel functions that check no permission. So this file
 * checks the permissions of the folders on the way and of the object itself, as open() would. A
 * netlink command runs in the process that sent it, so the current credentials are those of the
 * caller.
 */
#include <linux/fs.h>
#include <linux/namei.h>

#include "../core/netlink/netlink.h"
#include "backend.h"

int cwt_path_find(const struct cwt_export *e, struct path *path, struct netlink_ext_ack *extack)
{
	int ret = kern_path(e->path, LOOKUP_FOLLOW, path);

	if (ret == -ENOENT)
		cw_refuse(extack, "%s does not exist", e->path);
	else if (ret == -EACCES)
		cw_refuse(extack,
			  "%s cannot be reached: the user who adds the export may not enter a folder on the way to it",
			  e->path);
	else if (ret)
		cw_refuse(extack, "%s cannot be reached (error %d)", e->path, -ret);
	return ret;
}

int cwt_path_may(const struct cwt_export *e, const struct path *path,
		 struct netlink_ext_ack *extack)
{
	const struct inode *inode = d_backing_inode(path->dentry);
	int ret;

	ret = path_permission(path, MAY_OPEN | MAY_READ |
				    (cwt_export_only_reads(e) ? 0 : MAY_WRITE));
	if (!ret && !cwt_export_only_reads(e) && IS_APPEND(inode))
		ret = -EPERM;
	switch (ret) {
	case 0:
		break;
	case -EROFS:
		cw_refuse(extack, "%s cannot be written; it can be exported with --read-only",
			  e->path);
		break;
	case -EPERM:
		cw_refuse(extack,
			  "%s has an attribute that keeps it from being written: see lsattr; it can be exported with --read-only",
			  e->path);
		break;
	default:
		cw_refuse(extack,
			  "the user who adds the export may not %s %s: its permissions (mode %04o) apply to the export too",
			  cwt_export_only_reads(e) ? "read" : "read and write", e->path,
			  inode->i_mode & 07777);
	}
	return ret;
}
