/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
#ifndef CW_RKEY_H
#define CW_RKEY_H

#include "../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The key part (the low byte) of a region's next rkey, when the last was @rkey: each of the 255
 * others is as likely, so that neither the last rkey nor a guess from it leads to the memory that
 * is registered next. @random: 32 random bits. Any context.
 */
u8 cw_next_key(u32 rkey, u32 random);

#ifdef __cplusplus
}
#endif

#endif
