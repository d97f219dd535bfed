// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gathering: several commands or completions in one message.
 *
 * Client: commands of one submission batch share a message until the block layer has given the last
 * one (cw_link_flush()) or the message is full. Server: completions, with the data of inline reads,
 * share one while the link is corked, that is while one batch of commands is being run. Gathering
 * waits for nothing but credit.
 */
#include <linux/bio.h>
#include <linux/export.h>
#include <linux/highmem.h>

#include "command.h"
#include "completion.h"
#include "gather.h"
#include "send.h"

#define CW_LARGE 8 /* commands or pages of a message that may use all of the peer's receives */

void cw_link_flush_locked(struct cw_link *link, bool full)
{
	struct cw_tx *open = link->open;
	u16 most = link->peer_messages;

	if (!open)
		return;
	if (!full && open->count < CW_LARGE && open->nr_pages < CW_LARGE)
		most /= 2;
	link->open_due = !list_empty(&link->backlog) || !cw_link_has_credit(link, most);
	if (link->open_due)
		return;
	link->open = NULL;
	cw_link_post(link, open);
}

void cw_link_flush(struct cw_link *link)
{
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	cw_link_flush_locked(link, false);
	spin_unlock_irqrestore(&link->tx_lock, flags);
}
EXPORT_SYMBOL_GPL(cw_link_flush);

/* True if @tx has room for @data_len bytes on a page of their own and for one more record. */
static bool cw_link_fits(const struct cw_link *link, const struct cw_tx *tx, u32 data_len)
{
	u32 trailer = (tx->count + 1) * tx->record + sizeof(struct cw_wire_tail);

	return tx->count < CW_WIRE_RECORDS && trailer <= CW_WIRE_TRAILER &&
	       tx->nr_pages + DIV_ROUND_UP(data_len, CW_WIRE_PAGE) <= link->pages_max;
}

/*
 * Returns the message being gathered, with room for @data_len more bytes and one record, or NULL if
 * none is available. A link gathers messages of one @type, whose records have @record bytes.
 */
static struct cw_tx *cw_link_gather(struct cw_link *link, u8 type, u16 record, u32 data_len)
{
	lockdep_assert_held(&link->tx_lock);
	if (link->open && !cw_link_fits(link, link->open, data_len)) {
		cw_link_flush_locked(link, true);
		if (link->open) {
			WRITE_ONCE(link->short_of_room, true);
			return NULL;
		}
	}
	if (!link->open) {
		link->open = cw_link_tx_get(link);
		link->open_due = false;
		if (link->open) {
			link->open->type = type;
			link->open->record = record;
		}
	}
	return link->open;
}

/* ---- client ---- */

static void cw_link_copy_from_bio(struct cw_page *page, struct bio *bio)
{
	u32 filled = 0, done, part;
	struct bvec_iter iter;
	struct bio_vec bv;

	for (; bio; bio = bio->bi_next) {
		bio_for_each_segment(bv, bio, iter) {
			for (done = 0; done < bv.bv_len; done += part, filled += part) {
				if (filled == CW_WIRE_PAGE) {
					page = page->next;
					filled = 0;
				}
				part = min_t(u32, bv.bv_len - done, CW_WIRE_PAGE - filled);
				memcpy_from_page(page->data + filled, bv.bv_page,
						 bv.bv_offset + done, part);
			}
		}
	}
}

int cw_link_command(struct cw_link *link, struct cw_cmd *cmd, struct cw_map *map,
		    struct bio *bio, const void *ranges, bool last, void *waiter)
{
	struct cw_page *page = NULL;
	struct cw_tx *tx;
	unsigned long flags;
	int ret = -ENOTCONN;

	if (cmd->data_len) {
		page = cw_link_pages_get(link, cmd->data_len);
		if (unlikely(!page))
			return -EAGAIN;
		if (ranges)
			memcpy(page->data, ranges, cmd->data_len);
		else
			cw_link_copy_from_bio(page, bio);
	}
	spin_lock_irqsave(&link->tx_lock, flags);
	if (unlikely(cw_link_is_dead(link)))
		goto refused;
	tx = cw_link_gather(link, CW_MSG_COMMANDS, sizeof(struct cw_wire_cmd), cmd->data_len);
	ret = -EAGAIN;
	if (unlikely(!tx))
		goto refused;
	if (page) {
		cmd->data_off = tx->data_len;
		cw_tx_add(tx, page, cmd->data_len);
	}
	cw_pack_cmd(tx->trailer + tx->count * sizeof(struct cw_wire_cmd), cmd,
		    link->limits.export_id);
	tx->count++;
	WRITE_ONCE(link->commands, link->commands + 1);
	if (map)
		link->ops->tx_attach(tx, map);
	cw_slot_set(&link->slots[cmd->slot], waiter, link->tx_messages);
	if (last)
		cw_link_flush_locked(link, false);
	spin_unlock_irqrestore(&link->tx_lock, flags);
	return 0;

refused:
	spin_unlock_irqrestore(&link->tx_lock, flags);
	if (page)
		cw_link_pages_put(link, page);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_link_command);

/* ---- server ---- */

void cw_link_cork(struct cw_link *link)
{
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	link->corked++;
	spin_unlock_irqrestore(&link->tx_lock, flags);
}
EXPORT_SYMBOL_GPL(cw_link_cork);

void cw_link_uncork(struct cw_link *link)
{
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	if (--link->corked == 0)
		cw_link_flush_locked(link, false);
	spin_unlock_irqrestore(&link->tx_lock, flags);
}
EXPORT_SYMBOL_GPL(cw_link_uncork);

bool cw_link_complete(struct cw_link *link, struct cw_done *done, struct cw_page *pages)
{
	struct cw_tx *tx;
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	tx = cw_link_gather(link, CW_MSG_COMPLETIONS, sizeof(struct cw_wire_done),
			    pages ? done->data_len : 0);
	if (tx) {
		if (pages) {
			done->data_off = tx->data_len;
			cw_tx_add(tx, pages, done->data_len);
		}
		cw_pack_done(tx->trailer + tx->count * sizeof(struct cw_wire_done), done);
		tx->count++;
		if (!link->corked || cw_link_is_dead(link))
			cw_link_flush_locked(link, false);
	}
	spin_unlock_irqrestore(&link->tx_lock, flags);
	return tx;
}
EXPORT_SYMBOL_GPL(cw_link_complete);

void cw_link_complete_tx(struct cw_link *link, struct cw_tx *tx, const struct cw_done *done)
{
	tx->type = CW_MSG_COMPLETIONS;
	tx->record = sizeof(struct cw_wire_done);
	cw_pack_done(tx->trailer, done);
	tx->count = 1;
	cw_link_send(link, tx);
}
EXPORT_SYMBOL_GPL(cw_link_complete_tx);
