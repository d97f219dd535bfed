// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disks whose last flush failed.
 *
 * An export that ended without a flush may have lost writes of its clients, while the server runs
 * on with the same instance, by which clients recognise a loss. So such a disk, known by its
 * identity, gets an instance of its own: the server's, changed by a random mask. Other exports keep
 * the server's instance, so their clients report no loss. While there is such a disk, a stop of the
 * server is not clean; so the server has another instance after its next start, and the masks may
 * be forgotten.
 */
#include <linux/list.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uuid.h>

#include "export.h"

struct cwt_loss {
	struct list_head entry;
	u8 identity[CW_WIRE_UUID];
	u8 mask[CW_WIRE_UUID];
};

static LIST_HEAD(cwt_losses);
static bool cwt_loss_of_all; /* no memory was left for one disk: all have a new instance */
/* Guards both variables. */
static DEFINE_MUTEX(cwt_losses_lock);

static struct cwt_loss *cwt_loss_find(const struct cwt_export *e)
{
	struct cwt_loss *loss;

	lockdep_assert_held(&cwt_losses_lock);
	list_for_each_entry(loss, &cwt_losses, entry)
		if (!memcmp(loss->identity, e->identity, CW_WIRE_UUID))
			return loss;
	return NULL;
}

void cwt_loss_add(struct cwt_export *e)
{
	struct cwt_loss *loss;

	mutex_lock(&cwt_losses_lock);
	loss = cwt_loss_find(e);
	if (!loss) {
		loss = kzalloc(sizeof(*loss), GFP_KERNEL);
		if (loss) {
			memcpy(loss->identity, e->identity, CW_WIRE_UUID);
			list_add(&loss->entry, &cwt_losses);
		}
	}
	if (loss) {
		generate_random_uuid(loss->mask);
	} else {
		u8 instance[CW_WIRE_UUID];

		/*
		 * Give all disks a new instance: too many reports of a loss are better than none.
		 */
		generate_random_uuid(instance);
		cw_server_set_instance(instance);
		cwt_loss_of_all = true;
	}
	mutex_unlock(&cwt_losses_lock);
}

void cwt_loss_mask(const struct cwt_export *e, u8 instance[CW_WIRE_UUID])
{
	struct cwt_loss *loss;
	int i;

	mutex_lock(&cwt_losses_lock);
	loss = cwt_loss_find(e);
	for (i = 0; loss && i < CW_WIRE_UUID; i++)
		instance[i] ^= loss->mask[i];
	mutex_unlock(&cwt_losses_lock);
}

bool cwt_loss_any(void)
{
	bool any;

	mutex_lock(&cwt_losses_lock);
	any = cwt_loss_of_all || !list_empty(&cwt_losses);
	mutex_unlock(&cwt_losses_lock);
	return any;
}

void cwt_loss_forget(void)
{
	struct cwt_loss *loss, *next;

	mutex_lock(&cwt_losses_lock);
	list_for_each_entry_safe(loss, next, &cwt_losses, entry)
		kfree(loss);
	INIT_LIST_HEAD(&cwt_losses);
	cwt_loss_of_all = false;
	mutex_unlock(&cwt_losses_lock);
}
