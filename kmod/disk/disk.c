// SPDX-License-Identifier: GPL-2.0-only
/*
 * An attached disk: its block device, its sysfs attributes, and the ops that its session calls.
 *
 * A work makes the device after the first login: adding it reads partitions, and during that the
 * works of the session and its paths must be free. Device numbers have the extended major, which
 * every program accepts that knows block devices by their major. hold.c has the requests that wait
 * for a path.
 *
 * Holders of a disk: cw_disks and the ops of its session, until cw_disk_remove(); then only the
 * gendisk, whose last user frees the disk (free_disk).
 */
#include <linux/idr.h>
#include <linux/slab.h>

#include "../core/netlink/netlink.h"
#include "paths.h"
#include "trace.h"

LIST_HEAD(cw_disks);
/* Guards cw_disks. */
DEFINE_MUTEX(cw_disks_lock);
static DEFINE_IDA(cw_disk_numbers); /* for names; device numbers come from the block layer */
struct workqueue_struct *cw_disk_wq;
struct workqueue_struct *cw_hold_wq;

struct cw_disk *cw_disk_of(struct cw_session *s)
{
	return s->priv;
}

static const char *cw_disk_server(const struct cw_disk *disk)
{
	return disk->session->config.server;
}

static const char *cw_disk_export(const struct cw_disk *disk)
{
	return disk->session->config.name;
}

/* ---- sysfs: attributes from which udev makes names ---- */

static struct cw_session *cw_disk_session_of(struct device *dev)
{
	return ((struct cw_disk *)dev_to_disk(dev)->private_data)->session;
}

static ssize_t server_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", cw_disk_session_of(dev)->config.server);
}
static DEVICE_ATTR_RO(server);

static ssize_t export_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", cw_disk_session_of(dev)->config.name);
}
static DEVICE_ATTR_RO(export);

static ssize_t identity_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%pU\n", cw_disk_session_of(dev)->identity);
}
static DEVICE_ATTR_RO(identity);

static struct attribute *cw_disk_attrs[] = {
	&dev_attr_server.attr,
	&dev_attr_export.attr,
	&dev_attr_identity.attr,
	NULL,
};

static const struct attribute_group cw_disk_group = {
	.name = "causeway",
	.attrs = cw_disk_attrs,
};

static const struct attribute_group *cw_disk_groups[] = {
	&cw_disk_group,
	NULL,
};

/* ---- device ---- */

static void cw_disk_free(struct cw_disk *disk)
{
	if (disk->session)
		cw_session_put(disk->session);
	if (disk->number >= 0)
		ida_free(&cw_disk_numbers, disk->number);
	kvfree(disk->hctx);
	mutex_destroy(&disk->lock);
	kfree(disk);
}

static void cw_disk_last_put(struct gendisk *gendisk)
{
	cw_disk_free(gendisk->private_data);
}

static const struct block_device_operations cw_disk_fops = {
	.owner = THIS_MODULE,
	.free_disk = cw_disk_last_put,
};

void cw_disk_acknowledge(struct cw_disk *disk)
{
	mutex_lock(&disk->lock);
	cw_hold_loss(disk, false);
	cw_limits_changed(disk);
	mutex_unlock(&disk->lock);
}

/* The block layer may use fewer hardware queues than there are. */
static int cw_disk_make_hctx(struct cw_disk *disk)
{
	unsigned int count = disk->session->first_welcome.queues;

	disk->hctx = kvcalloc(count, sizeof(*disk->hctx), GFP_KERNEL);
	if (!disk->hctx)
		return -ENOMEM;
	disk->nr_hctx = count;
	cw_paths_publish(disk);
	return 0;
}

/* A later login makes the device again. */
static void cw_disk_free_hctx(struct cw_disk *disk)
{
	kvfree(disk->hctx);
	disk->hctx = NULL;
	disk->nr_hctx = 0;
}

static int cw_disk_make(struct cw_disk *disk)
{
	struct cw_session *s = disk->session;
	unsigned int polled = s->config.poll_queues;
	struct queue_limits limits;
	struct gendisk *gendisk;
	int ret;

	lockdep_assert_held(&disk->lock);
	disk->tags = (struct blk_mq_tag_set) {
		.ops = &cw_disk_mq_ops,
		.nr_hw_queues = s->first_welcome.queues,
		.nr_maps = polled && polled < s->first_welcome.queues ? HCTX_MAX_TYPES : 1,
		.queue_depth = s->first_welcome.depth,
		.numa_node = NUMA_NO_NODE,
		.cmd_size = cw_request_size(),
		.flags = BLK_MQ_F_NO_SCHED_BY_DEFAULT,
		.timeout = 30 * HZ,
		.driver_data = disk,
	};
	ret = cw_disk_make_hctx(disk);
	if (ret)
		return ret;
	ret = blk_mq_alloc_tag_set(&disk->tags);
	if (ret)
		goto free_hctx;
	cw_limits_make(disk, &limits);
	gendisk = blk_mq_alloc_disk(&disk->tags, &limits, disk);
	if (IS_ERR(gendisk)) {
		ret = PTR_ERR(gendisk);
		goto free_tags;
	}
	gendisk->fops = &cw_disk_fops;
	gendisk->private_data = disk;
	snprintf(gendisk->disk_name, DISK_NAME_LEN, "causeway%d", disk->number);
	/* Pairs with cw_disk_room(): the address that it reads orders its read of the queue. */
	smp_store_release(&disk->gendisk, gendisk);
	cw_limits_made(disk);
	return 0;

free_tags:
	blk_mq_free_tag_set(&disk->tags);
free_hctx:
	cw_disk_free_hctx(disk);
	return ret;
}

static void cw_disk_add_work(struct work_struct *work)
{
	struct cw_disk *disk = container_of(work, struct cw_disk, add);
	int ret;

	mutex_lock(&disk->lock);
	/* A device is made only while there is a path. The next login queues this work again. */
	if (disk->gendisk || disk->closing || !disk->path) {
		mutex_unlock(&disk->lock);
		if (disk->closing)
			complete_all(&disk->added);
		return;
	}
	ret = cw_disk_make(disk);
	mutex_unlock(&disk->lock);
	if (!ret)
		ret = device_add_disk(NULL, disk->gendisk, cw_disk_groups);
	mutex_lock(&disk->lock);
	disk->device_added = !ret;
	disk->add_error = ret;
	if (!ret)
		strscpy(disk->name, disk->gendisk->disk_name, sizeof(disk->name));
	mutex_unlock(&disk->lock);
	if (ret)
		pr_err("causeway: %s/%s: no block device (%d)\n", cw_disk_server(disk),
		       cw_disk_export(disk), ret);
	else
		cw_event(CW_EVENT_ATTACHED, CW_ROLE_CLIENT, cw_disk_server(disk),
			 cw_disk_export(disk), "%s", disk->name);
	complete_all(&disk->added);
}

/* ---- ops that the session calls ---- */

static void cw_disk_up(struct cw_session *s, struct cw_path *p, bool new_instance)
{
	struct cw_disk *disk = cw_disk_of(s);

	mutex_lock(&disk->lock);
	if (new_instance && test_and_clear_bit(0, &disk->dirt)) {
		cw_hold_loss(disk, true);
		pr_err("causeway: %s/%s: the server lost acknowledged writes that were not flushed: flushes fail until the loss is acknowledged\n",
		       cw_disk_server(disk), cw_disk_export(disk));
		cw_event(CW_EVENT_LOSS, CW_ROLE_CLIENT, cw_disk_server(disk), cw_disk_export(disk),
			 "the server lost acknowledged writes that were not flushed");
	}
	disk->geo = s->welcome.geo;
	cw_limits_changed(disk);
	if (cw_paths_up(disk, p))
		cw_hold_go(disk);
	if (!disk->gendisk && !disk->closing)
		queue_work(cw_disk_wq, &disk->add);
	mutex_unlock(&disk->lock);
}

static void cw_disk_withdraw(struct cw_session *s, struct cw_path *p)
{
	struct cw_disk *disk = cw_disk_of(s);

	mutex_lock(&disk->lock);
	if (cw_paths_stop(disk, p))
		cw_hold_stop(disk);
	mutex_unlock(&disk->lock);
}

static void cw_disk_stop(struct cw_session *s, struct cw_path *p)
{
	cw_disk_withdraw(s, p);
	/*
	 * For the operations of the block layer that found @p: see cw_paths_of(). Without the
	 * lock, because ops of other paths must not wait for this.
	 */
	synchronize_rcu();
}

static void cw_disk_fail(struct cw_session *s)
{
	struct cw_disk *disk = cw_disk_of(s);

	mutex_lock(&disk->lock);
	cw_hold_fail(disk);
	mutex_unlock(&disk->lock);
}

static unsigned int cw_disk_reap(struct cw_session *s, struct cw_path *p)
{
	struct cw_disk *disk = cw_disk_of(s);
	unsigned int taken;

	mutex_lock(&disk->lock);
	taken = cw_disk_take_back(disk, p);
	cw_paths_reaped(disk, p->number);
	cw_hold_taken_back(disk);
	if (disk->closing && !disk->path)
		cw_hold_fail(disk); /* cw_disk_remove() waits for held requests */
	mutex_unlock(&disk->lock);
	return taken;
}

static void cw_disk_fenced(struct cw_session *s, struct cw_path *p)
{
	struct cw_disk *disk = cw_disk_of(s);

	mutex_lock(&disk->lock);
	cw_hold_fenced(disk, p->number);
	mutex_unlock(&disk->lock);
}

static void cw_disk_notice(struct cw_session *s, const struct cw_notice *notice)
{
	struct cw_disk *disk = cw_disk_of(s);

	mutex_lock(&disk->lock);
	if (notice->flags & CW_NOTICE_FLUSHED)
		clear_bit(0, &disk->dirt);
	if (notice->kind == CW_NOTICE_GEOMETRY) {
		disk->geo = notice->geo;
		cw_limits_changed(disk);
	}
	mutex_unlock(&disk->lock);
}

static bool cw_disk_waits(struct cw_session *s)
{
	struct cw_disk *disk = cw_disk_of(s);
	bool waits;

	mutex_lock(&disk->lock);
	waits = cw_hold_waits(disk);
	mutex_unlock(&disk->lock);
	return waits;
}

static bool cw_disk_carries_io(struct cw_session *s, const struct cw_path *p)
{
	return cw_paths_carries_io(cw_disk_of(s), p);
}

static const char *cw_disk_name(struct cw_session *s)
{
	return cw_disk_of(s)->name;
}

static void cw_disk_changed(struct cw_session *s)
{
	struct cw_disk *disk = s->priv;

	mutex_lock(&disk->lock);
	cw_paths_set_policy(disk, s->config.path_policy);
	cw_hold_timeouts_changed(disk);
	mutex_unlock(&disk->lock);
}

const struct cw_client_ops cw_disk_client_ops = {
	.up = cw_disk_up,
	.withdraw = cw_disk_withdraw,
	.stop = cw_disk_stop,
	.reap = cw_disk_reap,
	.fenced = cw_disk_fenced,
	.fail = cw_disk_fail,
	.notice = cw_disk_notice,
	.changed = cw_disk_changed,
	.waits = cw_disk_waits,
	.carries_io = cw_disk_carries_io,
	.disk_name = cw_disk_name,
	.handler = {
		.message = cw_disk_message,
		.room = cw_disk_room,
	},
};

/* ---- creation and removal ---- */

struct cw_disk *cw_disk_create(void)
{
	struct cw_disk *disk = kzalloc(sizeof(*disk), GFP_KERNEL);

	if (!disk)
		return NULL;
	mutex_init(&disk->lock);
	init_completion(&disk->added);
	INIT_WORK(&disk->add, cw_disk_add_work);
	cw_hold_init(disk);
	cw_limits_init(disk);
	disk->number = ida_alloc(&cw_disk_numbers, GFP_KERNEL);
	if (disk->number < 0) {
		kfree(disk);
		return NULL;
	}
	return disk;
}

bool cw_disk_remove(struct cw_disk *disk, bool force)
{
	struct gendisk *gendisk;
	bool was_added = false, kept;

	mutex_lock(&disk->lock);
	WRITE_ONCE(disk->closing, true);
	/*
	 * With a path, requests in flight may still complete. Without one, held requests fail at
	 * once. With a path, those that wait for a fence fail only if the detach must not wait.
	 */
	if (force)
		cw_hold_force(disk);
	if (!disk->path)
		cw_hold_fail(disk);
	mutex_unlock(&disk->lock);
	flush_work(&disk->add);
	cw_limits_end(disk);
	gendisk = disk->gendisk;
	if (disk->device_added) {
		del_gendisk(gendisk);
		was_added = true;
	}
	mutex_lock(&disk->lock);
	disk->deleted = true;
	mutex_unlock(&disk->lock);
	/* On return no op is called any more. A late cw_disk_add_work() finds closing set. */
	kept = cw_session_close(disk->session, force);
	cancel_work_sync(&disk->add);
	cw_hold_end(disk);
	if (was_added)
		cw_event(CW_EVENT_DETACHED, CW_ROLE_CLIENT, cw_disk_server(disk),
			 cw_disk_export(disk), "%s", disk->name);
	if (!gendisk) {
		cw_disk_free(disk);
	} else if (was_added) {
		blk_mq_free_tag_set(&disk->tags);
		put_disk(gendisk); /* the last user of the device frees the disk */
	} else {
		put_disk(gendisk); /* the put frees the queue, which needs the tag set */
		blk_mq_free_tag_set(&disk->tags);
		cw_disk_free(disk);
	}
	return kept;
}

void cw_disk_discard(struct cw_disk *disk)
{
	cw_disk_free(disk);
}

int cw_disk_init(void)
{
	cw_disk_wq = alloc_workqueue("causeway_disk", WQ_UNBOUND, 0);
	cw_hold_wq = alloc_workqueue("causeway_hold", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (cw_disk_wq && cw_hold_wq)
		return 0;
	cw_disk_exit();
	return -ENOMEM;
}

void cw_disk_exit(void)
{
	if (cw_hold_wq)
		destroy_workqueue(cw_hold_wq);
	if (cw_disk_wq)
		destroy_workqueue(cw_disk_wq);
}
