// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family "causeway" (docs/NETLINK.md).
 *
 * The family is here, its policy and operations are in policy.c. The module that serves a command
 * registers a handler for it. A command that makes objects loads the module that it needs. Commands
 * run in parallel, so that an attach that waits for its server does not delay a dump.
 */
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/socket.h>

#include "netlink.h"
#include "policy.h"

/* Guards cw_table and cw_owner. */
static DEFINE_MUTEX(cw_table_lock);
static const struct cw_netlink_handler *cw_table[__CW_C_MAX];
static struct module *cw_owner[__CW_C_MAX];

/* ---- dispatch ---- */

static const char *cw_netlink_module_for(u8 cmd)
{
	switch (cmd) {
	case CW_C_EXPORT_ADD:
	case CW_C_SERVER_SET:
		return "causeway_target";
	case CW_C_ATTACH:
		return "causeway_disk";
	case CW_C_NFS_RULE_SET:
		return "causeway_rpcrdma";
	default:
		return NULL; /* a module that is not loaded has no objects to remove or to list */
	}
}

/* Finds the handler of @cmd and takes a reference to its module. NULL: none. */
static const struct cw_netlink_handler *cw_netlink_take_handler(u8 cmd)
{
	const struct cw_netlink_handler *handler;

	if (cmd >= __CW_C_MAX)
		return NULL;
	mutex_lock(&cw_table_lock);
	handler = cw_table[cmd];
	if (handler && !try_module_get(cw_owner[cmd]))
		handler = NULL;
	mutex_unlock(&cw_table_lock);
	return handler;
}

static void cw_netlink_give_handler(u8 cmd)
{
	module_put(cw_owner[cmd]);
}

int cw_netlink_do(struct sk_buff *skb, struct genl_info *info)
{
	u8 cmd = info->genlhdr->cmd;
	const struct cw_netlink_handler *handler = cw_netlink_take_handler(cmd);
	int ret;

	/*
	 * Only commands that change something load a module, and cw_change() has checked the
	 * sender.
	 */
	if (!handler && cw_netlink_module_for(cmd)) {
		request_module("%s", cw_netlink_module_for(cmd));
		handler = cw_netlink_take_handler(cmd);
	}
	if (!handler || !handler->doit) {
		if (handler)
			cw_netlink_give_handler(cmd);
		cw_refuse(info->extack, "the kernel module for this is not loaded");
		return -ENODEV;
	}
	ret = handler->doit(skb, info);
	cw_netlink_give_handler(cmd);
	return ret;
}

/*
 * Changes need CAP_SYS_ADMIN, which is also needed to open disks and to mount, of the sender and of
 * the process that opened the socket. CAP_NET_ADMIN is not enough, because every network daemon has
 * it.
 */
int cw_netlink_change(struct sk_buff *skb, struct genl_info *info)
{
	return netlink_capable(skb, CAP_SYS_ADMIN) ? cw_netlink_do(skb, info) : -EPERM;
}

bool cw_may_see_secrets(const struct sk_buff *request)
{
	return netlink_capable(request, CAP_SYS_ADMIN);
}
EXPORT_SYMBOL_GPL(cw_may_see_secrets);

int cw_netlink_dump_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = CW_REPLY_SIZE;
	return 0;
}

int cw_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	u8 cmd = ((struct genlmsghdr *)nlmsg_data(cb->nlh))->cmd;
	const struct cw_netlink_handler *handler = cw_netlink_take_handler(cmd);
	int ret = 0;

	if (!handler)
		return 0;
	if (handler->dumpit)
		ret = handler->dumpit(skb, cb);
	cw_netlink_give_handler(cmd);
	return ret;
}

int cw_netlink_register(struct module *owner, const struct cw_netlink_handler *handlers, int count)
{
	int i, ret = 0;

	mutex_lock(&cw_table_lock);
	for (i = 0; i < count; i++)
		if (handlers[i].cmd >= __CW_C_MAX || cw_table[handlers[i].cmd])
			ret = -EBUSY;
	for (i = 0; !ret && i < count; i++) {
		cw_table[handlers[i].cmd] = &handlers[i];
		cw_owner[handlers[i].cmd] = owner;
	}
	mutex_unlock(&cw_table_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_netlink_register);

void cw_netlink_unregister(const struct cw_netlink_handler *handlers, int count)
{
	int i;

	/*
	 * No handler runs: the module is being unloaded, and a running handler would hold a
	 * reference.
	 */
	mutex_lock(&cw_table_lock);
	for (i = 0; i < count; i++)
		if (cw_table[handlers[i].cmd] == &handlers[i])
			cw_table[handlers[i].cmd] = NULL;
	mutex_unlock(&cw_table_lock);
}
EXPORT_SYMBOL_GPL(cw_netlink_unregister);

/* ---- family ---- */

static const struct genl_multicast_group cw_groups[] = {
	{ .name = CW_GENL_EVENTS },
};

struct genl_family cw_family = {
	.name = CW_GENL_NAME,
	.version = CW_GENL_VERSION,
	.maxattr = CW_A_MAX,
	.policy = cw_policy,
	.module = THIS_MODULE,
	.ops = cw_netlink_ops,
	.n_ops = ARRAY_SIZE(cw_netlink_ops),
	.mcgrps = cw_groups,
	.n_mcgrps = ARRAY_SIZE(cw_groups),
	.parallel_ops = true,
};

struct sk_buff *cw_reply_start(struct genl_info *info, u8 cmd, void **hdr)
{
	struct sk_buff *msg = genlmsg_new(CW_REPLY_SIZE, GFP_KERNEL);

	if (!msg)
		return NULL;
	*hdr = genlmsg_put_reply(msg, info, &cw_family, 0, cmd);
	return msg;
}
EXPORT_SYMBOL_GPL(cw_reply_start);

int cw_reply_send(struct sk_buff *msg, void *hdr, struct genl_info *info)
{
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}
EXPORT_SYMBOL_GPL(cw_reply_send);

int cw_dump_object(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd, cw_dump_put *put,
		   void *object)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &cw_family,
				NLM_F_MULTI, cmd);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	ret = put(skb, object, cw_may_see_secrets(cb->skb));
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret == -ENODATA ? 0 : ret;
}
EXPORT_SYMBOL_GPL(cw_dump_object);

int cw_dump_result(const struct sk_buff *skb, int ret)
{
	return ret && !(ret == -EMSGSIZE && skb->len) ? ret : skb->len;
}
EXPORT_SYMBOL_GPL(cw_dump_result);

int cw_put_address(struct sk_buff *skb, int attr, const struct sockaddr_storage *address)
{
	switch (address->ss_family) {
	case AF_INET:
		return nla_put(skb, attr, sizeof(struct sockaddr_in), address);
	case AF_INET6:
		return nla_put(skb, attr, sizeof(struct sockaddr_in6), address);
	default:
		return 0;
	}
}
EXPORT_SYMBOL_GPL(cw_put_address);

struct nlattr **cw_parse_nest(const struct nlattr *nest, struct netlink_ext_ack *extack)
{
	struct nlattr **tb = kcalloc(__CW_A_MAX, sizeof(*tb), GFP_KERNEL);
	int ret;

	if (!tb)
		return ERR_PTR(-ENOMEM);
	ret = nla_parse_nested(tb, CW_A_MAX, nest, cw_policy, extack);
	if (!ret)
		return tb;
	kfree(tb);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(cw_parse_nest);

void cw_refuse(struct netlink_ext_ack *extack, const char *fmt, ...)
{
	static char texts[64][448];
	static atomic_t next;
	char *text = texts[(u32)atomic_inc_return(&next) % ARRAY_SIZE(texts)];
	va_list args;

	if (!extack)
		return;
	va_start(args, fmt);
	vscnprintf(text, sizeof(texts[0]), fmt, args);
	va_end(args);
	extack->_msg = text;
}
EXPORT_SYMBOL_GPL(cw_refuse);

/* ---- events ---- */

void cw_event(enum cw_event event, enum cw_role role, const char *server, const char *name,
	      const char *fmt, ...)
{
	struct sk_buff *msg;
	char text[256];
	va_list args;
	void *hdr;

	if (!genl_has_listeners(&cw_family, &init_net, 0))
		return;
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return;
	va_start(args, fmt);
	vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	hdr = genlmsg_put(msg, 0, 0, &cw_family, 0, CW_C_EVENT);
	if (!hdr || nla_put_u8(msg, CW_A_EVENT, event) || nla_put_u8(msg, CW_A_ROLE, role) ||
	    nla_put_u64_64bit(msg, CW_A_TIME, ktime_get_real_ns(), CW_A_PAD) ||
	    (server && nla_put_string(msg, CW_A_SERVER, server)) ||
	    (name && nla_put_string(msg, CW_A_NAME, name)) ||
	    nla_put_string(msg, CW_A_TEXT, text)) {
		nlmsg_free(msg);
		return;
	}
	genlmsg_end(msg, hdr);
	genlmsg_multicast(&cw_family, msg, 0, 0, GFP_KERNEL);
}
EXPORT_SYMBOL_GPL(cw_event);

int cw_netlink_init(void)
{
	return genl_register_family(&cw_family);
}

void cw_netlink_exit(void)
{
	genl_unregister_family(&cw_family);
}
