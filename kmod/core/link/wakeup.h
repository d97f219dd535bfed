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

/*
 * Whether the peer is done with all but fewer than @most of the @sent messages. If not, @waits is
 * set, and a cw_wakeup_give_credit() that comes later returns true. Any context; one waiter at a
 * time, which also keeps @sent as it is.
 */
static inline bool cw_wakeup_has_credit(const u32 *credited, const u32 *sent, u32 most, bool *waits)
{
	if (likely(*sent - READ_ONCE(*credited) < most))
		return true;
	WRITE_ONCE(*waits, true);
	smp_mb(); /* pairs with cw_wakeup_give_credit() */
	return *sent - READ_ONCE(*credited) < most;
}

/* The peer is done with @credit messages; whether a waiter must be woken. One giver at a time. */
static inline bool cw_wakeup_give_credit(u32 *credited, u32 credit, const bool *waits)
{
	WRITE_ONCE(*credited, credit);
	smp_mb(); /* pairs with cw_wakeup_has_credit() */
	return READ_ONCE(*waits);
}

/* ---- kicks: something became free, so many times ---- */

/* Something became free; whether anything is @parked and must be tried again. Any context. */
static inline bool cw_wakeup_kick(atomic_t *kicks, const struct list_head *parked)
{
	atomic_inc(kicks);
	smp_mb__after_atomic(); /* pairs with cw_wakeup_was_kicked() */
	return !list_empty_careful(parked);
}

/*
 * Called after something was parked: whether a cw_wakeup_kick() came since @kicks was read, before
 * the attempt that failed. If not, the next one returns true. Any context.
 */
static inline bool cw_wakeup_was_kicked(const atomic_t *kicks, int before)
{
	smp_mb(); /* pairs with cw_wakeup_kick() */
	return atomic_read(kicks) != before;
}

#endif
