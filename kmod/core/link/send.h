/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending, for the files of this folder: send.c. The functions that each small message needs are
 * inline.
 */
#ifndef CW_LINK_SEND_H
#define CW_LINK_SEND_H

#include "link.h"
#include "wakeup.h"

/**
 * cw_link_has_credit() - check whether a message with records may be sent
 * @link: link
 * @most: most receives of the peer that may be in use, with this message
 *
 * If it may not, the next credit of the peer calls cw_link_go_on().
 *
 * Context: Any context, under tx_lock.
 * Return: True if the message may be sent, or if the link is dead.
 */
static inline bool cw_link_has_credit(struct cw_link *link, u16 most)
{
	lockdep_assert_held(&link->tx_lock);
	return cw_wakeup_has_credit(&link->credited, &link->tx_messages, most,
				    &link->short_of_credit) ||
	       cw_link_is_dead(link);
}

/**
 * cw_tx_add() - add pages to the data of a message
 * @tx: message
 * @page: pages, chained by next
 * @len: bytes of data in the pages
 *
 * Context: Any context. The caller owns @tx, or holds tx_lock if @tx is the message being gathered.
 */
static inline void cw_tx_add(struct cw_tx *tx, struct cw_page *page, u32 len)
{
	u32 part;

	tx->data_len += len;
	for (; len; len -= part, page = page->next) {
		part = min_t(u32, len, CW_WIRE_PAGE);
		tx->pages[tx->nr_pages] = page;
		tx->page_len[tx->nr_pages++] = part;
	}
}

/**
 * cw_link_post() - give a message its ordinal and its tail, and pass it to the transport
 * @link: link
 * @tx: message. It belongs to the transport afterwards.
 *
 * Context: Any context, under tx_lock.
 */
void cw_link_post(struct cw_link *link, struct cw_tx *tx);

/**
 * cw_link_go_on() - send the messages that waited for credit, in their order
 * @link: link that received credit
 *
 * Context: Receive context. Takes tx_lock, and calls handler->room() without it.
 */
void cw_link_go_on(struct cw_link *link);

#endif
