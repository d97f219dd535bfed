/* SPDX-License-Identifier: GPL-2.0-only */
/* Netlink commands that the core itself serves. */
#ifndef CW_CONTROL_H
#define CW_CONTROL_H

#include "../netlink/netlink.h"

/* The handler of CW_C_DISCOVER. */
int cw_discover(struct sk_buff *skb, struct genl_info *info);

/* Registers the handlers and the family. */
int cw_control_init(void);
void cw_control_exit(void);

#endif
