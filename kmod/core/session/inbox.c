// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control messages of a session.
 *
 * They are copied out of the link's receives, which can so be posted again at once, however long
 * the answer takes.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "inbox.h"

void cw_inbox_init(struct cw_inbox *inbox, u32 most)
{
	spin_lock_init(&inbox->lock);
	INIT_LIST_HEAD(&inbox->letters);
	inbox->count = 0;
	inbox->most = most;
}

void cw_inbox_limit(struct cw_inbox *inbox, u32 most)
{
	unsigned long flags;

	spin_lock_irqsave(&inbox->lock, flags);
	inbox->most = most;
	spin_unlock_irqrestore(&inbox->lock, flags);
}

int cw_inbox_add(struct cw_inbox *inbox, struct cw_message *msg)
{
	struct cw_letter *letter;
	unsigned long flags;
	bool flood;

	letter = kmalloc(struct_size(letter, data, msg->frame.data_len), GFP_ATOMIC);
	if (letter) {
		letter->type = msg->frame.type;
		letter->len = msg->frame.data_len;
		memcpy(letter->data, msg->data, letter->len);
	}
	cw_message_put(msg);
	if (!letter)
		return -ENOMEM;
	spin_lock_irqsave(&inbox->lock, flags);
	list_add_tail(&letter->entry, &inbox->letters);
	flood = ++inbox->count > inbox->most;
	spin_unlock_irqrestore(&inbox->lock, flags);
	return flood ? -EPROTO : 0;
}

struct cw_letter *cw_inbox_take(struct cw_inbox *inbox)
{
	struct cw_letter *letter;
	unsigned long flags;

	spin_lock_irqsave(&inbox->lock, flags);
	letter = list_first_entry_or_null(&inbox->letters, struct cw_letter, entry);
	if (letter) {
		list_del(&letter->entry);
		inbox->count--;
	}
	spin_unlock_irqrestore(&inbox->lock, flags);
	return letter;
}

void cw_inbox_empty(struct cw_inbox *inbox)
{
	struct cw_letter *letter;

	while ((letter = cw_inbox_take(inbox)))
		kfree(letter);
}
