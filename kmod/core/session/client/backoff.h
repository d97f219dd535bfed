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

#ifdef __cplusplus
}
#endif

#endif
