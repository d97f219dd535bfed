// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that leave a link: ordinals, tails, credit.
 *
 * Credit: a message with records goes out while the peer has a receive for it. Otherwise a gathered
 * message stays open and takes more, and other messages wait in the backlog; both go when credit
 * comes. The peer has fewer receives than commands may be outstanding, and small gathered messages
 * use half of them only, so a busy link moves in large messages by itself. The peer returns the
 * credit of that half even while its disk is busy, so a message that waits, waits for the network
 * only.
 *
 * Bare: a message of one page and one record goes without its trailer if 32 bits of immediate data
 * can hold its content. That saves a packet where a page fills one.
 *
 * tx_lock orders everything that is sent: ordinals are taken and requests posted under it. Over
 * TCP, a message with a transfer comes here twice: its data goes first, without an ordinal.
 */
#include <linux/export.h>

#include "command.h"
#include "gather.h"
#include "send.h"
#include "transport.h"

/*
 * Returns true if @tx goes without its trailer. A bare write returns credit for exactly one
 * message, so there must be one to return, and there should not be many: a trailer returns credit
 * for all.
 */
static bool cw_link_strip(struct cw_link *link, struct cw_tx *tx)
{
	u32 taken = atomic_read(&link->rx_messages);
	const struct cw_wire_cmd *rec;
	u16 *slot;

	if (tx->count != 1 || tx->data_len != CW_WIRE_PAGE || tx->nr_pages != 1 || tx->transfer ||
	    tx->invalidate)
		return false;
	if (tx->type == CW_MSG_COMPLETIONS) {
		if (!cw_bare_read(tx->trailer, taken, &tx->imm))
			return false;
		WRITE_ONCE(link->returned, taken);
		return true;
	}
	rec = tx->trailer;
	slot = &link->bare_slots[link->tx_ordinal % link->limits.depth];
	if (taken == link->returned || taken - link->returned > link->messages / 2 ||
	    *slot != CW_NO_SLOT || !cw_bare_write(rec, &tx->imm))
		return false;
	WRITE_ONCE(*slot, le16_to_cpu(rec->slot));
	WRITE_ONCE(link->returned, link->returned + 1);
	return true;
}

void cw_link_post(struct cw_link *link, struct cw_tx *tx)
{
	lockdep_assert_held(&link->tx_lock);
	tx->bare = link->limits.features & CW_FEATURE_BARE && cw_link_strip(link, tx);
	if (tx->bare) {
		link->stats.n[CW_N_BARE_SENDS]++;
	} else {
		if (link->kind == CW_LINK_DATA)
			WRITE_ONCE(link->returned, atomic_read(&link->rx_messages));
		cw_pack_tail(tx->trailer + tx->count * tx->record, tx->type, tx->count,
			     tx->data_len, link->tx_ordinal, link->returned);
	}
	if (link->kind == CW_LINK_CONTROL)
		cw_order_note(&link->order, tx->type, !link->server);
	link->tx_ordinal++;
	if (tx->record)
		WRITE_ONCE(link->tx_messages, link->tx_messages + 1);
	link->ops->send(link, tx);
}

static void cw_link_run_backlog(struct cw_link *link)
{
	struct cw_tx *tx;

	while ((tx = list_first_entry_or_null(&link->backlog, struct cw_tx, entry)) &&
	       cw_link_has_credit(link, link->peer_messages)) {
		list_del(&tx->entry);
		cw_link_post(link, tx);
	}
}

/*
 * The open message, if it is due, goes before @tx. Otherwise a stream of messages like @tx would
 * use up all credit.
 */
static void cw_link_send_locked(struct cw_link *link, struct cw_tx *tx)
{
	if (!tx->record) {
		cw_link_post(link, tx);
		return;
	}
	if (link->open && link->open_due) {
		list_add_tail(&link->open->entry, &link->backlog);
		link->open = NULL;
		link->open_due = false;
	}
	if (tx->transfer) {
		atomic_inc(&link->transfers);
		if (link->ops->put) {
			link->ops->put(link, tx);
			return;
		}
	}
	list_add_tail(&tx->entry, &link->backlog);
	cw_link_run_backlog(link);
}

void cw_link_send(struct cw_link *link, struct cw_tx *tx)
{
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	cw_link_send_locked(link, tx);
	spin_unlock_irqrestore(&link->tx_lock, flags);
}

bool cw_link_put_ended(struct cw_link *link, struct cw_tx *tx)
{
	unsigned long flags;
	bool alive;

	spin_lock_irqsave(&link->tx_lock, flags);
	alive = !cw_link_is_dead(link); /* the drain takes the lock afterwards, and finds @tx */
	if (alive)
		cw_link_send_locked(link, tx);
	spin_unlock_irqrestore(&link->tx_lock, flags);
	return alive;
}

void cw_link_go_on(struct cw_link *link)
{
	unsigned long flags;
	bool room;

	spin_lock_irqsave(&link->tx_lock, flags);
	WRITE_ONCE(link->short_of_credit, false);
	cw_link_run_backlog(link);
	if (link->open_due)
		cw_link_flush_locked(link, false);
	room = link->short_of_room && !link->open_due;
	if (room)
		WRITE_ONCE(link->short_of_room, false);
	spin_unlock_irqrestore(&link->tx_lock, flags);
	if (room && link->handler->room)
		link->handler->room(link);
}

static void cw_link_complete_delivery(struct cw_tx *tx, void *delivered)
{
	complete_all(delivered);
}

int cw_link_send_control_tracked(struct cw_link *link, u8 type, const void *data, u32 len,
				 struct completion *delivered)
{
	struct cw_page *page = NULL;
	struct cw_tx *tx;

	if (cw_link_is_dead(link))
		return -ENOTCONN;
	if (WARN_ON_ONCE(len > CW_WIRE_PAGE))
		return -EMSGSIZE;
	if (len) {
		page = cw_link_pages_get(link, len);
		if (!page)
			return -ENOBUFS;
		memcpy(page->data, data, len);
	}
	tx = cw_link_tx_get(link);
	if (!tx) {
		if (page)
			cw_link_pages_put(link, page);
		return -ENOBUFS;
	}
	tx->type = type;
	if (page)
		cw_tx_add(tx, page, len);
	if (delivered) {
		tx->released = cw_link_complete_delivery;
		tx->cookie = delivered;
	}
	cw_link_send(link, tx);
	return 0;
}

int cw_link_send_control(struct cw_link *link, u8 type, const void *data, u32 len)
{
	return cw_link_send_control_tracked(link, type, data, len, NULL);
}
