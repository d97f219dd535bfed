/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
#ifndef CW_BACKOFF_H
#define CW_BACKOFF_H

#include "integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How long to wait before connection attempt @attempt (from 0): milliseconds between half and whole
 * of min(@cap_ms, @base_ms << @attempt), both included. @random: 32 random bits. Any context.
 */
u32 cw_backoff_ms(u32 attempt, u32 base_ms, u32 cap_ms, u32 random);

#ifdef __cplusplus
}
#endif

#endif
