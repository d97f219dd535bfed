// SPDX-License-Identifier: GPL-2.0-only
#include "paths.h"

void cw_paths_publish(struct cw_disk *disk)
{
	unsigned int i;

	lockdep_assert_held(&disk->lock);
	for (i = 0; i < disk->nr_hctx; i++)
		rcu_assign_pointer(disk->hctx[i].path, disk->path);
}

/* Uses the path with the lowest number, or none. */
static void cw_paths_choose(struct cw_disk *disk)
{
	struct cw_path *path = NULL;
	unsigned int i;

	for (i = 0; !path && i < ARRAY_SIZE(disk->usable); i++)
		path = disk->usable[i];
	WRITE_ONCE(disk->path, path);
	cw_paths_publish(disk);
}

bool cw_paths_up(struct cw_disk *disk, struct cw_path *p)
{
	lockdep_assert_held(&disk->lock);
	disk->usable[p->number] = p;
	if (disk->path)
		return false;
	cw_paths_choose(disk);
	return true;
}

bool cw_paths_stop(struct cw_disk *disk, struct cw_path *p)
{
	lockdep_assert_held(&disk->lock);
	disk->usable[p->number] = NULL;
	if (disk->path != p)
		return false;
	cw_paths_choose(disk);
	return !disk->path;
}
