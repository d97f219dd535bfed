/* SPDX-License-Identifier: GPL-2.0-only */
/* The message of a call: its fragments, and its post. */
#ifndef CWRC_MESSAGE_H
#define CWRC_MESSAGE_H

#include "call.h"
#include "connection.h"

/*
 * Begins a message with @header bytes before SunRPC's buffer, and @head bytes in it. The memory of
 * @call is mapped. The transport is held.
 */
void cwrc_message_begin(struct cwrc_call *call, struct cwrc_connection *conn, u32 header, u32 head);
/*
 * Adds what follows the head of @buf: @pages bytes of its pages, or 0 if they are registered, and
 * the tail without @pad bytes. The transport is held. 0 or -errno.
 */
int cwrc_message_add(struct cwrc_call *call, struct cwrc_connection *conn,
		     const struct xdr_buf *buf, u32 pages, u32 pad);
/* Posts the registrations of @call, and its message. The transport is held. */
void cwrc_message_post(struct cwrc_call *call, struct cwrc_connection *conn);
/*
 * Sends @buf, a reply to the server; its head is in @call's memory. The transport is held. 0 or
 * -errno.
 */
int cwrc_message_send(struct cwrc_call *call, struct cwrc_connection *conn,
		      const struct xdr_buf *buf, u32 credits);

#endif
