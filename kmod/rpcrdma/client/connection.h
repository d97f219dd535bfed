/* SPDX-License-Identifier: GPL-2.0-only */
/* One queue pair to a server, from its creation to its end. */
#ifndef CWRC_CONNECTION_H
#define CWRC_CONNECTION_H

#include "../../core/verbs/endpoint.h"
#include "transport.h"

/* calls of the server in flight; as many receives, besides those for replies */
#define CWRC_CALLBACKS 16

struct cwrc_connection {
	struct cwrc_transport *transport;
	u32 number; /* unique in the transport */
	struct cw_endpoint ep;
	struct cw_domain *domain; /* outlives the endpoint: memory is mapped for its device */
	struct ib_device *ib;
	bool established; /* in use: a failure queues the reaper */
	bool by_rule; /* a rule named its local address */
	unsigned long opened; /* jiffies */
	int error; /* of the failure */
	char reason[96];
	u32 inline_send; /* bytes of a message without chunks, with header */
	u32 inline_receive;
	u32 depth; /* pages of a region */
	u32 credits; /* granted, as far as there are receives; one writer */
	atomic_t owed; /* replies that have not arrived */
	u32 index; /* of the lane */
	bool remote_invalidate; /* the server supports it */

	/* Under regions_lock. */
	struct list_head free_regions;
	struct list_head regions;
	bool short_of_regions; /* the last attempt to make regions failed */
	struct delayed_work grow_regions;

	void (*received)(struct ib_cq *cq, struct ib_wc *wc); /* handles completed receives */
	struct list_head receives; /* used by connecting work, then by grow_receives */
	u32 receive_size;
	u32 replies; /* that can be received: bound for credits */
	u32 replies_most; /* bound of replies, by adapter and slots */
	u32 replies_wanted;
	struct work_struct grow_receives;

	struct cw_probe probe;
	unsigned long probed; /* jiffies; the last probe */
	u32 heard; /* messages received */
	u32 heard_before; /* at the last look */
	struct delayed_work look;
};

/* The local address of a connection that was opened. */
static inline const struct sockaddr *cwrc_connection_local(const struct cwrc_connection *conn)
{
	return (const struct sockaddr *)&conn->ep.local;
}

/* Allocates a connection. It can be opened, and killed meanwhile. */
struct cwrc_connection *cwrc_connection_new(struct cwrc_transport *t, u32 index,
					    void (*received)(struct ib_cq *cq, struct ib_wc *wc));
/* Connects from @from, or anywhere if NULL. Sleeps. 0, or -errno with the text in conn->reason. */
int cwrc_connection_open(struct cwrc_connection *conn, const struct sockaddr *from);
/*
 * Marks @conn as established: from here on a failure queues the reaper. An earlier one does at
 * once.
 */
void cwrc_connection_establish(struct cwrc_connection *conn);
/* Drains: no completion comes, and no memory is registered any more. Process context. */
void cwrc_connection_drain(struct cwrc_connection *conn);
/* Frees a drained connection. No call's memory is mapped for its device any more. */
void cwrc_connection_free(struct cwrc_connection *conn);

#endif
