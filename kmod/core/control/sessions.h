/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions of both roles, as netlink shows them.
 */
#ifndef CW_CONTROL_SESSIONS_H
#define CW_CONTROL_SESSIONS_H

#include <linux/netlink.h>

/**
 * cw_dump_sessions() - dumps the sessions (CW_C_SESSION_GET)
 * @skb: the message
 * @cb: the dump
 *
 * Context: Process context. May sleep.
 * Return: Bytes in @skb, or -errno.
 */
int cw_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb);
/**
 * cw_dump_stats() - dumps the counters of the sessions (CW_C_STAT_GET)
 * @skb: the message
 * @cb: the dump
 *
 * Context: Process context. May sleep.
 * Return: Bytes in @skb, or -errno.
 */
int cw_dump_stats(struct sk_buff *skb, struct netlink_callback *cb);

#endif
