// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#ifdef __KERNEL__
#include <linux/ktime.h>

#include "paths.h"
#endif

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

/* @p: NULL: the path with this number may not carry commands */
static void cw_paths_set(struct cw_disk *disk, u8 number, struct cw_path *p)
{
	unsigned long flags;

	spin_lock_irqsave(&disk->gates.lock, flags);
	disk->usable[number] = p;
	disk->up_at[number] = ktime_get_ns();
	spin_unlock_irqrestore(&disk->gates.lock, flags);
}

bool cw_paths_up(struct cw_disk *disk, struct cw_path *p)
{
	lockdep_assert_held(&disk->lock);
	cw_paths_set(disk, p->number, p);
	if (disk->path)
		return false;
	cw_paths_choose(disk);
	return true;
}

bool cw_paths_stop(struct cw_disk *disk, struct cw_path *p)
{
	lockdep_assert_held(&disk->lock);
	cw_paths_set(disk, p->number, NULL);
	if (disk->path != p)
		return false;
	cw_paths_choose(disk);
	return !disk->path;
}

bool cw_paths_kick(struct cw_disk *disk, struct request *rq, const char *why)
{
	const struct cw_request *req = blk_mq_rq_to_pdu(rq);
	struct cw_path *path = READ_ONCE(req->path);
	u64 start = READ_ONCE(req->start);
	unsigned long flags;

	/* It may have been taken back and given to a link again just before the timeout. */
	if (ktime_get_ns() - start + TICK_NSEC < jiffies_to_nsecs(rq->timeout))
		return false;
	/* stop() takes this lock too, so a later connection of the path is not ended by mistake. */
	spin_lock_irqsave(&disk->gates.lock, flags);
	if (disk->usable[path->number] &&
	    disk->up_at[path->number] <= start)
		cw_session_kick(disk->session, path, why);
	spin_unlock_irqrestore(&disk->gates.lock, flags);
	return true;
}
