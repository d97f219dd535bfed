/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RPC-over-RDMA version 1 as a SunRPC transport: what client and server share.
 */
#ifndef CWR_SIZES_H
#define CWR_SIZES_H

#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Bytes of data that one call or its reply carries, at most. */
#define CWR_PAYLOAD_MAX (1024U * 1024)

/* Inline sizes that a module parameter may ask for, multiples of 1024. */
#define CWR_INLINE_OFFER 16384U
#define CWR_INLINE_OFFER_MAX 65536U

/* @asked of a module parameter as an inline size that can be offered. */
static inline u32 cwr_inline_offer(u32 asked)
{
	return rounddown(clamp(asked, 1024U, CWR_INLINE_OFFER_MAX), 1024U);
}

#endif
