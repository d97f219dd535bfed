// SPDX-License-Identifier: GPL-2.0-only
/* DISCOVER: asks a server for the exports that this host may attach. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/sizes.h>

#include "../session/client/session.h"
#include "control.h"

static int cw_discover_put_export(void *arg, const struct cw_export_info *info)
{
	struct sk_buff *msg = arg;
	struct nlattr *nest = nla_nest_start(msg, CW_A_EXPORT);

	if (!nest || nla_put_string(msg, CW_A_NAME, info->name) ||
	    nla_put(msg, CW_A_IDENTITY, CW_WIRE_UUID, info->identity) ||
	    nla_put_u64_64bit(msg, CW_A_SIZE, info->size, CW_A_PAD) ||
	    nla_put_u32(msg, CW_A_BLOCK_SIZE, info->logical_block) ||
	    ((info->flags & CW_EXPORT_READ_ONLY) && nla_put_flag(msg, CW_A_READ_ONLY)) ||
	    ((info->flags & CW_EXPORT_EXCLUSIVE) && nla_put_flag(msg, CW_A_EXCLUSIVE)) ||
	    ((info->flags & CW_EXPORT_KEY) && nla_put_flag(msg, CW_A_HAS_KEY)))
		return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

int cw_discover(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *address = info->attrs[CW_A_ADDRESS];
	struct sockaddr_storage ss = {};
	char reason[160] = "";
	struct sk_buff *msg;
	u32 timeout = 5000;
	void *hdr;
	int ret;

	if (!address) {
		cw_refuse(info->extack, "no address given");
		return -EINVAL;
	}
	nla_memcpy(&ss, address, sizeof(ss));
	if (!(ss.ss_family == AF_INET && nla_len(address) >= (int)sizeof(struct sockaddr_in)) &&
	    !(ss.ss_family == AF_INET6 && nla_len(address) >= (int)sizeof(struct sockaddr_in6))) {
		cw_refuse(info->extack, "the address is neither IPv4 nor IPv6");
		return -EINVAL;
	}
	if (info->attrs[CW_A_CONNECT_TIMEOUT])
		timeout = clamp(nla_get_u32(info->attrs[CW_A_CONNECT_TIMEOUT]), 100U, 60000U);
	msg = genlmsg_new(SZ_64K - NLMSG_HDRLEN, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = genlmsg_put_reply(msg, info, &cw_family, 0, CW_C_DISCOVER);
	ret = cw_client_discover((struct sockaddr *)&ss, timeout, cw_discover_put_export, msg,
				 reason);
	if (ret) {
		nlmsg_free(msg);
		cw_refuse(info->extack, "%s", reason[0] ? reason : "discovery failed");
		return ret;
	}
	return cw_reply_send(msg, hdr, info);
}
