/* SPDX-License-Identifier: GPL-2.0-only */
/* The addresses of a server in EXPORTS, as socket addresses. */
#ifndef CW_SERVER_ADDRESS_H
#define CW_SERVER_ADDRESS_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/string.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>

#include "../../../include/wire/causeway_address.h"

/**
 * cw_address_from_socket() - turns a socket address into an address of EXPORTS
 * @ss: the socket address; a scope is lost
 * @transport: enum cw_wire_transport
 * @out: set; family 0 if @ss is neither IPv4 nor IPv6
 *
 * Context: Any context.
 */
static inline void cw_address_from_socket(const struct sockaddr_storage *ss, u8 transport,
					  struct cw_address *out)
{
	const struct sockaddr_in6 *in6 = (const void *)ss;
	const struct sockaddr_in *in = (const void *)ss;

	memset(out, 0, sizeof(*out));
	out->transport = transport;
	if (ss->ss_family == AF_INET) {
		out->family = CW_WIRE_IPV4;
		out->port = be16_to_cpu(in->sin_port);
		memcpy(out->bytes, &in->sin_addr, sizeof(in->sin_addr));
	} else if (ss->ss_family == AF_INET6) {
		out->family = CW_WIRE_IPV6;
		out->port = be16_to_cpu(in6->sin6_port);
		memcpy(out->bytes, &in6->sin6_addr, sizeof(in6->sin6_addr));
	}
}

/**
 * cw_address_to_socket() - turns an address of EXPORTS into a socket address
 * @address: an address of IPv4 or IPv6
 * @ss: set
 *
 * Context: Any context.
 */
static inline void cw_address_to_socket(const struct cw_address *address,
					struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (void *)ss;
	struct sockaddr_in *in = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	if (address->family == CW_WIRE_IPV4) {
		in->sin_family = AF_INET;
		in->sin_port = cpu_to_be16(address->port);
		memcpy(&in->sin_addr, address->bytes, sizeof(in->sin_addr));
	} else {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = cpu_to_be16(address->port);
		memcpy(&in6->sin6_addr, address->bytes, sizeof(in6->sin6_addr));
	}
}

/**
 * cw_address_is_here() - checks whether an address is one of this machine
 * @address: an address of IPv4 or IPv6
 *
 * Looks in the network namespace in which the server listens.
 *
 * Context: Any context.
 * Return: true if an interface has the address, and it takes connections: an IPv6 address that is
 * tentative does not.
 */
static inline bool cw_address_is_here(const struct cw_address *address)
{
	struct in6_addr v6;
	__be32 v4;

	if (address->family == CW_WIRE_IPV4) {
		struct net_device *netdev;

		memcpy(&v4, address->bytes, sizeof(v4));
		netdev = ip_dev_find(&init_net, v4);
		if (netdev)
			dev_put(netdev);
		return netdev;
	}
	memcpy(&v6, address->bytes, sizeof(v6));
	return IS_ENABLED(CONFIG_IPV6) && ipv6_chk_addr(&init_net, &v6, NULL, 0);
}

#endif
