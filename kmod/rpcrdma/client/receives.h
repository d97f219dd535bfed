/* SPDX-License-Identifier: GPL-2.0-only */
/* The receives of a queue pair. */
#ifndef CWRC_RECEIVES_H
#define CWRC_RECEIVES_H

#include "../../core/verbs/buffers.h"
#include "connection.h"

struct cwrc_receive {
	struct cwrc_connection *connection;
	struct cw_buffer *buffer;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	u32 len;
};

/* A set of receives. Sets are added as the server grants credits. */
struct cwrc_receives {
	struct list_head entry;
	struct cw_buffers buffers;
	struct cwrc_receive receive[];
};

/**
 * cwrc_receive_arrived() - handles the completion of a receive
 * @receive: receive
 * @wc: its completion
 *
 * A receive that failed kills the connection, unless the connection manager is about to report the
 * reason.
 *
 * Context: Process context, on the work queue of completions.
 * Return: True if the message can be read, false if the receive failed.
 */
bool cwrc_receive_arrived(struct cwrc_receive *receive, const struct ib_wc *wc);

/**
 * cwrc_receive_post() - posts a receive again
 * @receive: receive whose message is no longer needed
 *
 * Context: Process context; softirqs may be disabled.
 */
void cwrc_receive_post(struct cwrc_receive *receive);

/**
 * cwrc_receives_make() - allocates and posts the first receives
 * @conn: connection with a queue pair. The receives become smaller if memory is fragmented.
 *
 * Context: Process context. May sleep.
 * Return: 0, -ENOMEM, or the error of the queue pair.
 */
int cwrc_receives_make(struct cwrc_connection *conn);

/**
 * cwrc_receives_grow() - adds receives up to conn->replies_wanted
 * @work: the member grow_receives of a connection
 *
 * Context: Process context, on cwrc_workqueue. May sleep.
 */
void cwrc_receives_grow(struct work_struct *work);

/**
 * cwrc_receives_free() - frees all receives of a connection
 * @conn: connection whose completion queue was destroyed
 *
 * Context: Process context. May sleep.
 */
void cwrc_receives_free(struct cwrc_connection *conn);

/**
 * cwrc_receives_credits() - limits the credits of the server to those that have receives
 * @conn: connection
 * @credits: credits as sent by the server
 *
 * Queues the work that adds receives if there are too few.
 *
 * Context: Process context, on the work queue of completions.
 * Return: The number of credits that may be used.
 */
u32 cwrc_receives_credits(struct cwrc_connection *conn, u32 credits);

#endif
