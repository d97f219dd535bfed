/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control messages that were received in softirq and wait for a work, which handles them: the work
 * of a path at the client, of a session at the server.
 */
#ifndef CW_INBOX_H
#define CW_INBOX_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include "../link/link.h"

struct cw_letter {
	struct list_head entry;
	u8 type; /* CW_MSG_* */
	u32 len; /* bytes of data, which are not checked yet */
	u8 data[];
};

struct cw_inbox {
	spinlock_t lock; /* irqsave */
	struct list_head letters;
	u32 count;
	u32 most; /* a peer with more messages here loses the connection */
};

/**
 * cw_inbox_init() - initialise a queue of control messages
 * @inbox: queue
 * @most: number of messages that may wait
 *
 * Context: Any context.
 */
void cw_inbox_init(struct cw_inbox *inbox, u32 most);

/**
 * cw_inbox_limit() - change the number of messages that may wait
 * @inbox: queue
 * @most: number of messages
 *
 * Context: Any context. Takes the lock of @inbox.
 */
void cw_inbox_limit(struct cw_inbox *inbox, u32 most);

/**
 * cw_inbox_add() - copy a message to the end of the queue
 * @inbox: queue
 * @msg: message. It is put.
 *
 * Context: Any context. Takes the lock of @inbox.
 * Return: 0; -ENOMEM if the message is lost; -EPROTO if it was added and there are too many.
 */
int cw_inbox_add(struct cw_inbox *inbox, struct cw_message *msg);

/**
 * cw_inbox_take() - take the oldest message out of the queue
 * @inbox: queue
 *
 * Context: Any context. Takes the lock of @inbox.
 * Return: The message, which the caller frees with kfree(), or NULL if the queue is empty.
 */
struct cw_letter *cw_inbox_take(struct cw_inbox *inbox);

/**
 * cw_inbox_empty() - free all messages of the queue
 * @inbox: queue
 *
 * Context: Any context. Takes the lock of @inbox.
 */
void cw_inbox_empty(struct cw_inbox *inbox);

#endif
