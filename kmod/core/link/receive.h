/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A message that has arrived in a receive: a data area and a trailer.
 *
 * The tail is at the end of the message; records that straddle the two areas are copied together.
 * All functions are for transports, in the receive context of the link.
 */
#ifndef CW_RECEIVE_H
#define CW_RECEIVE_H

#include "transport.h"

/* A receive. */
struct cw_receive {
	struct cw_message msg;
	struct cw_buffer *buf;
};

/**
 * cw_receive_init() - initialise a receive of a link
 * @rx: receive
 * @link: link with buffers
 * @number: number of the receive, below rx_count
 *
 * Context: Any context.
 */
static inline void cw_receive_init(struct cw_receive *rx, struct cw_link *link, u32 number)
{
	rx->msg.link = link;
	rx->buf = &link->pools.rx_bufs.entry[number];
}

/**
 * cw_receive_parse() - check the tail of a message, and find its records
 * @rx: receive. Its frame and records are set.
 * @len: bytes of the message, at most a data area and CW_WIRE_TRAILER
 *
 * Context: Receive context of the link.
 * Return: 0, or -EPROTO: the message is malformed, or not the next one.
 */
int cw_receive_parse(struct cw_receive *rx, u32 len);

/**
 * cw_receive_take() - process a message
 * @rx: receive, whose frame, records, invalidated and rkey are set. The link or its handler puts
 *	the message, after an error too.
 *
 * Context: Receive context of the link: softirq, or cw_link_poll().
 * Return: As cw_link_take().
 */
int cw_receive_take(struct cw_receive *rx);

#endif
