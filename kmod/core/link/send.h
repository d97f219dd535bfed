/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending, for the files of this folder: send.c. What each small message needs is inline.
 */
#ifndef CW_LINK_SEND_H
#define CW_LINK_SEND_H

#include "link.h"
#include "wakeup.h"

/* Bytes of one record in messages of @type, 0 where they have none. */
static inline u32 cw_link_record_size(u8 type)
{
	switch (type) {
	case CW_MSG_COMMANDS:
		return sizeof(struct cw_wire_cmd);
	case CW_MSG_COMPLETIONS:
		return sizeof(struct cw_wire_done);
	default:
		return 0;
	}
}

/*
 * Whether a message with records may go while the peer has less than @most of them. If not,
 * cw_link_credit() sees that somebody waits, or we see its credit here. Any context, under tx_lock.
 */
static inline bool cw_link_has_credit(struct cw_link *link, u16 most)
{
	lockdep_assert_held(&link->tx_lock);
	return cw_wakeup_has_credit(&link->credited, &link->tx_messages, most,
				    &link->short_of_credit) ||
	       cw_link_is_dead(link);
}

/*
 * Adds @len bytes in @page and those chained to it to the data of @tx. Any context. The caller has
 * @tx to itself, or holds tx_lock when @tx is the message being gathered.
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

/* Gives @tx its ordinal and its tail, and hands it to the transport. Any context, under tx_lock. */
void cw_link_post(struct cw_link *link, struct cw_tx *tx);
/*
 * Sends everything that waited for credit, in its order. Receive context; takes tx_lock, and calls
 * handler->room() without it.
 */
void cw_link_go_on(struct cw_link *link);

#endif
