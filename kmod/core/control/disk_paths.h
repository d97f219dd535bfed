/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The paths of a client's session, as netlink shows them.
 */
#ifndef CW_CONTROL_DISK_PATHS_H
#define CW_CONTROL_DISK_PATHS_H

#include <linux/netlink.h>

struct cw_session;

/**
 * cw_dump_put_paths() - puts a nest for each path of a session into a message
 * @skb: the message
 * @s: the session
 *
 * Context: Process context. May sleep. s->lock is held. Takes s->reason_lock.
 * Return: 0 or -EMSGSIZE.
 */
int cw_dump_put_paths(struct sk_buff *skb, struct cw_session *s);

#endif
