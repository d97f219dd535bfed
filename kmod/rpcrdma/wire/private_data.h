/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The private data that both ends exchange when they connect (RFC 8797): inline sizes, and support
 * of remote invalidation. Pure functions, as in header.h.
 */
#ifndef CWR_WIRE_PRIVATE_DATA_H
#define CWR_WIRE_PRIVATE_DATA_H

#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CWR_PRIVATE_BYTES 8
#define CWR_INLINE_DEFAULT 1024 /* of a peer without private data */
#define CWR_INLINE_MAX (256 * 1024) /* the largest size that the format can express */

struct cwr_private {
	bool present; /* the peer sent valid private data */
	bool remote_invalidate;
	u32 send; /* bytes of the largest message that this end sends, 1024 to CWR_INLINE_MAX */
	u32 receive; /* bytes of the largest message that this end receives */
};

/**
 * cwr_parse_private() - parses the private data of a connection event
 * @data: the private data; may be NULL
 * @len: its bytes; it may be padded
 * @out: set to the defaults if @data is not a message of RFC 8797 version 1
 *
 * Context: Any context.
 */
void cwr_parse_private(const void *data, size_t len, struct cwr_private *out);

/**
 * cwr_put_private() - writes CWR_PRIVATE_BYTES of private data
 * @to: the buffer
 * @own: sizes are multiples of 1024 within the bounds above
 *
 * Context: Any context.
 */
void cwr_put_private(void *to, const struct cwr_private *own);

/**
 * cwr_inline() - returns the size of the largest message towards the receiver
 * @sender: bytes that the sender can send
 * @receiver: bytes that the receiver can receive
 *
 * Context: Any context.
 * Return: Bytes, with the header.
 */
static inline u32 cwr_inline(u32 sender, u32 receiver)
{
	return sender < receiver ? sender : receiver;
}

#ifdef __cplusplus
}
#endif

#endif
