/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that a transport calls on a link: they report what arrived and what became free.
 */
#ifndef CW_LINK_TRANSPORT_H
#define CW_LINK_TRANSPORT_H

#include "link.h"

/**
 * cw_link_taken() - note that a receive can be used again
 * @link: link that received a message with records
 *
 * The transport calls it after it has posted the receive of that message again. The next message
 * carries the credit to the peer.
 *
 * Context: Any context.
 */
static inline void cw_link_taken(struct cw_link *link)
{
	atomic_inc(&link->rx_messages);
}

/**
 * cw_link_has_room() - report that memory to send from is free again
 * @link: link on which a message or a page was missing
 *
 * Sends the ALIVE and the credit that wait for memory, and calls handler->room().
 *
 * Context: Any context. The caller holds no lock of the link.
 */
void cw_link_has_room(struct cw_link *link);

/**
 * cw_link_take() - process a message that arrived
 * @link: link
 * @msg: well-formed message. The link or its handler puts it, after an error too.
 *
 * Takes the credit that @msg carries, answers a PROBE, and passes other messages to the handler.
 *
 * Context: Receive context of the link: softirq, or cw_link_poll(); one message at a time.
 * Return: 0, -EPROTO if the peer broke the protocol, or the error of handler->message(). After an
 * error the caller kills the link.
 */
int cw_link_take(struct cw_link *link, struct cw_message *msg);

/**
 * cw_link_make_slots() - allocate the slots of a link, and the table of bare writes if it has one
 * @link: data link of a client, whose limits are set
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM. Then too, the transport calls cw_link_free_slots().
 */
int cw_link_make_slots(struct cw_link *link);

/**
 * cw_link_free_slots() - free the memory of cw_link_make_slots()
 * @link: link that was drained. It may have no slots. No slot has a waiter.
 *
 * Context: Process context.
 */
void cw_link_free_slots(struct cw_link *link);

/**
 * cw_link_transfer_ended() - note that a transfer does not wait for the peer any more
 * @link: link of the transfer
 *
 * Context: Send completion, or the drain.
 */
static inline void cw_link_transfer_ended(struct cw_link *link)
{
	WRITE_ONCE(link->transfers_ended, link->transfers_ended + 1);
	atomic_dec(&link->transfers);
}

/**
 * cw_link_put_ended() - send a message whose data was sent by ops->put
 * @link: link
 * @tx: message. Its transfer has ended: tx->transfer is NULL.
 *
 * Context: Any context. Takes tx_lock.
 * Return: True, and @tx belongs to the link. False if the link is dead; then the transport releases
 * @tx.
 */
bool cw_link_put_ended(struct cw_link *link, struct cw_tx *tx);

/**
 * cw_link_released() - note that the adapter does not use a message any more
 * @link: link of the message
 * @tx: message
 *
 * Context: Send completion, or the drain.
 */
static inline void cw_link_released(struct cw_link *link, const struct cw_tx *tx)
{
	if (tx->transfer)
		cw_link_transfer_ended(link);
	if (tx->count)
		WRITE_ONCE(link->released, link->released + 1);
}

#endif
