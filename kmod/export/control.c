// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for the server as a whole: set instance and port, get them, stop.
 *
 * Every command that changes something holds cwt_admin, but not while it waits for the end of an
 * export.
 */
#include <linux/module.h>

#include "control.h"
#include "export.h"

static u16 port = CW_WIRE_PORT; /* written under cwt_admin */

u16 cwt_port(void)
{
	return READ_ONCE(port);
}

/* Exports that are ending do not count: clients do not find them. */
static bool cwt_any_export(void)
{
	struct cwt_export *e;
	bool found = false;
	u32 id = 0;

	while (!found && (e = cwt_export_after(id))) {
		id = e->id;
		found = !cwt_export_is_ending(e);
		cwt_export_put(e);
	}
	return found;
}

/* Under cwt_admin. */
static int cwt_server_set(struct genl_info *info)
{
	struct nlattr *instance = info->attrs[CW_A_INSTANCE];
	struct nlattr *port_attr = info->attrs[CW_A_PORT];

	if (cwt_any_export()) {
		cw_refuse(info->extack,
			  "the server runs already: port and instance are set before the first export");
		return -EBUSY;
	}
	if (instance && nla_len(instance) != CW_WIRE_UUID) {
		cw_refuse(info->extack, "an instance of %d bytes is not a UUID; it has %u",
			  nla_len(instance), CW_WIRE_UUID);
		return -EINVAL;
	}
	if (port_attr && !nla_get_u16(port_attr)) {
		cw_refuse(info->extack, "port 0 is none; the usual one is %u", CW_WIRE_PORT);
		return -EINVAL;
	}
	if (port_attr && cw_server_port() && cw_server_port() != nla_get_u16(port_attr)) {
		cw_refuse(info->extack,
			  "the server listens on port %u until its module is unloaded",
			  cw_server_port());
		return -EBUSY;
	}
	if (port_attr)
		WRITE_ONCE(port, nla_get_u16(port_attr));
	if (instance) {
		u8 now[CW_WIRE_UUID];

		cw_server_instance(now);
		if (memcmp(now, nla_data(instance), sizeof(now)))
			cwt_loss_forget(); /* the new instance reports the loss to all clients */
		cw_server_set_instance(nla_data(instance));
	}
	return 0;
}

static int cwt_server_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	int ret;

	mutex_lock(&cwt_admin);
	ret = cwt_server_set(info);
	mutex_unlock(&cwt_admin);
	return ret;
}

static int cwt_server_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	u16 tcp_port = cw_server_tcp_port();
	u8 instance[CW_WIRE_UUID];
	struct sk_buff *msg;
	void *hdr;

	cw_server_instance(instance);
	msg = cw_reply_start(info, CW_C_SERVER_GET, &hdr);
	if (!msg)
		return -ENOMEM;
	if ((cw_may_see_secrets(skb) &&
	     nla_put(msg, CW_A_INSTANCE, sizeof(instance), instance)) ||
	    nla_put_u16(msg, CW_A_PORT, cw_server_port() ?: cwt_port()) ||
	    (tcp_port && nla_put_u16(msg, CW_A_TCP_PORT, tcp_port)) ||
	    cw_server_put_limits(msg)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return cw_reply_send(msg, hdr, info);
}

/* Adds one export to the reply. A reply has room for the first few; the kernel log has all. */
static void cwt_report_unflushed(void *arg, const char *name, const char *text)
{
	struct sk_buff *msg = arg;
	struct nlattr *nest = nla_nest_start(msg, CW_A_EXPORT);

	if (!nest)
		return;
	if (nla_put_string(msg, CW_A_NAME, name) || nla_put_string(msg, CW_A_TEXT, text))
		nla_nest_cancel(msg, nest);
	else
		nla_nest_end(msg, nest);
}

static int cwt_server_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg;
	void *hdr;
	bool clean;
	int ret;

	/* Allocated before anything is stopped. */
	msg = cw_reply_start(info, CW_C_SERVER_STOP, &hdr);
	if (!msg)
		return -ENOMEM;
	clean = cwt_stop_all(cwt_report_unflushed, msg, &ret);
	if (ret)
		cw_refuse(info->extack, "the server is being stopped already");
	else if (clean)
		ret = nla_put_flag(msg, CW_A_CLEAN);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	return cw_reply_send(msg, hdr, info);
}

static const struct cw_netlink_handler handlers[] = {
	{ .cmd = CW_C_EXPORT_ADD, .doit = cwt_export_add_doit },
	{ .cmd = CW_C_EXPORT_REMOVE, .doit = cwt_export_remove_doit },
	{ .cmd = CW_C_EXPORT_GET, .doit = cwt_export_get_doit, .dumpit = cwt_export_get_dumpit },
	{ .cmd = CW_C_EXPORT_SET, .doit = cwt_export_set_doit },
	{ .cmd = CW_C_SERVER_SET, .doit = cwt_server_set_doit },
	{ .cmd = CW_C_SERVER_GET, .doit = cwt_server_get_doit },
	{ .cmd = CW_C_SERVER_STOP, .doit = cwt_server_stop_doit },
	{ .cmd = CW_C_EXPORT_EVICT, .doit = cwt_export_evict_doit },
	{ .cmd = CW_C_EXPORT_READMIT, .doit = cwt_export_readmit_doit },
	{ .cmd = CW_C_OWNER_GET, .dumpit = cwt_owner_get_dumpit },
};

int cwt_control_register(void)
{
	return cw_netlink_register(THIS_MODULE, handlers, ARRAY_SIZE(handlers));
}

void cwt_control_unregister(void)
{
	cw_netlink_unregister(handlers, ARRAY_SIZE(handlers));
}
