/* SPDX-License-Identifier: GPL-2.0-only */
/* The neighbour that leads to a peer: its hardware address. */
#ifndef CW_NEIGHBOUR_H
#define CW_NEIGHBOUR_H

#include <linux/socket.h>
#include <net/net_namespace.h>

/**
 * cw_neighbour_ask() - asks the next hop for its hardware address
 * @net: network namespace
 * @interface: index of the interface that the route must use, or 0
 * @src: local address, or NULL
 * @dst: address of the peer, IPv4 or IPv6
 *
 * The kernel repeats such a question once per second (retrans_time_ms), and a network that is back
 * would wait for that. A host that is asked also learns an address of this host, for which its own
 * kernel may be waiting: by IPv4 one of the same network, by IPv6 the link-local one. Nothing is
 * sent if there is no route, if the kernel has not asked yet, or if it has given up.
 *
 * Context: Process context.
 */
void cw_neighbour_ask(struct net *net, int interface, const struct sockaddr *src,
		      const struct sockaddr *dst);

#endif
