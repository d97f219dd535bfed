// SPDX-License-Identifier: GPL-2.0-only
/* Netlink commands for the owners of an export: evict, readmit, get. */
#include <linux/in.h>
#include <linux/in6.h>

#include "../core/session/server/eviction.h"
#include "control.h"
#include "export.h"

/* ---- evict, readmit ---- */

/* Reads the UUID of the host from the request. */
static int cwt_owner_host(struct genl_info *info, u8 host[CW_WIRE_UUID])
{
	static const u8 none[CW_WIRE_UUID];

	if (!info->attrs[CW_A_HOST]) {
		cw_refuse(info->extack, "the UUID of the host is needed");
		return -EINVAL;
	}
	nla_memcpy(host, info->attrs[CW_A_HOST], CW_WIRE_UUID);
	if (memcmp(host, none, sizeof(none)))
		return 0;
	cw_refuse(info->extack, "a UUID of zeroes is no host");
	return -EINVAL;
}

static void cwt_owner_refuse(struct genl_info *info, const struct cwt_export *e, int ret)
{
	switch (ret) {
	case -ENOENT:
		cw_refuse(info->extack, "export \"%s\" is being removed", e->name);
		break;
	case -EROFS:
		cw_refuse(info->extack,
			  "export \"%s\" is read-only, so no host owns it; take the host's address off its allow list",
			  e->name);
		break;
	case -EIO:
		cw_refuse(info->extack,
			  "the ledger of export \"%s\" cannot be written, so nothing was changed; see the kernel's log, and ask again",
			  e->name);
		break;
	case -ENOSPC:
		cw_refuse(info->extack, "the ledger of export \"%s\" has no room for another host",
			  e->name);
		break;
	}
}

static int cwt_owner_change(struct genl_info *info, bool readmit)
{
	u8 cmd = readmit ? CW_C_EXPORT_READMIT : CW_C_EXPORT_EVICT;
	char name[CW_WIRE_NAME];
	u8 host[CW_WIRE_UUID];
	struct cwt_export *e;
	struct sk_buff *msg;
	void *hdr;
	int ret;

	ret = cwt_read_name(info, name);
	if (ret)
		return ret;
	e = cwt_export_wanted(name, info->extack);
	if (!e)
		return -ENOENT;
	ret = cwt_owner_host(info, host);
	if (!ret)
		ret = cw_server_evict(e->core, host, readmit);
	if (ret) {
		cwt_owner_refuse(info, e, ret);
		cwt_export_put(e);
		return ret;
	}
	cw_event(readmit ? CW_EVENT_READMITTED : CW_EVENT_EVICTED, CW_ROLE_SERVER, NULL, e->name,
		 "a host is %s", readmit ? "readmitted" : "evicted");
	cwt_export_put(e);
	msg = cw_reply_start(info, cmd, &hdr);
	if (!msg)
		return -ENOMEM;
	ret = nla_put(msg, CW_A_HOST, CW_WIRE_UUID, host);
	if (!ret)
		return cw_reply_send(msg, hdr, info);
	nlmsg_free(msg);
	return ret;
}

int cwt_export_evict_doit(struct sk_buff *skb, struct genl_info *info)
{
	return cwt_owner_change(info, false);
}

int cwt_export_readmit_doit(struct sk_buff *skb, struct genl_info *info)
{
	return cwt_owner_change(info, true);
}

/* ---- get ---- */

/* An owner, and the export that it owns. */
struct cwt_owner {
	const struct cwt_export *export;
	struct cw_server_owner owner;
};

static int cwt_put_owner(struct sk_buff *msg, void *object, bool secrets)
{
	const struct cwt_owner *shown = object;
	const struct cw_server_owner *owner = &shown->owner;

	if (nla_put_string(msg, CW_A_NAME, shown->export->name) ||
	    (secrets && (nla_put(msg, CW_A_HOST, CW_WIRE_UUID, owner->host) ||
			 nla_put(msg, CW_A_BOOT, CW_WIRE_UUID, owner->boot))) ||
	    (secrets && owner->owner &&
	     nla_put(msg, CW_A_SESSION, CW_WIRE_UUID, owner->session)) ||
	    nla_put_u64_64bit(msg, CW_A_SERIAL, owner->serial, CW_A_PAD) ||
	    nla_put_u64_64bit(msg, CW_A_EPOCH, owner->newest, CW_A_PAD) ||
	    nla_put_u64_64bit(msg, CW_A_SEEN, owner->seen, CW_A_PAD) ||
	    (owner->owner && nla_put_flag(msg, CW_A_OWNER)) ||
	    (owner->evicted && nla_put_flag(msg, CW_A_EVICTED)))
		return -EMSGSIZE;
	if (owner->live && (nla_put_u8(msg, CW_A_STATE, CW_STATE_LIVE) ||
			    nla_put_string(msg, CW_A_HOST_NAME, owner->host_name) ||
			    cw_put_address(msg, CW_A_ADDRESS, &owner->peer)))
		return -EMSGSIZE;
	return 0;
}

/* 0, or -EMSGSIZE: @cb->args[1] is the index of the first owner that did not fit. */
static int cwt_dump_owners(struct sk_buff *skb, struct netlink_callback *cb, struct cwt_export *e)
{
	struct cwt_owner shown = { .export = e };
	int ret = 0;

	while (!ret && cw_server_owner(e->core, cb->args[1], &shown.owner)) {
		ret = cw_dump_object(skb, cb, CW_C_OWNER_GET, cwt_put_owner, &shown);
		if (!ret)
			cb->args[1]++;
	}
	return ret;
}

/* cb->args[0]: the id of the last complete export; args[1]: owners of the next one in the dump. */
int cwt_owner_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *filter = nlmsg_find_attr(cb->nlh, GENL_HDRLEN, CW_A_NAME);
	struct cwt_export *e;
	int ret = 0;

	while (!ret && (e = cwt_export_after(cb->args[0]))) {
		if (!filter || !nla_strcmp(filter, e->name))
			ret = cwt_dump_owners(skb, cb, e);
		if (!ret) {
			cb->args[0] = e->id;
			cb->args[1] = 0;
		}
		cwt_export_put(e);
	}
	return cw_dump_result(skb, ret);
}
