/* SPDX-License-Identifier: GPL-2.0-only */
/* Netlink commands that the core itself serves. */
#ifndef CW_CONTROL_H
#define CW_CONTROL_H

#include "../netlink/netlink.h"

/**
 * cw_discover() - handles CW_C_DISCOVER
 * @skb: unused
 * @info: the request
 *
 * Context: Process context. Sleeps.
 * Return: 0 or -errno.
 */
int cw_discover(struct sk_buff *skb, struct genl_info *info);

/**
 * cw_control_init() - registers the handlers of the core's commands, and the netlink family
 *
 * Context: Process context, when the module is loaded. May sleep.
 * Return: 0 or -errno.
 */
int cw_control_init(void);

/**
 * cw_control_exit() - unregisters the netlink family
 *
 * Context: Process context, when the module is unloaded. May sleep.
 */
void cw_control_exit(void);

#endif
