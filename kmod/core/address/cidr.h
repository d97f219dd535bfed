/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
#ifndef CW_CIDR_H
#define CW_CIDR_H

#include "../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A network: the first prefix_len bits of prefix. Bits behind them are ignored. */
struct cw_cidr {
	u8 family; /* AF_INET, AF_INET6 */
	u8 prefix_len; /* bits, at most 32 or 128 */
	u8 prefix[16]; /* network order; IPv4: the first 4 */
};

/* Whether @cidr is one: a known family and a prefix no longer than its addresses. */
bool cw_cidr_valid(const struct cw_cidr *cidr);

/*
 * Whether the address @addr (4 or 16 bytes in network order, as @family says) lies in the network.
 * An IPv4 address mapped into IPv6 (::ffff:a.b.c.d) is the IPv4 address, in addresses and in
 * networks, and not in any IPv6 network, ::/0 included. Another family, or an invalid network,
 * never matches. Any context.
 */
bool cw_cidr_match(const struct cw_cidr *cidr, int family, const u8 *addr);

/* Whether it lies in any of @count networks; false for an empty list. */
bool cw_cidr_match_any(const struct cw_cidr *list, size_t count, int family, const u8 *addr);

#ifdef __cplusplus
}
#endif

#endif
