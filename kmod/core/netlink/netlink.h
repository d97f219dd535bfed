/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family: one table of commands, filled by whichever module serves them.
 */
#ifndef CW_NETLINK_H
#define CW_NETLINK_H

#include <net/genetlink.h>

#include "../../../include/uapi/causeway.h"

struct cw_netlink_handler {
	u8 cmd; /* enum cw_command */
	/*
	 * Process context, no lock held: two may run at once. info->attrs are validated by the
	 * family's policy.
	 */
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	/* Process context. One message per object; cb->args[0..2] are its own. */
	int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
};

/*
 * @count handlers, kept by pointer until unregistered; @owner is held while one runs. -EBUSY: a
 * command is taken.
 */
int cw_netlink_register(struct module *owner, const struct cw_netlink_handler *handlers, int count);
void cw_netlink_unregister(const struct cw_netlink_handler *handlers, int count);

/*
 * Starts an answer: a message of @cmd to the asker of @info. NULL: no memory. Then nla_put...,
 * cw_reply_send().
 */
struct sk_buff *cw_reply_start(struct genl_info *info, u8 cmd, void **hdr);
int cw_reply_send(struct sk_buff *msg, void *hdr, struct genl_info *info);
/*
 * The header of one message of a dump: genlmsg_put() for this family. NULL: the buffer is full.
 * Then genlmsg_end().
 */
void *cw_dump_start(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);

/*
 * Whether who sent @request may see what opens doors: UUIDs of hosts and sessions, which end
 * another's session, identities and instances, paths, and allow lists. For a dump the request is
 * cb->skb.
 */
bool cw_may_see_secrets(const struct sk_buff *request);

/* An address as the attribute @attr; none where it has no known family. 0 or -EMSGSIZE. */
int cw_put_address(struct sk_buff *skb, int attr, const struct sockaddr_storage *address);

/* Attributes of CW_A_EXPORT, CW_A_ALLOW nests parse with this policy. */
extern const struct nla_policy cw_policy[__CW_A_MAX];

/*
 * The sentence of a refusal, up to 447 bytes: what, why, what would be right. Any process context;
 * @extack may be NULL. (Its text lives in a ring of buffers until the ACK has copied it: netlink
 * keeps only a pointer.)
 */
__printf(2, 3) void cw_refuse(struct netlink_ext_ack *extack, const char *fmt, ...);

/* Tells the listeners. Any process context; @server, @name may be NULL. */
__printf(5, 6) void cw_event(enum cw_event event, enum cw_role role, const char *server,
			     const char *name, const char *fmt, ...);

/* ---- inside the core ---- */

extern struct genl_family cw_family;

int cw_netlink_init(void);
void cw_netlink_exit(void);

#endif
