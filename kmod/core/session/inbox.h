/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control messages of a session, from the link that received them, in softirq, to the work of
 * the session that answers them.
 */
#ifndef CW_INBOX_H
#define CW_INBOX_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include "../link/link.h"

struct cw_letter {
	struct list_head entry;
	u8 type; /* CW_MSG_* */
	u32 len; /* bytes of data, as they came: nothing in them is checked yet */
	u8 data[];
};

struct cw_inbox {
	spinlock_t lock; /* irqsave */
	struct list_head letters;
	u32 count;
	u32 most; /* a peer that has more of them here is cut off */
};

void cw_inbox_init(struct cw_inbox *inbox, u32 most);
/*
 * Copies @msg and puts it. Any context. -ENOMEM: it is lost; -EPROTO: it is in, and is one more
 * than the most.
 */
int cw_inbox_add(struct cw_inbox *inbox, struct cw_message *msg);
/* The oldest letter, out of the inbox, or NULL. kfree() it. Any context. */
struct cw_letter *cw_inbox_take(struct cw_inbox *inbox);
/* Any context. */
void cw_inbox_empty(struct cw_inbox *inbox);

#endif
