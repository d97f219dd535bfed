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
	u32 index; /* of the rail */
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

/**
 * cwrc_connection_local() - returns the local address of a connection
 * @conn: connection that was opened
 *
 * Context: Any context.
 * Return: The address.
 */
static inline const struct sockaddr *cwrc_connection_local(const struct cwrc_connection *conn)
{
	return (const struct sockaddr *)&conn->ep.local;
}

/**
 * cwrc_connection_new() - allocates a connection
 * @t: transport
 * @index: rail of the connection
 * @received: handler of its receives, on the work queue of completions
 *
 * The connection can be opened, and killed while it is being opened.
 *
 * Context: Process context. May sleep.
 * Return: The connection, or NULL if there is no memory.
 */
struct cwrc_connection *cwrc_connection_new(struct cwrc_transport *t, u32 index,
					    void (*received)(struct ib_cq *cq, struct ib_wc *wc));

/**
 * cwrc_connection_open() - connects to the server
 * @conn: new connection
 * @from: local address, or NULL for any
 *
 * Context: Process context. Sleeps.
 * Return: 0, or -errno with the text in conn->reason. After an error the caller drains and frees
 * @conn.
 */
int cwrc_connection_open(struct cwrc_connection *conn, const struct sockaddr *from);

/**
 * cwrc_connection_establish() - marks a connection as established
 * @conn: connection that was opened
 *
 * From now on a failure queues the reaper. If the connection has failed already, the reaper is
 * queued at once.
 *
 * Context: The caller holds rails_lock.
 */
void cwrc_connection_establish(struct cwrc_connection *conn);

/**
 * cwrc_connection_drain() - disconnects, and waits until the adapter uses no memory of the calls
 * @conn: connection, also one whose opening failed
 *
 * After this call no completion comes, and no memory is registered for @conn.
 *
 * Context: Process context. Sleeps. Takes regions_lock.
 */
void cwrc_connection_drain(struct cwrc_connection *conn);

/**
 * cwrc_connection_free() - frees a connection
 * @conn: drained connection. No memory of a call is mapped for its device.
 *
 * Context: Process context. Sleeps.
 */
void cwrc_connection_free(struct cwrc_connection *conn);

#endif
