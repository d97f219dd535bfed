// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties of a disk in the block layer: capacity, limits, write cache.
 *
 * Properties that cannot change are set when the device is made. A reconnect or a notice may change
 * the others. A work gives them to the block layer after I/O has resumed. It gives only those that
 * differ from the last geometry, so that values that an administrator wrote to the queue's folder
 * in sysfs stay.
 *
 * Limits are under a mutex of the queue (limits_lock). A program that writes to the queue's folder
 * in sysfs holds that mutex while the queue is frozen, which takes until the requests of the disk
 * have ended. A driver that holds requests and waits for the mutex would wait for itself, so the
 * work does not hold cw_disk.lock meanwhile.
 *
 * If a disk gets a volatile cache, the block layer flushes it only after the work has run. Until
 * then all writes are sent as FUA writes (CW_GATE_STABLE).
 */
#include <linux/sizes.h>

#include "../core/netlink/netlink.h"
#include "../core/verbs/region.h"
#include "disk.h"

static void cw_limits_read(const struct cw_disk *disk, struct cw_applied *to)
{
	const struct cw_geometry *geo = &disk->geo;
	u32 ranges = min_t(u32, cw_disk_inline_size(disk), CW_WIRE_PAGE) /
		     sizeof(struct cw_wire_range);
	bool discard = ranges && (geo->flags & CW_EXPORT_DISCARD);
	/* While a loss is latched, flushes must reach queue_rq(), which fails them. */
	bool cache = (geo->flags & CW_EXPORT_VOLATILE) || cw_disk_has_loss(disk);

	lockdep_assert_held(&disk->lock);
	*to = (struct cw_applied) {
		.limits = {
			.features = (cache ? BLK_FEAT_WRITE_CACHE : 0) |
				    (geo->flags & CW_EXPORT_FUA ? BLK_FEAT_FUA : 0),
			.discard_sectors = discard ? geo->discard_max >> SECTOR_SHIFT : 0,
			.discard_segments = max_t(u32, 1, min_t(u32, geo->discard_ranges, ranges)),
			.discard_granularity = discard ? geo->discard_granularity : 0,
			.write_zeroes_sectors = geo->flags & CW_EXPORT_WRITE_ZEROES ?
							geo->zeroes_max >> SECTOR_SHIFT : 0,
		},
		.read_only = geo->flags & CW_EXPORT_READ_ONLY,
		.size = geo->size,
	};
}

static bool cw_limits_same(const struct cw_disk_limits *a, const struct cw_disk_limits *b)
{
	return a->features == b->features && a->discard_sectors == b->discard_sectors &&
	       a->discard_segments == b->discard_segments &&
	       a->discard_granularity == b->discard_granularity &&
	       a->write_zeroes_sectors == b->write_zeroes_sectors;
}

/*
 * Gives the queue the limits that differ between @now and @was; the others keep what the
 * administrator wrote to sysfs. Sleeps, and may wait until the requests of @q have ended.
 */
static void cw_limits_update(struct request_queue *q, const struct cw_disk_limits *now,
			     const struct cw_disk_limits *was)
{
	struct queue_limits limits = queue_limits_start_update(q);
	int ret;

	if (now->features != was->features) {
		limits.features &= ~(BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA);
		limits.features |= now->features;
	}
	limits.max_hw_discard_sectors = now->discard_sectors;
	limits.max_discard_segments = now->discard_segments;
	limits.discard_granularity = now->discard_granularity;
	limits.max_write_zeroes_sectors = now->write_zeroes_sectors;
	ret = queue_limits_commit_update(q, &limits);
	WARN_ONCE(ret, "causeway: limits refused (%d)\n", ret);
}

static void cw_limits_work(struct work_struct *work)
{
	struct cw_disk *disk = container_of(work, struct cw_disk, apply);
	const struct cw_session_config *config = &disk->session->config;
	struct gendisk *gendisk = disk->gendisk;
	struct cw_applied now, was;

	mutex_lock(&disk->lock);
	if (!cw_hold_has_queue(disk)) {
		mutex_unlock(&disk->lock);
		return;
	}
	cw_limits_read(disk, &now);
	was = disk->applied;
	/*
	 * From here on the queue may lack a feature that @now lacks. If the write cache comes back
	 * while this work runs, cw_limits_changed() must see that the queue may not flush.
	 */
	disk->applied.limits.features &= now.limits.features;
	mutex_unlock(&disk->lock);

	if (!cw_limits_same(&now.limits, &was.limits))
		cw_limits_update(gendisk->queue, &now.limits, &was.limits);
	if (now.read_only != was.read_only)
		set_disk_ro(gendisk, now.read_only);
	if (now.size != was.size) {
		set_capacity_and_notify(gendisk, now.size >> SECTOR_SHIFT);
		cw_event(CW_EVENT_RESIZED, CW_ROLE_CLIENT, config->server, config->name,
			 "%llu bytes", now.size);
	}

	mutex_lock(&disk->lock);
	disk->applied = now;
	/*
	 * Without a write cache in @now, the gate stays as it is: if the geometry has become
	 * VOLATILE meanwhile, the gate is set and this work is queued again.
	 */
	if (now.limits.features & BLK_FEAT_WRITE_CACHE)
		cw_hold_stable(disk, false);
	mutex_unlock(&disk->lock);
}

void cw_limits_init(struct cw_disk *disk)
{
	INIT_WORK(&disk->apply, cw_limits_work);
}

void cw_limits_changed(struct cw_disk *disk)
{
	bool flushed;

	lockdep_assert_held(&disk->lock);
	if (!cw_hold_has_queue(disk) || disk->closing)
		return;
	flushed = !(disk->geo.flags & CW_EXPORT_VOLATILE) ||
		  (disk->applied.limits.features & BLK_FEAT_WRITE_CACHE);
	cw_hold_stable(disk, !flushed);
	queue_work(cw_disk_wq, &disk->apply);
}

void cw_limits_end(struct cw_disk *disk)
{
	cancel_work_sync(&disk->apply);
}

void cw_limits_make(struct cw_disk *disk, struct queue_limits *limits)
{
	const struct cw_disk_limits *changing = &disk->applied.limits;
	const struct cw_geometry *geo = &disk->geo;
	u32 max_io = disk->session->first_welcome.max_io;

	cw_limits_read(disk, &disk->applied);
	*limits = (struct queue_limits) {
		.features = changing->features |
			    (geo->flags & CW_EXPORT_ROTATIONAL ? BLK_FEAT_ROTATIONAL : 0),
		.logical_block_size = geo->logical_block,
		.physical_block_size = geo->physical_block,
		.io_min = geo->io_min,
		.io_opt = geo->io_opt,
		.max_hw_sectors = max_io >> SECTOR_SHIFT,
		/*
		 * One memory region covers one request: it has no gaps, at most max_io of pages,
		 * and one page more for an unaligned start.
		 */
		.virt_boundary_mask = CW_REGION_PAGE - 1,
		.max_segments = max_io / CW_REGION_PAGE,
		.max_hw_discard_sectors = changing->discard_sectors,
		.max_discard_segments = changing->discard_segments,
		.discard_granularity = changing->discard_granularity,
		.max_write_zeroes_sectors = changing->write_zeroes_sectors,
	};
}

void cw_limits_made(struct cw_disk *disk)
{
	set_disk_ro(disk->gendisk, disk->applied.read_only);
	set_capacity_and_notify(disk->gendisk, disk->applied.size >> SECTOR_SHIFT);
}
