/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family: a table of commands, to which each module adds the commands that it
 * serves; replies, dumps, refusals, and events.
 */
#ifndef CW_NETLINK_H
#define CW_NETLINK_H

#include <net/genetlink.h>

#include "../../../include/uapi/causeway.h"

struct cw_netlink_handler {
	u8 cmd; /* enum cw_command */
	/*
	 * Process context, no lock is held; may run several times at once. info->attrs were
	 * validated by the policy of the family.
	 */
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	/*
	 * Process context. Sends one message for each object; cb->args[0..2] are for the handler.
	 */
	int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
};

/**
 * cw_netlink_register() - adds handlers to the table
 * @owner: the module, held while a handler runs
 * @handlers: used until they are unregistered
 * @count: their number
 *
 * Context: Process context. May sleep.
 * Return: 0; -EBUSY: a command has a handler already.
 */
int cw_netlink_register(struct module *owner, const struct cw_netlink_handler *handlers, int count);

/**
 * cw_netlink_unregister() - removes handlers from the table
 * @handlers: as passed to cw_netlink_register(). None of them runs.
 * @count: their number
 *
 * Context: Process context, when the module is unloaded. May sleep.
 */
void cw_netlink_unregister(const struct cw_netlink_handler *handlers, int count);

/*
 * bytes of a reply or of a message of a dump. The largest is an export with CW_ALLOW_MAX networks
 * and 8 addresses, about 4100 bytes, which NLMSG_GOODSIZE does not hold.
 */
#define CW_REPLY_SIZE (2 * NLMSG_GOODSIZE)

/**
 * cw_reply_start() - starts the reply to a request
 * @info: the request
 * @cmd: the command of the reply
 * @hdr: set; for cw_reply_send()
 *
 * nla_put() and cw_reply_send() follow.
 *
 * Context: Process context. May sleep.
 * Return: The message, or NULL.
 */
struct sk_buff *cw_reply_start(struct genl_info *info, u8 cmd, void **hdr);
/**
 * cw_reply_send() - ends and sends a reply
 * @msg: from cw_reply_start(); freed
 * @hdr: from cw_reply_start()
 * @info: the request
 *
 * Context: Process context.
 * Return: 0 or -errno.
 */
int cw_reply_send(struct sk_buff *msg, void *hdr, struct genl_info *info);
/**
 * typedef cw_dump_put - writes the attributes of an object into a message of a dump
 * @skb: the buffer
 * @object: the object
 * @secrets: cw_may_see_secrets() of the reader
 *
 * Return: 0; -EMSGSIZE: no room; -ENODATA: a dump does not show this object; or -errno.
 */
typedef int cw_dump_put(struct sk_buff *skb, void *object, bool secrets);
/**
 * cw_dump_object() - writes one message of a dump
 * @skb: the buffer
 * @cb: the dump
 * @cmd: the command of the message
 * @put: writes the attributes
 * @object: for @put
 *
 * Context: Process context. May sleep if @put does.
 * Return: 0, or the error of @put; then the message is not in @skb, and the dump ends for now.
 */
int cw_dump_object(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd, cw_dump_put *put,
		   void *object);
/**
 * cw_dump_result() - returns the result of a dump
 * @skb: the buffer
 * @ret: the result of the last cw_dump_object()
 *
 * Context: Any context.
 * Return: The length of a full buffer that is not empty, which is sent, and the dump continues in
 * the next one; or @ret.
 */
int cw_dump_result(const struct sk_buff *skb, int ret);

/**
 * cw_may_see_secrets() - checks whether the sender of a request may see values that give access
 * @request: the request; for a dump, cb->skb
 *
 * These are UUIDs of hosts and sessions, by which a session of another client can be ended,
 * identities and instances, paths, and allow lists.
 *
 * Context: Process context.
 * Return: True if the sender has CAP_SYS_ADMIN.
 */
bool cw_may_see_secrets(const struct sk_buff *request);

/**
 * cw_put_address() - puts an address, or nothing if its family is unknown
 * @skb: the message
 * @attr: the attribute
 * @address: the address
 *
 * Context: Any context.
 * Return: 0 or -EMSGSIZE.
 */
int cw_put_address(struct sk_buff *skb, int attr, const struct sockaddr_storage *address);

/* The policy of all requests of the family, and of the nest CW_A_ALLOW in them. */
extern const struct nla_policy cw_policy[__CW_A_MAX];

/**
 * cw_parse_nest() - parses a nest of a request
 * @nest: the nest
 * @extack: of the request; may be NULL
 *
 * Context: Process context. May sleep.
 * Return: The attributes of the nest by their numbers, below __CW_A_MAX, which the caller frees by
 * kfree(); or an ERR_PTR: -ENOMEM, or the error of the parser.
 */
struct nlattr **cw_parse_nest(const struct nlattr *nest, struct netlink_ext_ack *extack);

/**
 * cw_refuse() - sets the text of a refusal
 * @extack: of the request; may be NULL
 * @fmt: one sentence of up to 447 bytes: what failed, why, and what to do
 *
 * netlink keeps only a pointer, so the text stays in a ring of buffers until the ACK has copied it.
 *
 * Context: Process context.
 */
__printf(2, 3) void cw_refuse(struct netlink_ext_ack *extack, const char *fmt, ...);

/**
 * cw_event() - sends an event to the listeners
 * @event: the event
 * @role: of this host
 * @server: name of the server, or NULL
 * @name: name of the export, or NULL
 * @fmt: text for administrators
 *
 * Context: Process context. May sleep.
 */
__printf(5, 6) void cw_event(enum cw_event event, enum cw_role role, const char *server,
			     const char *name, const char *fmt, ...);

/* ---- inside the core ---- */

extern struct genl_family cw_family;

/**
 * cw_netlink_init() - registers the netlink family
 *
 * Context: Process context, when the module is loaded. May sleep.
 * Return: 0 or -errno.
 */
int cw_netlink_init(void);

/**
 * cw_netlink_exit() - unregisters the netlink family
 *
 * Context: Process context, when the module is unloaded. May sleep.
 */
void cw_netlink_exit(void);

#endif
