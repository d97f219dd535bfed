/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
#ifndef CW_BACKOFF_H
#define CW_BACKOFF_H

#include "../../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the wait before connection attempt @attempt (from 0), in milliseconds: between half and
 * whole of min(@cap_ms, @base_ms << @attempt), both included. @random: 32 random bits. Any context.
 */
u32 cw_backoff_ms(u32 attempt, u32 base_ms, u32 cap_ms, u32 random);

/*
 * While I/O waits, a login begins at least every 3 s (docs/PROTOCOL.md section 5 rule 23). 100 ms
 * of that are left for timers and for a work that is queued late.
 */
#define CW_BACKOFF_WAITING_MS 2900U
/* Ten logins in one second are the most. */
#define CW_BACKOFF_LEAST_MS 100U

/*
 * Returns the wait before the next attempt, in milliseconds. The last attempt began @since_began_ms
 * ago, and the planned wait is @wanted_ms. @io_waits: commands are unanswered, or requests wait for
 * a path. Any context.
 */
u32 cw_backoff_bounded_ms(u32 wanted_ms, u32 since_began_ms, bool io_waits);

#ifdef __cplusplus
}
#endif

#endif
