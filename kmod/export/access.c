// SPDX-License-Identifier: GPL-2.0-only
/* Which clients may attach an export, and by which addresses they reach it. */
#include <linux/in.h>
#include <linux/in6.h>

#include "../core/address/server_address.h"
#include "../core/netlink/netlink.h"
#include "export.h"

static bool cwt_access_allows(const struct cwt_access *access, const struct sockaddr *peer)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)peer;
	const struct sockaddr_in *in = (const struct sockaddr_in *)peer;
	const void *addr;

	if (!access->allow_count)
		return true;
	addr = peer->sa_family == AF_INET6 ? (const void *)&in6->sin6_addr : &in->sin_addr;
	return cw_cidr_match_any(access->allow, access->allow_count, peer->sa_family, addr);
}

bool cwt_access_admits(const struct cwt_access *access, const struct sockaddr *peer, bool tcp)
{
	return (!tcp || access->tcp) && cwt_access_allows(access, peer);
}

bool cwt_export_allows(struct cwt_export *e, const struct sockaddr *peer)
{
	bool allows;

	down_read(&e->access_lock);
	allows = cwt_access_allows(&e->access, peer);
	up_read(&e->access_lock);
	return allows;
}

bool cwt_export_over_tcp(struct cwt_export *e)
{
	return READ_ONCE(e->access.tcp);
}

size_t cwt_export_key(struct cwt_export *e, u8 key[CW_WIRE_KEY_MAX])
{
	size_t len;

	down_read(&e->access_lock);
	len = e->access.key_len;
	memcpy(key, e->access.key, len);
	up_read(&e->access_lock);
	return len;
}

/* @port: 0 if the server has stopped listening */
static void cwt_access_list(const struct cwt_access *access, u8 transport, u16 port,
			    struct cw_export_info *out)
{
	const struct cw_address *address;
	struct cw_address *listed;
	u32 i;

	for (i = 0; i < access->address_count && port; i++) {
		address = &access->addresses[i];
		if (out->nr_addresses == CW_WIRE_ADDRESSES)
			break;
		if ((transport == CW_WIRE_RDMA && address->transport != CW_WIRE_RDMA) ||
		    !cw_address_is_here(address))
			continue;
		listed = &out->addresses[out->nr_addresses++];
		*listed = *address;
		listed->transport = transport;
		listed->port = port;
	}
}

void cwt_export_list_access(struct cwt_export *e, struct cw_export_info *out)
{
	down_read(&e->access_lock);
	if (e->access.key_len)
		out->flags |= CW_EXPORT_KEY;
	cwt_access_list(&e->access, CW_WIRE_RDMA, cw_server_port(), out);
	if (e->access.tcp)
		cwt_access_list(&e->access, CW_WIRE_TCP, cw_server_tcp_port(), out);
	up_read(&e->access_lock);
}

static int cwt_put_allow(struct sk_buff *msg, const struct cwt_access *access)
{
	u32 i;

	for (i = 0; i < access->allow_count; i++) {
		const struct cw_cidr *cidr = &access->allow[i];
		struct nlattr *nest = nla_nest_start(msg, CW_A_ALLOW);

		if (!nest || nla_put_u8(msg, CW_A_FAMILY, cidr->family) ||
		    nla_put(msg, CW_A_PREFIX, cidr->family == AF_INET ? 4 : 16, cidr->prefix) ||
		    nla_put_u8(msg, CW_A_PREFIX_LEN, cidr->prefix_len))
			return -EMSGSIZE;
		nla_nest_end(msg, nest);
	}
	return 0;
}

static int cwt_put_addresses(struct sk_buff *msg, const struct cwt_access *access)
{
	struct sockaddr_storage ss;
	struct nlattr *nest;
	u32 i;

	for (i = 0; i < access->address_count; i++) {
		const struct cw_address *address = &access->addresses[i];

		cw_address_to_socket(address, &ss);
		nest = nla_nest_start(msg, CW_A_EXPORT_ADDRESS);
		if (!nest || cw_put_address(msg, CW_A_ADDRESS, &ss) ||
		    (address->transport == CW_WIRE_TCP &&
		     nla_put_u8(msg, CW_A_TRANSPORT, CW_TRANSPORT_TCP)))
			return -EMSGSIZE;
		nla_nest_end(msg, nest);
	}
	return 0;
}

int cwt_export_put_access(struct sk_buff *msg, struct cwt_export *e, bool secrets)
{
	int ret = 0;

	down_read(&e->access_lock);
	if ((e->access.tcp && nla_put_flag(msg, CW_A_TCP)) ||
	    (e->access.key_len && nla_put_flag(msg, CW_A_HAS_KEY)))
		ret = -EMSGSIZE;
	ret = ret ?: cwt_put_addresses(msg, &e->access);
	if (!ret && secrets)
		ret = cwt_put_allow(msg, &e->access);
	up_read(&e->access_lock);
	return ret;
}
