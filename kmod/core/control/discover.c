// SPDX-License-Identifier: GPL-2.0-only
/* DISCOVER: asks a server for the exports that this host may attach. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/sizes.h>

#include "../address/server_address.h"
#include "../session/client/session.h"
#include "control.h"

/*
 * bytes of a reply: at least 700 exports with two addresses each, or 340 with eight. More exports
 * are an error.
 */
#define CW_DISCOVER_REPLY SZ_128K

static_assert((int)CW_WIRE_RDMA == CW_TRANSPORT_RDMA && (int)CW_WIRE_TCP == CW_TRANSPORT_TCP);

static int cw_discover_put_address(struct sk_buff *msg, const struct cw_address *address)
{
	struct nlattr *nest = nla_nest_start(msg, CW_A_EXPORT_ADDRESS);
	struct sockaddr_storage ss;

	cw_address_to_socket(address, &ss);
	if (!nest || nla_put_u8(msg, CW_A_TRANSPORT, address->transport) ||
	    cw_put_address(msg, CW_A_ADDRESS, &ss))
		return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

struct cw_discovery {
	struct sk_buff *msg;
	const struct nlattr *name; /* of the one export that is wanted; NULL: all */
};

static int cw_discover_put_export(void *arg, const struct cw_export_info *info)
{
	const struct cw_discovery *discovery = arg;
	struct sk_buff *msg = discovery->msg;
	struct nlattr *nest;
	int i;

	if (discovery->name && nla_strcmp(discovery->name, info->name))
		return 0;
	nest = nla_nest_start(msg, CW_A_EXPORT);
	if (!nest || nla_put_string(msg, CW_A_NAME, info->name) ||
	    nla_put(msg, CW_A_IDENTITY, CW_WIRE_UUID, info->identity) ||
	    nla_put_u64_64bit(msg, CW_A_SIZE, info->size, CW_A_PAD) ||
	    nla_put_u32(msg, CW_A_BLOCK_SIZE, info->logical_block) ||
	    ((info->flags & CW_EXPORT_READ_ONLY) && nla_put_flag(msg, CW_A_READ_ONLY)) ||
	    ((info->flags & CW_EXPORT_EXCLUSIVE) && nla_put_flag(msg, CW_A_EXCLUSIVE)) ||
	    ((info->flags & CW_EXPORT_KEY) && nla_put_flag(msg, CW_A_HAS_KEY)))
		return -EMSGSIZE;
	for (i = 0; i < info->nr_addresses; i++)
		if (cw_known_transport(info->addresses[i].transport) &&
		    cw_discover_put_address(msg, &info->addresses[i]))
			return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

int cw_discover(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *address = info->attrs[CW_A_ADDRESS];
	struct cw_path_config path = {};
	struct sockaddr_storage *ss = &path.address;
	struct cw_discovery discovery;
	char reason[160] = "";
	struct sk_buff *msg;
	u32 timeout = 5000;
	void *hdr;
	int ret;

	if (!address) {
		cw_refuse(info->extack, "no address given");
		return -EINVAL;
	}
	nla_memcpy(ss, address, sizeof(*ss));
	if (!(ss->ss_family == AF_INET && nla_len(address) >= (int)sizeof(struct sockaddr_in)) &&
	    !(ss->ss_family == AF_INET6 && nla_len(address) >= (int)sizeof(struct sockaddr_in6))) {
		cw_refuse(info->extack, "the address is neither IPv4 nor IPv6");
		return -EINVAL;
	}
	path.transport = CW_TRANSPORT_RDMA;
	if (info->attrs[CW_A_TRANSPORT])
		path.transport = nla_get_u8(info->attrs[CW_A_TRANSPORT]);
	if (path.transport == CW_TRANSPORT_NONE) {
		cw_refuse(info->extack, "the transport is neither RDMA nor TCP");
		return -EINVAL;
	}
	if (info->attrs[CW_A_CONNECT_TIMEOUT])
		timeout = clamp(nla_get_u32(info->attrs[CW_A_CONNECT_TIMEOUT]), 100U, 60000U);
	msg = genlmsg_new(CW_DISCOVER_REPLY - NLMSG_HDRLEN, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = genlmsg_put_reply(msg, info, &cw_family, 0, CW_C_DISCOVER);
	discovery = (struct cw_discovery) { msg, info->attrs[CW_A_NAME] };
	ret = cw_client_discover(&path, timeout, cw_discover_put_export,
				 &discovery, reason);
	if (ret) {
		nlmsg_free(msg);
		if (ret == -EMSGSIZE && !reason[0])
			cw_refuse(info->extack,
				  "the server offers more exports than one answer holds");
		else
			cw_refuse(info->extack, "%s", reason[0] ? reason : "discovery failed");
		return ret;
	}
	return cw_reply_send(msg, hdr, info);
}
