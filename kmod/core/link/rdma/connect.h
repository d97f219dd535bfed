/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Links over RDMA: a client makes them by connecting, a server in its listener.
 */
#ifndef CW_LINK_RDMA_CONNECT_H
#define CW_LINK_RDMA_CONNECT_H

#include <rdma/rdma_cm.h>

#include "../link.h"

#define CW_CONTROL_DEPTH 8 /* receives of a control link, at both ends */

struct cw_link_config {
	enum cw_link_kind kind;
	const struct cw_link_handler *handler;
	void *session;
	struct percpu_ref *session_commands; /* server, data: part of @session */
	u16 index;
	u32 vector; /* completion vector, modulo what the device has */
	struct cw_limits limits; /* control: depth is the number of messages */
	/* Data: receives for messages with records, from HELLO and WELCOME. Control: 0. */
	u16 messages, peer_messages;
	u16 area, peer_area; /* pages of a receive */
	struct cw_reserve *reserve; /* memory comes from it and returns to it; or NULL */
	bool polled; /* client, data: without interrupts */
	/*
	 * Client, may be NULL: called with the link before the first wait, and with NULL when the
	 * connection is established or before the link is freed. Until then another thread may kill
	 * @link, which ends all waits at once.
	 */
	void (*making)(void *session, struct cw_link *link);
};

/* The capabilities of a link's device. */
struct cw_link_caps {
	u64 features; /* of the protocol, set of enum cw_wire_feature */
	u32 inline_size; /* most bytes of inline data in a message to the peer */
	u32 max_io; /* most bytes of a command that a memory region can carry, whole pages */
	int node; /* the memory node nearest to the device, or NUMA_NO_NODE */
};

/**
 * cw_link_rdma_connect() - client: connect a link to a server
 * @config: properties of the link
 * @beside: link whose device the new link must have, or NULL for any device
 * @src: address of this end, or NULL for any
 * @dst: address of the server
 * @req: private data of the request
 * @timeout_ms: time limit of each of three steps, in milliseconds: address, route, connection
 * @reason: 96 bytes; set to a text for people after an error
 * @rej: set to the rejection of the server after an error. Its reason is CW_REFUSED_NONE if the
 * server did not reject the request.
 *
 * The link has a protection domain of its own.
 *
 * Context: Process context. Sleeps up to three times @timeout_ms.
 * Return: The link or an ERR_PTR(): -EXDEV if the route has another device than @beside.
 */
struct cw_link *cw_link_rdma_connect(const struct cw_link_config *config, struct cw_link *beside,
				     const struct sockaddr *src, const struct sockaddr *dst,
				     const struct cw_wire_req *req, u32 timeout_ms, char *reason,
				     struct cw_rej *rej);
/**
 * cw_link_rdma_acceptance() - client: get the private data of the server's acceptance
 * @link: connected link
 * @rep: set to the private data
 *
 * Context: Any context.
 */
void cw_link_rdma_acceptance(struct cw_link *link, struct cw_wire_rep *rep);

/**
 * cw_link_rdma_adopt() - server: make a link for a connection request
 * @config: properties of the link. Its session may be NULL until the request is accepted.
 * @cm: id of the request
 *
 * The link has a protection domain of its own.
 *
 * After an error, and after cw_link_rdma_disown(), the caller returns non-zero from its handler,
 * and the connection manager destroys @cm. When other threads can find the link, they free it, and
 * the handler returns 0 even if cw_link_rdma_accept() fails.
 *
 * Context: Handler of the connection manager. May sleep.
 * Return: The link or an ERR_PTR().
 */
struct cw_link *cw_link_rdma_adopt(const struct cw_link_config *config, struct rdma_cm_id *cm);

/**
 * cw_link_rdma_disown() - server: give the id of the request back to the connection manager
 * @link: link that no other thread can find yet
 *
 * Drains the link. Afterwards no callback of the link runs. The caller frees the link.
 *
 * Context: Handler of the connection manager. Sleeps.
 */
void cw_link_rdma_disown(struct cw_link *link);

/**
 * cw_link_rdma_accept() - server: accept the connection request of a link
 * @link: link
 * @asked: parameters of the request
 * @rep: private data of the acceptance
 *
 * Context: Handler of the connection manager. May sleep.
 * Return: 0 or -errno.
 */
int cw_link_rdma_accept(struct cw_link *link, const struct rdma_conn_param *asked,
			const struct cw_wire_rep *rep);

/**
 * cw_link_rdma_is_on() - check whether a link is on a device
 * @link: link that cw_link_rdma_connect() or cw_link_rdma_adopt() returned
 * @ib: device
 *
 * Context: Any context.
 * Return: True if the queue pair of the link is on @ib.
 */
bool cw_link_rdma_is_on(struct cw_link *link, const struct ib_device *ib);
/**
 * cw_link_rdma_describe() - get names and addresses of a connection
 * @link: link
 * @device: 64 bytes; set to the name of the device
 * @port: set to the number of the port
 * @local: set to the address of this end
 * @peer: set to the address of the peer
 *
 * Context: Any context.
 */
void cw_link_rdma_describe(struct cw_link *link, char device[64], u8 *port,
			   struct sockaddr_storage *local, struct sockaddr_storage *peer);
/**
 * cw_link_rdma_caps() - get what the device of a link can do
 * @link: link on the device
 *
 * Context: Any context.
 * Return: The capabilities.
 */
struct cw_link_caps cw_link_rdma_caps(struct cw_link *link);

#endif
