// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slots of a data link at the client: their memory, the slot that an answer names, and the
 * requests that had no answer when the link was drained.
 */
#include <linux/export.h>
#include <linux/slab.h>

#include "command.h"
#include "transport.h"

int cw_link_make_slots(struct cw_link *link)
{
	u16 i;

	link->slots = kvcalloc(link->limits.depth, sizeof(*link->slots), GFP_KERNEL);
	if (!link->slots)
		return -ENOMEM;
	if (!(link->limits.features & CW_FEATURE_BARE))
		return 0;
	link->bare_slots = kvmalloc_array(link->limits.depth, sizeof(u16), GFP_KERNEL);
	if (!link->bare_slots)
		return -ENOMEM;
	for (i = 0; i < link->limits.depth; i++)
		link->bare_slots[i] = CW_NO_SLOT;
	return 0;
}

void cw_link_free_slots(struct cw_link *link)
{
	u16 i;

	for (i = 0; link->slots && i < link->limits.depth; i++)
		WARN_ON_ONCE(link->slots[i].waiter); /* its request would never end */
	kvfree(link->slots);
	kvfree(link->bare_slots);
}

int cw_link_slot(struct cw_link *link, u16 slot)
{
	u16 *entry, given;

	if (slot < link->limits.depth)
		return slot;
	entry = &link->bare_slots[slot - link->limits.depth];
	given = READ_ONCE(*entry);
	if (given == CW_NO_SLOT)
		return -EPROTO;
	WRITE_ONCE(*entry, CW_NO_SLOT);
	return given;
}
EXPORT_SYMBOL_GPL(cw_link_slot);

unsigned int cw_link_collect(struct cw_link *link,
			     void (*each)(struct cw_link *link, void *waiter))
{
	unsigned int taken = 0;
	struct cw_slot *slot;
	void *waiter;
	u16 i;

	WARN_ON_ONCE(!cw_link_is_dead(link));
	for (i = 0; i < link->limits.depth; i++) {
		slot = &link->slots[i];
		waiter = READ_ONCE(slot->waiter);
		if (!waiter || !cw_slot_take(slot, waiter))
			continue;
		each(link, waiter);
		taken++;
	}
	return taken;
}
EXPORT_SYMBOL_GPL(cw_link_collect);
