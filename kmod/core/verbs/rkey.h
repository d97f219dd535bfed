/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
#ifndef CW_RKEY_H
#define CW_RKEY_H

#include "../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * cw_next_key() - choose the key of a region's next rkey
 * @rkey: last rkey of the region
 * @random: 32 random bits
 *
 * The key is the low byte of an rkey. Each of the 255 other keys is equally likely, so a peer that
 * knows the last rkey cannot predict the rkey of the memory that is registered next.
 *
 * Context: Any context.
 * Return: The key, which differs from that of @rkey.
 */
u8 cw_next_key(u32 rkey, u32 random);

#ifdef __cplusplus
}
#endif

#endif
