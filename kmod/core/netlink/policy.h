/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The family's operations and what calls them. abi/generate makes policy.c.
 */
#ifndef CW_NETLINK_POLICY_H
#define CW_NETLINK_POLICY_H

#include "netlink.h"

#define CW_NETLINK_OPS (CW_C_MAX - 1) /* every command but CW_C_EVENT */

extern const struct genl_ops cw_netlink_ops[CW_NETLINK_OPS];

/* Operations that every process may ask for. Process context. */
int cw_netlink_do(struct sk_buff *skb, struct genl_info *info);
int cw_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb);
/* Operations for administrators: -EPERM without CAP_SYS_ADMIN. Process context. */
int cw_netlink_change(struct sk_buff *skb, struct genl_info *info);

#endif
