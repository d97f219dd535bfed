// SPDX-License-Identifier: GPL-2.0-only
#include <linux/in.h>
#include <linux/in6.h>
#include <net/dst.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/neighbour.h>
#include <net/route.h>

#include "neighbour.h"

/* States in which an address is known or asked for. A question is not repeated in others. */
#define CW_NEIGHBOUR_ASKED \
	(NUD_INCOMPLETE | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE)

static struct dst_entry *cw_neighbour_route4(struct net *net, int interface,
					     const struct sockaddr_in *src,
					     const struct sockaddr_in *dst)
{
	struct flowi4 flow = { .daddr = dst->sin_addr.s_addr, .flowi4_oif = interface };
	struct rtable *route;

	if (src)
		flow.saddr = src->sin_addr.s_addr;
	route = ip_route_output_key(net, &flow);
	return IS_ERR(route) ? NULL : &route->dst;
}

static struct dst_entry *cw_neighbour_route6(struct net *net, int interface,
					     const struct sockaddr_in6 *src,
					     const struct sockaddr_in6 *dst)
{
	struct flowi6 flow = {
		.daddr = dst->sin6_addr,
		.flowi6_oif = dst->sin6_scope_id ?: interface,
	};
	struct dst_entry *route;

	/* With ipv6.disable=1 there are no tables. */
	if (!IS_ENABLED(CONFIG_IPV6) || !ipv6_mod_enabled())
		return NULL;
	if (src)
		flow.saddr = src->sin6_addr;
	route = ip6_route_output(net, NULL, &flow);
	if (!route->error)
		return route;
	dst_release(route);
	return NULL;
}

void cw_neighbour_ask(struct net *net, int interface, const struct sockaddr *src,
		      const struct sockaddr *dst)
{
	bool is_ipv6 = dst->sa_family == AF_INET6;
	const struct sockaddr_in6 *dst6 = (const void *)dst;
	const struct sockaddr_in *dst4 = (const void *)dst;
	struct neighbour *next_hop;
	struct dst_entry *route;

	if (src && src->sa_family != dst->sa_family)
		return;
	route = is_ipv6 ? cw_neighbour_route6(net, interface, (const void *)src, dst6) :
			  cw_neighbour_route4(net, interface, (const void *)src, dst4);
	if (!route)
		return;
	next_hop = dst_neigh_lookup(route, is_ipv6 ? (const void *)&dst6->sin6_addr :
						     (const void *)&dst4->sin_addr);
	dst_release(route);
	if (IS_ERR_OR_NULL(next_hop))
		return;
	if (READ_ONCE(next_hop->nud_state) & CW_NEIGHBOUR_ASKED && next_hop->ops->solicit)
		next_hop->ops->solicit(next_hop, NULL);
	neigh_release(next_hop);
}
