/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What both ends say of themselves when a connection is made (RFC 8797): inline sizes, and whether
 * remote invalidation is understood. Pure functions, as in header.h.
 */
#ifndef CWR_WIRE_PRIVATE_DATA_H
#define CWR_WIRE_PRIVATE_DATA_H

#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CWR_PRIVATE_BYTES 8
#define CWR_INLINE_DEFAULT 1024 /* of a peer that says nothing */
#define CWR_INLINE_MAX (256 * 1024) /* that the format can express */

struct cwr_private {
	bool present; /* the peer sent it */
	bool remote_invalidate;
	u32 send; /* bytes: the longest message this end sends, 1024 to CWR_INLINE_MAX */
	u32 receive; /* bytes: the longest message this end takes */
};

/*
 * @data: the private data of a connection event, @len bytes, which may be padded. What is no
 * message of RFC 8797 version 1 gives the defaults.
 */
void cwr_parse_private(const void *data, size_t len, struct cwr_private *out);

/* CWR_PRIVATE_BYTES at @to. Sizes are multiples of 1024 within the bounds above. */
void cwr_put_private(void *to, const struct cwr_private *own);

/* The longest message towards the receiver: what both can do. */
static inline u32 cwr_inline(u32 sender, u32 receiver)
{
	return sender < receiver ? sender : receiver;
}

#ifdef __cplusplus
}
#endif

#endif
