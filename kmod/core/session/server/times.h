/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The times that a server grants depend on how many paths it has.
 *
 * A path without traffic is probed again and again, so the packets of idle paths grow with their
 * number. A server with many paths therefore probes each of them less often, and gives each of them
 * more time.
 */
#ifndef CW_TIMES_H
#define CW_TIMES_H

#include "../../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_TIMES_FEW 256U /* paths, up to which a time is as configured */
#define CW_TIMES_MANY 1024U /* paths, from which a time is CW_TIMES_MOST times as long */
#define CW_TIMES_MOST 3U

/**
 * cw_times_grown_ms() - returns a time as a server with so many paths grants it
 * @ms: the configured time, in milliseconds, at most 0xffffffff / CW_TIMES_MOST
 * @paths: number of paths of the server
 *
 * Context: Any context.
 * Return: Milliseconds; from CW_TIMES_FEW to CW_TIMES_MANY they grow in proportion.
 */
u32 cw_times_grown_ms(u32 ms, u32 paths);

#ifdef __cplusplus
}
#endif

#endif
