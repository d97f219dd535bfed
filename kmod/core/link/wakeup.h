/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Waits whose two sides have no lock in common.
 *
 * The waiter shows that it waits, and then looks once more for what it waits for. The giver gives,
 * and then looks for a waiter. Each side has a full barrier between its store and its load, so at
 * least one side sees the other: the waiter finds what was given, or the giver finds the waiter and
 * wakes it. Without one of the barriers a processor may load before its store is visible to others,
 * and a wake-up is lost.
 *
 * tests/unit/wakeup_test.cpp runs these functions in every order that store buffers allow.
 */
#ifndef CW_WAKEUP_H
#define CW_WAKEUP_H

#include "../wire/integers.h"

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/list.h>
#endif

/* ---- credit: of the messages sent, the peer is done with so many ---- */

/**
 * cw_wakeup_has_credit() - check for credit, or register as a waiter
 * @credited: messages that the peer is done with
 * @sent: messages sent. It must not change meanwhile.
 * @most: the check succeeds if the peer has fewer messages than this
 * @waits: set if the check fails
 *
 * Context: Any context, one waiter at a time.
 * Return: True if there is credit. After false a later cw_wakeup_give_credit() returns true.
 */
static inline bool cw_wakeup_has_credit(const u32 *credited, const u32 *sent, u32 most, bool *waits)
{
	if (likely(*sent - READ_ONCE(*credited) < most))
		return true;
	WRITE_ONCE(*waits, true);
	smp_mb(); /* pairs with cw_wakeup_give_credit() */
	return *sent - READ_ONCE(*credited) < most;
}

/**
 * cw_wakeup_give_credit() - note credit
 * @credited: messages that the peer is done with
 * @credit: its new value
 * @waits: as for cw_wakeup_has_credit()
 *
 * Context: Any context, one giver at a time.
 * Return: True if a waiter must be woken.
 */
static inline bool cw_wakeup_give_credit(u32 *credited, u32 credit, const bool *waits)
{
	WRITE_ONCE(*credited, credit);
	smp_mb(); /* pairs with cw_wakeup_has_credit() */
	return READ_ONCE(*waits);
}

/* ---- kicks: something became free, so many times ---- */

/**
 * cw_wakeup_kick() - note that something became free
 * @kicks: counter of such events
 * @parked: list of what waits
 *
 * Context: Any context.
 * Return: True if @parked has entries, which must be tried again.
 */
static inline bool cw_wakeup_kick(atomic_t *kicks, const struct list_head *parked)
{
	atomic_inc(kicks);
	smp_mb__after_atomic(); /* pairs with cw_wakeup_was_kicked() */
	return !list_empty_careful(parked);
}

/**
 * cw_wakeup_was_kicked() - check for an event that came before something was parked
 * @kicks: counter of cw_wakeup_kick()
 * @before: value of @kicks before the attempt that failed
 *
 * The caller has parked what failed.
 *
 * Context: Any context.
 * Return: True if there was an event since @before. After false the next cw_wakeup_kick() returns
 * true.
 */
static inline bool cw_wakeup_was_kicked(const atomic_t *kicks, int before)
{
	smp_mb(); /* pairs with cw_wakeup_kick() */
	return atomic_read(kicks) != before;
}

#endif
