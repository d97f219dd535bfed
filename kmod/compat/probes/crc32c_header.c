// SPDX-License-Identifier: GPL-2.0-only
/* linux/crc32c.h, which every kernel so far has. */
#include <linux/crc32c.h>

u32 probe(const void *data);
u32 probe(const void *data)
{
	return crc32c(0, data, 16);
}
