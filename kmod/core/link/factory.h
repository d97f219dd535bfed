/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The factory by which a client makes links, and the properties of a link's connection and device.
 *
 * A transport has one factory. The client names the factory of its path, and everything else of the
 * transport is behind cw_link_ops. A server makes links in the listener of the transport.
 */
#ifndef CW_LINK_FACTORY_H
#define CW_LINK_FACTORY_H

#include "link.h"

#define CW_CONTROL_DEPTH 8 /* receives of a control link, at both ends */

struct cw_reserve;

struct cw_link_config {
	enum cw_link_kind kind;
	const struct cw_link_handler *handler;
	void *owner;
	void *priv; /* client, data: the disk; the link has it before its first callback */
	struct percpu_ref *session_commands; /* server, data: part of @owner */
	u16 index;
	u32 vector; /* completion vector, modulo what the device has */
	struct cw_limits limits; /* control: depth is the number of messages */
	/* Data: receives for messages with records, from HELLO and WELCOME. Control: 0. */
	u16 messages, peer_messages;
	u16 area, peer_area; /* pages of a receive */
	struct cw_reserve *reserve; /* memory comes from it and returns to it; or NULL */
	bool polled; /* client, data: without interrupts */
	/*
	 * Client: time limit for the address and the route of the server each, in milliseconds, and
	 * over TCP for its connection; 0: @timeout_ms of connect().
	 */
	u32 reach_ms;
	/*
	 * Client, may be NULL: called with the link before the first wait, and with NULL when the
	 * connection is established or before the link is freed. Until then another thread may kill
	 * @link, which ends all waits at once.
	 */
	void (*making)(void *owner, struct cw_link *link);
};

/**
 * cw_link_reach_ms() - returns the time limit of the way to the server
 * @config: properties of the link
 * @timeout_ms: time limit of each step, in milliseconds
 *
 * Context: Any context.
 * Return: Milliseconds.
 */
static inline u32 cw_link_reach_ms(const struct cw_link_config *config, u32 timeout_ms)
{
	return config->reach_ms ? min(config->reach_ms, timeout_ms) : timeout_ms;
}

/* The capabilities of a link's device. */
struct cw_link_caps {
	u64 features; /* of the protocol, set of enum cw_wire_feature */
	u32 inline_size; /* most bytes of inline data in a message to the peer */
	u32 max_io; /* most bytes of a command that a memory region can carry, whole pages */
	int node; /* the memory node nearest to the device, or NUMA_NO_NODE */
};

/* The links of one transport, for a client. */
struct cw_link_factory {
	u8 transport; /* enum cw_transport */
	/**
	 * @connect: connect a link to a server
	 * @config: properties of the link
	 * @beside: link whose device the new link must have, or NULL for any device
	 * @src: address of this end, or NULL for any
	 * @dst: address of the server
	 * @req: the request of the protocol
	 * @timeout_ms: time limit of each step of connecting, in milliseconds; a transport has at
	 * most three steps
	 * @reason: 96 bytes; set to a text for people after an error
	 * @rej: set to the rejection of the server after an error. Its reason is CW_REFUSED_NONE if
	 * the server did not reject the request.
	 *
	 * Context: Process context. Sleeps up to three times @timeout_ms.
	 * Return: The link or an ERR_PTR(): -EXDEV if the route has another device than @beside.
	 */
	struct cw_link *(*connect)(const struct cw_link_config *config, struct cw_link *beside,
				   const struct sockaddr *src, const struct sockaddr *dst,
				   const struct cw_wire_req *req, u32 timeout_ms, char *reason,
				   struct cw_rej *rej);
};

/**
 * cw_link_transport() - get the transport of a link
 * @link: link
 *
 * Context: Any context.
 * Return: One of enum cw_transport.
 */
static inline u8 cw_link_transport(const struct cw_link *link)
{
	return link->ops->transport;
}

/**
 * cw_link_acceptance() - client: get the server's acceptance of a link
 * @link: connected link
 * @rep: set to the acceptance
 *
 * Context: Any context.
 */
static inline void cw_link_acceptance(struct cw_link *link, struct cw_wire_rep *rep)
{
	link->ops->acceptance(link, rep);
}

/**
 * cw_link_describe() - get names and addresses of a connection
 * @link: link
 * @device: 64 bytes; set to the name of the device
 * @port: set to the number of the port
 * @local: set to the address of this end
 * @peer: set to the address of the peer
 *
 * Context: Any context.
 */
static inline void cw_link_describe(struct cw_link *link, char device[64], u8 *port,
				    struct sockaddr_storage *local, struct sockaddr_storage *peer)
{
	link->ops->describe(link, device, port, local, peer);
}

/**
 * cw_link_caps() - get what the device of a link can do
 * @link: link on the device
 *
 * Context: Any context.
 * Return: The capabilities.
 */
static inline struct cw_link_caps cw_link_caps(struct cw_link *link)
{
	return link->ops->caps(link);
}

#endif
