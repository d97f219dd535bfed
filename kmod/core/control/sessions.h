/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions of both roles, as netlink shows them.
 */
#ifndef CW_CONTROL_SESSIONS_H
#define CW_CONTROL_SESSIONS_H

#include <linux/netlink.h>

/**
 * cw_dump_sessions() - the dump CW_C_SESSION_GET
 * @skb: the message
 * @cb: the dump
 *
 * Context: process, sleeps.
 * Return: bytes in @skb, or -errno.
 */
int cw_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb);
/**
 * cw_dump_stats() - the dump CW_C_STAT_GET
 * @skb: the message
 * @cb: the dump
 *
 * Context: process, sleeps.
 * Return: bytes in @skb, or -errno.
 */
int cw_dump_stats(struct sk_buff *skb, struct netlink_callback *cb);

#endif
