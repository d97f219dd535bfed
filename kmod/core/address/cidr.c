// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Matching of addresses with networks, for allow lists and rules. A server that listens on :: gets
 * the IPv4 addresses of its clients mapped into IPv6, so both sides of a comparison are first
 * turned into plain IPv4.
 */
#ifdef __KERNEL__
#include <linux/socket.h>
#include <linux/string.h>
#else
#include <string.h>
#include <sys/socket.h>
#endif

#include "cidr.h"

#define MAPPED_BITS 96

static const u8 mapped[MAPPED_BITS / 8] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static bool cw_cidr_is_mapped(int family, const u8 *addr)
{
	return family == AF_INET6 && !memcmp(addr, mapped, sizeof(mapped));
}

bool cw_cidr_valid(const struct cw_cidr *cidr)
{
	switch (cidr->family) {
	case AF_INET:
		return cidr->prefix_len <= 32;
	case AF_INET6:
		return cidr->prefix_len <= 128;
	default:
		return false;
	}
}

static bool cw_cidr_same_bits(const u8 *a, const u8 *b, u32 bits)
{
	u32 bytes = bits / 8, rest = bits % 8;

	if (memcmp(a, b, bytes))
		return false;
	return !rest || !((a[bytes] ^ b[bytes]) >> (8 - rest));
}

bool cw_cidr_match(const struct cw_cidr *cidr, int family, const u8 *addr)
{
	const u8 *prefix = cidr->prefix;
	int prefix_family = cidr->family;
	u32 bits = cidr->prefix_len;

	if (!cw_cidr_valid(cidr))
		return false;
	if (bits >= MAPPED_BITS && cw_cidr_is_mapped(prefix_family, prefix)) {
		prefix_family = AF_INET;
		prefix += sizeof(mapped);
		bits -= MAPPED_BITS;
	}
	if (cw_cidr_is_mapped(family, addr)) {
		family = AF_INET;
		addr += sizeof(mapped);
	}
	return family == prefix_family && cw_cidr_same_bits(addr, prefix, bits);
}

bool cw_cidr_match_any(const struct cw_cidr *list, size_t count, int family, const u8 *addr)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (cw_cidr_match(&list[i], family, addr))
			return true;
	return false;
}
