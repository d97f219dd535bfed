/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The family's operations and what calls them. abi/generate makes policy.c.
 */
#ifndef CW_NETLINK_POLICY_H
#define CW_NETLINK_POLICY_H

#include "netlink.h"

#define CW_NETLINK_OPS (CW_C_MAX - 1) /* every command but CW_C_EVENT */

extern const struct genl_ops cw_netlink_ops[CW_NETLINK_OPS];

/**
 * cw_netlink_do() - carries out an operation that every process may ask for
 * @skb: request
 * @info: its attributes
 *
 * Loads the module of a command that changes something if the module is not loaded.
 *
 * Context: Process context. May sleep.
 * Return: The result of the handler, or -ENODEV if there is none.
 */
int cw_netlink_do(struct sk_buff *skb, struct genl_info *info);

/**
 * cw_netlink_dump_start() - gives the messages of a dump room for the largest object
 * @cb: of the dump
 *
 * Context: Process context.
 * Return: 0.
 */
int cw_netlink_dump_start(struct netlink_callback *cb);
/**
 * cw_netlink_dump() - carries out a dump that every process may ask for
 * @skb: buffer of the answer
 * @cb: the dump
 *
 * Context: Process context. May sleep.
 * Return: The result of the handler, or 0 if there is none.
 */
int cw_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * cw_netlink_change() - carries out an operation for administrators
 * @skb: request
 * @info: its attributes
 *
 * Context: Process context. May sleep.
 * Return: As cw_netlink_do(), or -EPERM without CAP_SYS_ADMIN.
 */
int cw_netlink_change(struct sk_buff *skb, struct genl_info *info);

#endif
