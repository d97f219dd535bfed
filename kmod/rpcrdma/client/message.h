/* SPDX-License-Identifier: GPL-2.0-only */
/* The message of a call: its fragments, and its post. */
#ifndef CWRC_MESSAGE_H
#define CWRC_MESSAGE_H

#include "call.h"
#include "connection.h"

/**
 * cwrc_message_begin() - begins a message
 * @call: call whose memory is mapped
 * @conn: connection on which the message will be sent
 * @header: bytes of the header, which end at SunRPC's buffer
 * @head: bytes at the start of SunRPC's buffer
 *
 * Context: Process context. The transport is held.
 */
void cwrc_message_begin(struct cwrc_call *call, struct cwrc_connection *conn, u32 header, u32 head);

/**
 * cwrc_message_add() - adds the bytes that follow the head of a buffer
 * @call: call whose message was begun
 * @conn: connection on which the message will be sent
 * @buf: buffer of SunRPC
 * @pages: bytes of its pages, or 0 if they are registered
 * @pad: bytes at the start of the tail that are left out
 *
 * Context: Process context. May sleep. The transport is held.
 * Return: 0, or -ENOBUFS if there is no memory for a copy, or its mapping failed.
 */
int cwrc_message_add(struct cwrc_call *call, struct cwrc_connection *conn,
		     const struct xdr_buf *buf, u32 pages, u32 pad);

/**
 * cwrc_message_post() - posts the registrations of a call, and its message
 * @call: call whose message is complete
 * @conn: connection
 *
 * Context: Process context, interrupts enabled. The transport is held.
 */
void cwrc_message_post(struct cwrc_call *call, struct cwrc_connection *conn);

/**
 * cwrc_message_send() - sends a reply to the server
 * @call: call of the callback. Its memory contains the head of @buf.
 * @conn: connection on which the callback arrived
 * @buf: reply
 * @credits: credits that the header grants
 *
 * Context: Process context, interrupts enabled. May sleep. The transport is held.
 * Return: 0, or -ENOBUFS if there is no memory for a copy, or a mapping failed.
 */
int cwrc_message_send(struct cwrc_call *call, struct cwrc_connection *conn,
		      const struct xdr_buf *buf, u32 credits);

#endif
