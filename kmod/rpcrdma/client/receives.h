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

/*
 * A receive has completed. True: its message can be read. False: it failed, and ends the connection
 * unless that is about to report why. In the context of completions.
 */
bool cwrc_receive_arrived(struct cwrc_receive *receive, const struct ib_wc *wc);
/* Posts a receive again. Process context, softirqs may be disabled. */
void cwrc_receive_post(struct cwrc_receive *receive);
/* Allocates and posts the first receives, smaller ones if memory is fragmented. 0 or -errno. */
int cwrc_receives_make(struct cwrc_connection *conn);
/* Adds receives up to conn->replies_wanted. */
void cwrc_receives_grow(struct work_struct *work);
/* Frees all receives, after the completion queue was destroyed. */
void cwrc_receives_free(struct cwrc_connection *conn);
/*
 * The server grants @credits; returns how many have receives. A work adds more. In the context of
 * completions.
 */
u32 cwrc_receives_credits(struct cwrc_connection *conn, u32 credits);

#endif
