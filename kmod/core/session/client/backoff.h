/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
#ifndef CW_BACKOFF_H
#define CW_BACKOFF_H

#include "../../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * cw_backoff_ms() - returns the wait before an attempt to connect
 * @attempt: number of the attempt, from 0
 * @base_ms: wait before attempt 0, in milliseconds
 * @cap_ms: longest wait, in milliseconds
 * @random: 32 random bits
 *
 * Context: Any context.
 * Return: Milliseconds, between half and whole of min(@cap_ms, @base_ms << @attempt), both
 * included.
 */
u32 cw_backoff_ms(u32 attempt, u32 base_ms, u32 cap_ms, u32 random);

/*
 * While I/O waits, a login begins at least every 3 s (docs/PROTOCOL.md section 5 rule 23). 100 ms
 * of that are left for timers and for a work that is queued late.
 */
#define CW_BACKOFF_WAITING_MS 2900U
/*
 * While I/O waits, logins begin at these distances at most: they double from the first to the last.
 */
#define CW_BACKOFF_WAITING_BASE_MS 100U
#define CW_BACKOFF_WAITING_CAP_MS 600U
/* Ten logins in one second are the most. */
#define CW_BACKOFF_LEAST_MS 100U

/**
 * cw_backoff_bounded_ms() - keeps the wait before the next attempt within the bounds above
 * @wanted_ms: the planned wait, in milliseconds
 * @since_began_ms: age of the beginning of the last attempt, in milliseconds
 * @io_waits: commands are unanswered, or requests wait for a path
 *
 * Context: Any context.
 * Return: The wait in milliseconds.
 */
u32 cw_backoff_bounded_ms(u32 wanted_ms, u32 since_began_ms, bool io_waits);

/* The first attempts have the same time limit, which then doubles with each further group. */
#define CW_BACKOFF_FIRST_STEPS 16U
#define CW_BACKOFF_MORE_STEPS 8U

/**
 * cw_backoff_step_ms() - returns the time limit of a step of an attempt to connect again
 * @attempt: number of the attempt, from 0
 * @least_ms: limit of the first attempts
 * @most_ms: limit of an attempt for the first connection; returned if it is below @least_ms
 *
 * A connection request that was lost on the way is repeated by the connection manager only after
 * seconds, so a new attempt finds a network that is back earlier than an old one. A server that is
 * slow needs long attempts. So the limit doubles after %CW_BACKOFF_FIRST_STEPS attempts, and then
 * with every %CW_BACKOFF_MORE_STEPS.
 *
 * Context: Any context.
 * Return: Milliseconds.
 */
u32 cw_backoff_step_ms(u32 attempt, u32 least_ms, u32 most_ms);

#ifdef __cplusplus
}
#endif

#endif
