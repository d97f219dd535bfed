/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/* Networks of allow lists and of NFS rules: validity and matching. */
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

/**
 * cw_cidr_valid() - checks the family of a network, and the length of its prefix
 * @cidr: the network
 *
 * Context: Any context.
 * Return: True for a known family and a prefix not longer than its addresses.
 */
bool cw_cidr_valid(const struct cw_cidr *cidr);

/**
 * cw_cidr_match() - checks whether an address is in a network
 * @cidr: the network
 * @family: of the address
 * @addr: the address, 4 or 16 bytes in network order
 *
 * An IPv4 address mapped into IPv6 (::ffff:a.b.c.d) is treated as the IPv4 address, in addresses
 * and in networks. It is in no IPv6 network, not even in ::/0. Another family, or an invalid
 * network, never matches.
 *
 * Context: Any context.
 * Return: True if the address is in the network.
 */
bool cw_cidr_match(const struct cw_cidr *cidr, int family, const u8 *addr);

/**
 * cw_cidr_match_any() - checks whether an address is in any of several networks, as by
 * cw_cidr_match()
 * @list: the networks
 * @count: their number; 0: no match
 * @family: of the address
 * @addr: the address
 *
 * Context: Any context.
 * Return: True if the address is in one of the networks.
 */
bool cw_cidr_match_any(const struct cw_cidr *list, size_t count, int family, const u8 *addr);

#ifdef __cplusplus
}
#endif

#endif
