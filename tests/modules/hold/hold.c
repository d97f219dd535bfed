// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device-mapper target that keeps one write for as long as a test wants.
 *
 *   dmsetup create d --table "0 N hold DEVICE SECTOR"
 *   dmsetup message d 0 arm        the first write from here on that covers SECTOR is kept
 *   dmsetup status d               "held 1" while it is
 *   dmsetup message d 0 release    lets it go on to the device
 *
 * Everything else passes at once, so a later write of the same sector reaches the device before the
 * kept one does. A device that is suspended or removed lets its write go first.
 */
#include <linux/bio.h>
#include <linux/device-mapper.h>
#include <linux/module.h>

struct hold {
	struct dm_dev *dev;
	sector_t sector; /* of this target */
	spinlock_t lock; /* armed, kept */
	bool armed;
	struct bio *kept; /* the target owns it until it submits it */
};

static void hold_release(struct hold *h)
{
	struct bio *bio;
	unsigned long flags;

	spin_lock_irqsave(&h->lock, flags);
	bio = h->kept;
	h->kept = NULL;
	h->armed = false;
	spin_unlock_irqrestore(&h->lock, flags);
	if (bio)
		submit_bio_noacct(bio);
}

/* Keeps the write if the target is armed and the write covers its sector; returns true if so. */
static bool hold_keeps(struct hold *h, struct bio *bio, sector_t first)
{
	bool keeps = false;
	unsigned long flags;

	if (bio_op(bio) != REQ_OP_WRITE || h->sector < first ||
	    h->sector >= first + bio_sectors(bio))
		return false;
	spin_lock_irqsave(&h->lock, flags);
	if (h->armed) {
		h->armed = false;
		h->kept = bio;
		keeps = true;
	}
	spin_unlock_irqrestore(&h->lock, flags);
	return keeps;
}

static int hold_map(struct dm_target *ti, struct bio *bio)
{
	struct hold *h = ti->private;
	sector_t first = dm_target_offset(ti, bio->bi_iter.bi_sector);

	bio_set_dev(bio, h->dev->bdev);
	bio->bi_iter.bi_sector = first;
	return hold_keeps(h, bio, first) ? DM_MAPIO_SUBMITTED : DM_MAPIO_REMAPPED;
}

static int hold_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct hold *h;
	int ret;

	if (argc != 2) {
		ti->error = "wants a device and a sector";
		return -EINVAL;
	}
	h = kzalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	spin_lock_init(&h->lock);
	ret = kstrtoull(argv[1], 0, &h->sector);
	if (ret || h->sector >= ti->len) {
		ti->error = "the sector is not one of this device";
		ret = -EINVAL;
		goto free;
	}
	ret = dm_get_device(ti, argv[0], dm_table_get_mode(ti->table), &h->dev);
	if (ret) {
		ti->error = "cannot open the device";
		goto free;
	}
	ti->private = h;
	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->num_write_zeroes_bios = 1;
	return 0;

free:
	kfree(h);
	return ret;
}

static void hold_dtr(struct dm_target *ti)
{
	struct hold *h = ti->private;

	dm_put_device(ti, h->dev);
	kfree(h);
}

static void hold_presuspend(struct dm_target *ti)
{
	hold_release(ti->private);
}

static int hold_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			unsigned int size)
{
	struct hold *h = ti->private;
	int ret = 0;

	if (argc != 1)
		return -EINVAL;
	if (!strcmp(argv[0], "release")) {
		hold_release(h);
		return 0;
	}
	if (strcmp(argv[0], "arm"))
		return -EINVAL;
	spin_lock_irq(&h->lock);
	if (h->kept)
		ret = -EBUSY;
	else
		h->armed = true;
	spin_unlock_irq(&h->lock);
	return ret;
}

static void hold_status(struct dm_target *ti, status_type_t type, unsigned int flags, char *result,
			unsigned int maxlen)
{
	struct hold *h = ti->private;
	unsigned int sz = 0; /* DMEMIT counts in it */

	switch (type) {
	case STATUSTYPE_INFO:
		DMEMIT("held %d", READ_ONCE(h->kept) ? 1 : 0);
		break;
	case STATUSTYPE_TABLE:
		DMEMIT("%s %llu", h->dev->name, (unsigned long long)h->sector);
		break;
	default:
		*result = '\0';
		break;
	}
}

static int hold_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn each, void *data)
{
	struct hold *h = ti->private;

	return each(ti, h->dev, 0, ti->len, data);
}

static struct target_type hold_target = {
	.name = "hold",
	.version = { 1, 0, 0 },
	.module = THIS_MODULE,
	.ctr = hold_ctr,
	.dtr = hold_dtr,
	.map = hold_map,
	.presuspend = hold_presuspend,
	.message = hold_message,
	.status = hold_status,
	.iterate_devices = hold_iterate_devices,
};

static int __init hold_init(void)
{
	return dm_register_target(&hold_target);
}

static void __exit hold_exit(void)
{
	dm_unregister_target(&hold_target);
}

module_init(hold_init);
module_exit(hold_exit);
MODULE_DESCRIPTION("Device-mapper target that keeps one write (test only)");
MODULE_LICENSE("GPL");
