/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The slots of a data link at the client: which request waits for the answer of each slot.
 *
 * The pointer to the waiter is the right to end its request. The submitter stores the pointer. The
 * answer, or the collector after the link was drained, takes the pointer by cw_slot_take() and so
 * ends the request. The answer clears a slot before it releases the tag of the request, and the
 * allocator of tags orders that before the next cw_slot_set() of the slot.
 *
 * A faulty peer may answer a command whose message the link has not counted in tx_messages yet. The
 * slot has the number of the message, so the receive context ignores such an answer. The link
 * counts a message just before it posts the message.
 *
 * tests/unit/slots_test.cpp runs these functions in every order that store buffers allow.
 */
#ifndef CW_SLOTS_H
#define CW_SLOTS_H

#include "../wire/integers.h"

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/compiler.h>
#endif

#define CW_NO_SLOT ((u16)~0U) /* in bare_slots: no bare write is outstanding */

struct cw_slot {
	void *waiter; /* the request that waits for the answer; NULL: no command is outstanding */
	u32 number; /* of the message with the command, of those with records; valid with @waiter */
};

/**
 * cw_slot_set() - register the waiter of a slot
 * @slot: slot without a waiter
 * @waiter: request; its fields that the answer reads are stored already
 * @number: number of the message that will carry the command
 *
 * Context: Any context, under tx_lock, before the message can be sent.
 */
static inline void cw_slot_set(struct cw_slot *slot, void *waiter, u32 number)
{
	WRITE_ONCE(slot->number, number);
	smp_store_release(&slot->waiter, waiter); /* pairs with cw_slot_waiter() */
}

/**
 * cw_slot_waiter() - get the request that an answer may end
 * @slot: slot
 * @sent: messages with records that were sent, cw_link.tx_messages
 *
 * Context: Receive context of the link.
 * Return: The waiter, or NULL if there is none or if its command is in none of the @sent messages.
 */
static inline void *cw_slot_waiter(const struct cw_slot *slot, const u32 *sent)
{
	void *waiter = smp_load_acquire(&slot->waiter); /* pairs with cw_slot_set() */

	return waiter && (s32)(READ_ONCE(*sent) - READ_ONCE(slot->number)) > 0 ? waiter : NULL;
}

/**
 * cw_slot_take() - take the right to end the request of a slot
 * @slot: slot
 * @waiter: request that the caller found in the slot
 *
 * Context: Any context.
 * Return: True for exactly one of the callers that found @waiter.
 */
static inline bool cw_slot_take(struct cw_slot *slot, void *waiter)
{
	return cmpxchg(&slot->waiter, waiter, NULL) == waiter;
}

#endif
