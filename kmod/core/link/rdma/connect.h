/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Links over RDMA: a client makes them by connecting, a server in its listener.
 */
#ifndef CW_LINK_RDMA_CONNECT_H
#define CW_LINK_RDMA_CONNECT_H

#include <rdma/rdma_cm.h>

#include "../factory.h"

/* Its links have a protection domain of their own. */
extern const struct cw_link_factory cw_link_rdma_factory;

/**
 * cw_link_rdma_adopt() - server: make a link for a connection request
 * @config: properties of the link. Its owner may be NULL until the request is accepted.
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
 * @link: link that cw_link_rdma_factory or cw_link_rdma_adopt() made
 * @ib: device
 *
 * Context: Any context.
 * Return: True if the queue pair of the link is on @ib.
 */
bool cw_link_rdma_is_on(struct cw_link *link, const struct ib_device *ib);

#endif
