// SPDX-License-Identifier: GPL-2.0-only
/* path_permission(), since Linux 5.12, and in later releases of Linux 5.10. */
#include <linux/fs.h>

int probe(const struct path *path);
int probe(const struct path *path)
{
	return path_permission(path, MAY_READ);
}
