/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of RPC-over-RDMA version 1 that the client and server transports share. */
#ifndef CWR_SIZES_H
#define CWR_SIZES_H

#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Most bytes of data that one call or its reply carries. */
#define CWR_PAYLOAD_MAX (1024U * 1024)

/* Bounds of the inline sizes that a module parameter may set, multiples of 1024. */
#define CWR_INLINE_OFFER 16384U
#define CWR_INLINE_OFFER_MAX 65536U

/**
 * cwr_inline_offer() - clamps an inline size so that it can be offered
 * @asked: bytes, from a module parameter
 *
 * Context: Any context.
 * Return: Bytes, a multiple of 1024 from 1024 to CWR_INLINE_OFFER_MAX.
 */
static inline u32 cwr_inline_offer(u32 asked)
{
	return rounddown(clamp(asked, 1024U, CWR_INLINE_OFFER_MAX), 1024U);
}

#endif
