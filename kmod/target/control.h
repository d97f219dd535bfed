/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink commands of exports: their handlers, for the table in control.c.
 */
#ifndef CWT_CONTROL_H
#define CWT_CONTROL_H

#include "../core/netlink.h"

int cwt_export_add_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_remove_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_get_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

/* control_owner.c */
int cwt_export_evict_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_readmit_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_owner_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

/* Where the server is to listen. */
u16 cwt_port(void);

#endif
