/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connection requests of every transport. The listener of a transport reads a request, and sends
 * the rejection.
 */
#ifndef CW_SERVER_INCOMING_H
#define CW_SERVER_INCOMING_H

#include "../../link/factory.h"

struct cw_incoming;

/* The operations of a transport for a connection request. All but is_beside may sleep. */
struct cw_incoming_ops {
	const char *making; /* what adopt does, for a log: "making ..." */
	/* Makes the link of the connection. Nothing arrives on it before accept. */
	struct cw_link *(*adopt)(struct cw_incoming *in, const struct cw_link_config *config);
	/* Drains a link of adopt, which then leaves the connection to the listener. */
	void (*disown)(struct cw_link *link);
	int (*accept)(struct cw_incoming *in, struct cw_link *link, const struct cw_wire_rep *rep);
	/* True if the connection came to where the control link is. Any context. */
	bool (*is_beside)(const struct cw_incoming *in, struct cw_link *control);
};

/* A connection whose request was read. The listener has it in a struct of its own. */
struct cw_incoming {
	const struct cw_incoming_ops *ops;
	const struct sockaddr_storage *peer;
	const struct cw_wire_req *wire; /* the request, as it arrived */
};

/**
 * cw_incoming_judge() - make the link of a connection, or refuse the connection
 * @in: connection
 * @req: its request, which was parsed
 *
 * Context: Process context, in a NOIO scope. May sleep.
 * Return: 0, and the connection belongs to its link; or the reason for the rejection, which the
 * caller sends.
 */
u16 cw_incoming_judge(struct cw_incoming *in, const struct cw_req *req);

/**
 * cw_incoming_say_version() - log that a client has no version in common with this server
 * @in: connection; only its peer is used
 * @data: request
 * @len: bytes of the request
 *
 * The client receives the range of this server. The range of the client is for the server's
 * administrator.
 *
 * Context: Any context.
 */
void cw_incoming_say_version(const struct cw_incoming *in, const void *data, size_t len);

#endif
