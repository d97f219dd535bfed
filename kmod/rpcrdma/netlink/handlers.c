// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands of NFS: dump of connections, and rules for local addresses.
 *
 * A change between two parts of one dump may show an object twice or not at all, as in every
 * netlink dump; cb->args[0] counts the objects sent.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../../core/netlink/netlink.h"
#include "connections.h"
#include "handlers.h"
#include "rules.h"

struct dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
};

/* ---- connections ---- */

static enum cw_state cwr_state_of(const struct cwr_connection *c, enum cwr_state state)
{
	switch (state) {
	case CWR_CONNECTING:
		return CW_STATE_CONNECTING;
	case CWR_CONNECTED:
		return CW_STATE_LIVE;
	case CWR_BROKEN:
		return c->role == CWR_ROLE_CLIENT ? CW_STATE_HELD : CW_STATE_CLOSING;
	default:
		return CW_STATE_IDLE;
	}
}

/* Puts the time until the next attempt, if one is planned. */
static int cwr_put_retry(struct sk_buff *skb, enum cwr_state state, unsigned long at)
{
	if (state != CWR_BROKEN || !at || time_after_eq(jiffies, at))
		return 0;
	return nla_put_u32(skb, CW_A_RETRY_IN, jiffies_to_msecs(at - jiffies));
}

/* Under c->lock. */
static int cwr_put_rails(struct sk_buff *skb, const struct cwr_connection *c)
{
	const struct cwr_rail *rail;
	struct nlattr *nest;

	for (rail = c->rails; rail < c->rails + c->nr_rails; rail++) {
		nest = nla_nest_start(skb, CW_A_RAIL);
		if (!nest || nla_put_u8(skb, CW_A_STATE, cwr_state_of(c, rail->state)) ||
		    cw_put_address(skb, CW_A_LOCAL_ADDRESS, &rail->local) ||
		    nla_put_string(skb, CW_A_DEVICE, rail->device) ||
		    nla_put_u8(skb, CW_A_DEVICE_PORT, rail->device_port) ||
		    (rail->reason[0] && nla_put_string(skb, CW_A_REASON, rail->reason)) ||
		    cwr_put_retry(skb, rail->state, rail->retry_at))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

/* Under c->lock. */
static int cwr_put_state(struct sk_buff *skb, const struct cwr_connection *c)
{
	bool live = c->state == CWR_CONNECTED;

	if (nla_put_u8(skb, CW_A_STATE, cwr_state_of(c, c->state)) ||
	    nla_put_u8(skb, CW_A_TRANSPORT, live ? CW_TRANSPORT_RDMA : CW_TRANSPORT_NONE) ||
	    cw_put_address(skb, CW_A_ADDRESS, &c->peer) ||
	    nla_put_u32(skb, CW_A_ATTEMPTS, c->attempts) ||
	    nla_put_u32(skb, CW_A_RECONNECTS, c->reconnects) ||
	    nla_put_u64_64bit(skb, CW_A_SINCE, ktime_to_ns(ktime_sub(ktime_get(), c->since)),
			      CW_A_PAD) ||
	    (c->server[0] && nla_put_string(skb, CW_A_SERVER, c->server)))
		return -EMSGSIZE;
	if (c->reason[0] && (nla_put_string(skb, CW_A_REASON, c->reason) ||
			     nla_put_s32(skb, CW_A_ERROR, c->error)))
		return -EMSGSIZE;
	if (live && (cw_put_address(skb, CW_A_LOCAL_ADDRESS, &c->local) ||
		     nla_put_string(skb, CW_A_DEVICE, c->device) ||
		     nla_put_u8(skb, CW_A_DEVICE_PORT, c->device_port) ||
		     nla_put_u32(skb, CW_A_SEND_INLINE, c->inline_send) ||
		     nla_put_u32(skb, CW_A_RECEIVE_INLINE, c->inline_receive) ||
		     nla_put_u16(skb, CW_A_QUEUES, max(c->queue_pairs, 1U)) ||
		     nla_put_u32(skb, CW_A_CREDITS, READ_ONCE(c->credits)) ||
		     nla_put_u32(skb, CW_A_CALLS, atomic_read(&c->calls)) ||
		     (c->remote_invalidate && nla_put_flag(skb, CW_A_REMOTE_INVALIDATE)) ||
		     (c->backchannel && nla_put_flag(skb, CW_A_BACKCHANNEL))))
		return -EMSGSIZE;
	if (cwr_put_retry(skb, c->state, c->retry_at))
		return -EMSGSIZE;
	return cwr_put_rails(skb, c);
}

static int cwr_put_counters(struct sk_buff *skb, const struct cwr_connection *c)
{
	struct nlattr *nest = nla_nest_start(skb, CW_A_NFS_COUNTERS);
	struct cwr_counters sum;
	int i;

	if (!nest)
		return -EMSGSIZE;
	cwr_connection_sum(c, &sum);
	for (i = CW_NFS_CALLS; i < __CW_NFS_MAX; i++)
		if (nla_put_u64_64bit(skb, i, sum.n[i], CW_NFS_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int cwr_put_connection(struct sk_buff *skb, void *object, bool secrets)
{
	struct cwr_connection *c = object;
	unsigned long flags;
	int ret;

	ret = nla_put_u8(skb, CW_A_ROLE,
			 c->role == CWR_ROLE_CLIENT ? CW_ROLE_CLIENT : CW_ROLE_SERVER) ?:
	      nla_put_u32(skb, CW_A_ID, c->id);
	if (!ret) {
		spin_lock_irqsave(&c->lock, flags);
		ret = cwr_put_state(skb, c);
		spin_unlock_irqrestore(&c->lock, flags);
	}
	return ret ?: cwr_put_counters(skb, c);
}

static int cwr_dump_connection(void *arg, struct cwr_connection *c)
{
	struct dump *dump = arg;

	return cw_dump_object(dump->skb, dump->cb, CW_C_NFS_GET, cwr_put_connection, c);
}

static int cwr_nfs_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump dump = { skb, cb };

	return cw_dump_result(skb, cwr_connections_each(&cb->args[0], cwr_dump_connection, &dump));
}

/* ---- rules ---- */

static int cwr_read_network(struct genl_info *info, struct cw_cidr *to)
{
	const struct nlattr *family = info->attrs[CW_A_FAMILY];
	const struct nlattr *prefix = info->attrs[CW_A_PREFIX];
	const struct nlattr *len = info->attrs[CW_A_PREFIX_LEN];

	if (!family || !prefix || !len) {
		cw_refuse(info->extack, "the network of the rule is missing");
		return -EINVAL;
	}
	memset(to, 0, sizeof(*to));
	to->family = nla_get_u8(family);
	to->prefix_len = nla_get_u8(len);
	if (!cw_cidr_valid(to) || nla_len(prefix) != (to->family == AF_INET ? 4 : 16)) {
		cw_refuse(info->extack,
			  "a network is an IPv4 or IPv6 address and at most 32 or 128 bits of it");
		return -EINVAL;
	}
	nla_memcpy(to->prefix, prefix, sizeof(to->prefix));
	return 0;
}

static int cwr_read_source(struct genl_info *info, const struct nlattr *attr, struct cwr_rule *rule)
{
	struct sockaddr_storage *from = &rule->from[rule->count];
	size_t size = rule->to.family == AF_INET ? sizeof(struct sockaddr_in) :
						   sizeof(struct sockaddr_in6);

	if (rule->count == CW_NFS_SOURCES) {
		cw_refuse(info->extack, "a rule has at most %u local addresses", CW_NFS_SOURCES);
		return -E2BIG;
	}
	if (nla_len(attr) != (int)size) {
		cw_refuse(info->extack,
			  "local address %u is not of the family of the rule's network",
			  rule->count + 1);
		return -EINVAL;
	}
	nla_memcpy(from, attr, size);
	if (from->ss_family != rule->to.family) {
		cw_refuse(info->extack,
			  "local address %u is not of the family of the rule's network",
			  rule->count + 1);
		return -EINVAL;
	}
	/* The port is at the same place in both structs. */
	((struct sockaddr_in *)from)->sin_port = 0;
	rule->count++;
	return 0;
}

static int cwr_read_rule(struct genl_info *info, struct cwr_rule *rule)
{
	struct nlattr *attr;
	int ret, rest;

	ret = cwr_read_network(info, &rule->to);
	if (ret)
		return ret;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		if (nla_type(attr) != CW_A_SOURCE)
			continue;
		ret = cwr_read_source(info, attr, rule);
		if (ret)
			return ret;
	}
	if (!rule->count) {
		cw_refuse(info->extack, "the rule names no local address");
		return -EINVAL;
	}
	return 0;
}

static int cwr_nfs_rule_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cwr_rule *rule = kzalloc(sizeof(*rule), GFP_KERNEL);
	int ret;

	if (!rule)
		return -ENOMEM;
	ret = cwr_read_rule(info, rule);
	if (!ret)
		ret = cwr_rule_set(rule);
	if (ret == -ENOSPC)
		cw_refuse(info->extack, "there are too many rules; remove one first");
	kfree(rule);
	return ret;
}

static int cwr_nfs_rule_remove_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cw_cidr to;
	int ret;

	ret = cwr_read_network(info, &to) ?: cwr_rule_remove(&to);
	if (ret == -ENOENT)
		cw_refuse(info->extack, "there is no rule for that network");
	return ret;
}

static int cwr_put_rule(struct sk_buff *skb, void *object, bool secrets)
{
	const struct cwr_rule *rule = object;
	unsigned int i;

	if (nla_put_u8(skb, CW_A_FAMILY, rule->to.family) ||
	    nla_put(skb, CW_A_PREFIX, rule->to.family == AF_INET ? 4 : 16, rule->to.prefix) ||
	    nla_put_u8(skb, CW_A_PREFIX_LEN, rule->to.prefix_len))
		return -EMSGSIZE;
	for (i = 0; i < rule->count; i++)
		if (cw_put_address(skb, CW_A_SOURCE, &rule->from[i]))
			return -EMSGSIZE;
	return 0;
}

static int cwr_dump_rule(void *arg, struct cwr_rule *rule)
{
	struct dump *dump = arg;

	return cw_dump_object(dump->skb, dump->cb, CW_C_NFS_RULE_GET, cwr_put_rule, rule);
}

static int cwr_nfs_rule_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump dump = { skb, cb };

	return cw_dump_result(skb, cwr_rules_each(&cb->args[0], cwr_dump_rule, &dump));
}

static const struct cw_netlink_handler handlers[] = {
	{ .cmd = CW_C_NFS_GET, .dumpit = cwr_nfs_get_dumpit },
	{ .cmd = CW_C_NFS_RULE_SET, .doit = cwr_nfs_rule_set_doit },
	{ .cmd = CW_C_NFS_RULE_REMOVE, .doit = cwr_nfs_rule_remove_doit },
	{ .cmd = CW_C_NFS_RULE_GET, .dumpit = cwr_nfs_rule_get_dumpit },
};

int cwr_netlink_register(void)
{
	return cw_netlink_register(THIS_MODULE, handlers, ARRAY_SIZE(handlers));
}

void cwr_netlink_unregister(void)
{
	cw_netlink_unregister(handlers, ARRAY_SIZE(handlers));
	cwr_rules_free();
}
