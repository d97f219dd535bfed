/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares IP addresses without their ports.
 */
#ifndef CW_SAME_IP_H
#define CW_SAME_IP_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>
#include <linux/string.h>

/**
 * cw_same_ip() - compares the IP addresses of two ends
 * @a: IPv4 or IPv6 address with a port
 * @b: another one
 *
 * Context: Any context.
 * Return: True if both are the same address, whatever their ports and scopes are.
 */
static inline bool cw_same_ip(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
	return !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		       &((const struct sockaddr_in6 *)b)->sin6_addr, sizeof(struct in6_addr));
}

#endif
