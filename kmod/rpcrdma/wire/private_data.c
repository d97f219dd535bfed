// SPDX-License-Identifier: GPL-2.0-only
/*
 * Private data of the connection manager (RFC 8797, section 5.1): magic, version, flags, and two
 * sizes. The byte of a size holds the number of KiB minus one.
 */
#include "private_data.h"

#define MAGIC 0xf6ab0e18U
#define VERSION 1
#define REMOTE_INVALIDATE 0x01

static u32 cwr_private_size_of(u8 code)
{
	return ((u32)code + 1) * 1024;
}

static u8 cwr_private_code_of(u32 size)
{
	return (u8)(size / 1024 - 1);
}

void cwr_parse_private(const void *data, size_t len, struct cwr_private *out)
{
	const u8 *bytes = data;

	out->present = false;
	out->remote_invalidate = false;
	out->send = CWR_INLINE_DEFAULT;
	out->receive = CWR_INLINE_DEFAULT;
	if (!bytes || len < CWR_PRIVATE_BYTES || cwr_get32(bytes) != MAGIC || bytes[4] != VERSION)
		return;
	out->present = true;
	out->remote_invalidate = bytes[5] & REMOTE_INVALIDATE;
	out->send = cwr_private_size_of(bytes[6]);
	out->receive = cwr_private_size_of(bytes[7]);
}

void cwr_put_private(void *to, const struct cwr_private *own)
{
	u8 *bytes = to;

	cwr_put32(bytes, MAGIC);
	bytes[4] = VERSION;
	bytes[5] = own->remote_invalidate ? REMOTE_INVALIDATE : 0;
	bytes[6] = cwr_private_code_of(own->send);
	bytes[7] = cwr_private_code_of(own->receive);
}
