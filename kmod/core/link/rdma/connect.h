/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Links over RDMA: made by the client's connect and by the server's listener.
 */
#ifndef CW_LINK_RDMA_CONNECT_H
#define CW_LINK_RDMA_CONNECT_H

#include <rdma/rdma_cm.h>

#include "../../verbs/device.h"
#include "../link.h"

#define CW_CONTROL_DEPTH 8 /* of a control link, at both ends */

struct cw_link_config {
	enum cw_link_kind kind;
	const struct cw_link_handler *handler;
	void *session;
	u16 index;
	u32 vector; /* completion vector, modulo what the device has */
	struct cw_limits limits; /* control: depth is that of messages */
	/* data: what either end takes, from hello and welcome; control: 0 */
	u16 messages, peer_messages;
	u16 area, peer_area; /* pages */
	struct cw_reserve *reserve; /* where the link's memory comes from and goes to; or NULL */
	bool polled; /* client, data: never interrupts */
	/*
	 * Client, may be NULL: told of the link before anything of it waits, and of NULL when the
	 * connection stands or before the link is freed. Until then another thread may kill @link,
	 * which ends all waits at once.
	 */
	void (*making)(void *session, struct cw_link *link);
};

/*
 * Client: connects to @dst. @domain NULL makes one on the device that the address leads to
 * (cw_link_rdma_domain() tells). @req is the private data. Sleeps up to @timeout_ms three times
 * over. The link or ERR_PTR; @reason (96 bytes) then says why, and @rej what the server answered
 * (its reason is CW_REFUSED_NONE if the server did not reject the request).
 */
struct cw_link *cw_link_rdma_connect(const struct cw_link_config *config, struct cw_domain *domain,
				     const struct sockaddr *src, const struct sockaddr *dst,
				     const struct cw_wire_req *req, u32 timeout_ms, char *reason,
				     struct cw_rej *rej);
/* Client: the private data with which the server accepted @link. */
void cw_link_rdma_acceptance(struct cw_link *link, struct cw_wire_rep *rep);

/*
 * Server, in the handler of a connection request: makes a link around @cm, with config->session
 * possibly still NULL. When it fails, and after cw_link_rdma_disown(), the caller returns non-zero
 * from the handler, which destroys @cm. Once others know the link it is theirs to free, and the
 * handler returns 0 whatever cw_link_rdma_accept() says.
 *
 * The caller may call cw_link_rdma_disown() only while nobody else knows the link. It gives @cm
 * back and drains the link. No callback of the link runs after it, and the caller frees the link.
 */
struct cw_link *cw_link_rdma_adopt(const struct cw_link_config *config, struct cw_domain *domain,
				   struct rdma_cm_id *cm);
void cw_link_rdma_disown(struct cw_link *link);
int cw_link_rdma_accept(struct cw_link *link, const struct rdma_conn_param *asked,
			const struct cw_wire_rep *rep);

/* With a reference for the caller. */
struct cw_domain *cw_link_rdma_domain(struct cw_link *link);
/* For people and for netlink: names and addresses of the connection. */
void cw_link_rdma_describe(struct cw_link *link, char device[64], u8 *port,
			   struct sockaddr_storage *local, struct sockaddr_storage *peer);
/* Features of the protocol (enum cw_wire_feature) that the link's device can do. */
u64 cw_link_rdma_features(struct cw_link *link);
/* The most bytes of inline data that a message of ours can carry on the link's device. */
u32 cw_link_rdma_inline(struct cw_link *link);
/* The memory node that the link's device is nearest to, or NUMA_NO_NODE. */
int cw_link_rdma_node(struct cw_link *link);
/* The most bytes of one command that a region of the link's device covers. */
u32 cw_link_rdma_max_io(struct cw_link *link, u32 wanted);

#endif
