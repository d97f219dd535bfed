/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions of both roles, as netlink shows them.
 */
#ifndef CW_CONTROL_SESSIONS_H
#define CW_CONTROL_SESSIONS_H

#include <linux/netlink.h>

/* Handlers of the two dumps. */
int cw_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb);
int cw_dump_stats(struct sk_buff *skb, struct netlink_callback *cb);

#endif
