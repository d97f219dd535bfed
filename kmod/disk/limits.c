// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties of a disk in the block layer: capacity, limits, write cache.
 *
 * Properties that cannot change are set before the device is added. A reconnect or a notice may
 * change the others. A work gives them to the block layer after I/O has resumed: newer kernels
 * guard limits by a mutex whose holder may wait for I/O of this disk. The work does not hold
 * cw_disk.lock meanwhile. It gives only what differs from the last geometry, so that values that an
 * administrator wrote to the queue's folder in sysfs stay.
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

	lockdep_assert_held(&disk->lock);
	*to = (struct cw_applied) {
		.limits = {
			/*
			 * While a loss is latched, flushes must reach queue_rq(), which fails them.
			 */
			.write_cache = (geo->flags & CW_EXPORT_VOLATILE) || cw_disk_has_loss(disk),
			.fua = geo->flags & CW_EXPORT_FUA,
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

static bool cw_limits_same(const struct causeway_limits *a, const struct causeway_limits *b)
{
	return a->write_cache == b->write_cache && a->fua == b->fua &&
	       a->discard_sectors == b->discard_sectors &&
	       a->discard_segments == b->discard_segments &&
	       a->discard_granularity == b->discard_granularity &&
	       a->write_zeroes_sectors == b->write_zeroes_sectors;
}

static void cw_limits_work(struct work_struct *work)
{
	struct cw_disk *disk = container_of(work, struct cw_disk, apply);
	const struct cw_session_config *config = &disk->session->config;
	struct cw_applied *was = &disk->applied;
	struct gendisk *gendisk = disk->gendisk;
	struct cw_applied now;

	mutex_lock(&disk->lock);
	if (!cw_hold_has_queue(disk)) {
		mutex_unlock(&disk->lock);
		return;
	}
	cw_limits_read(disk, &now);
	mutex_unlock(&disk->lock);

	if (!cw_limits_same(&now.limits, &was->limits))
		causeway_limits_update(gendisk->queue, &now.limits, &was->limits);
	if (now.read_only != was->read_only)
		set_disk_ro(gendisk, now.read_only);
	if (now.size != was->size) {
		set_capacity_and_notify(gendisk, now.size >> SECTOR_SHIFT);
		cw_event(CW_EVENT_RESIZED, CW_ROLE_CLIENT, config->server, config->name,
			 "%llu bytes", now.size);
	}

	mutex_lock(&disk->lock);
	*was = now;
	/*
	 * Without a write cache in @now, the gate stays as it is: if the geometry has become
	 * VOLATILE meanwhile, the gate is set and this work is queued again.
	 */
	if (now.limits.write_cache)
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
	flushed = !(disk->geo.flags & CW_EXPORT_VOLATILE) || disk->applied.limits.write_cache;
	cw_hold_stable(disk, !flushed);
	queue_work(cw_disk_wq, &disk->apply);
}

void cw_limits_end(struct cw_disk *disk)
{
	cancel_work_sync(&disk->apply);
}

void cw_limits_make(struct cw_disk *disk)
{
	const struct cw_geometry *geo = &disk->geo;
	struct gendisk *gendisk = disk->gendisk;
	struct request_queue *q = gendisk->queue;
	u32 max_io = disk->session->welcome.max_io;

	blk_queue_logical_block_size(q, geo->logical_block);
	blk_queue_physical_block_size(q, geo->physical_block);
	if (geo->io_min)
		blk_queue_io_min(q, geo->io_min);
	blk_queue_io_opt(q, geo->io_opt);
	blk_queue_max_hw_sectors(q, max_io >> SECTOR_SHIFT);
	/*
	 * One memory region covers one request: it has no gaps, at most max_io of pages, and one
	 * page more for an unaligned start.
	 */
	blk_queue_virt_boundary(q, CW_REGION_PAGE - 1);
	blk_queue_max_segments(q, max_io / CW_REGION_PAGE);
	if (!(geo->flags & CW_EXPORT_ROTATIONAL))
		blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, q);

	cw_limits_read(disk, &disk->applied);
	causeway_limits_update(q, &disk->applied.limits, NULL);
	set_disk_ro(gendisk, disk->applied.read_only);
	set_capacity_and_notify(gendisk, disk->applied.size >> SECTOR_SHIFT);
}
