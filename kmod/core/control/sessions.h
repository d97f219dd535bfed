/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attributes that connections of both roles are told with. Each returns 0 or -EMSGSIZE.
 */
#ifndef CW_CONTROL_SESSIONS_H
#define CW_CONTROL_SESSIONS_H

#include "../link/link.h"
#include "../netlink/netlink.h"

int cw_put_address(struct sk_buff *skb, int attr, const struct sockaddr_storage *address);
int cw_put_stats(struct sk_buff *skb, const struct cw_stats *stats);

/* Handlers of the two dumps. */
int cw_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb);
int cw_dump_stats(struct sk_buff *skb, struct netlink_callback *cb);

#endif
