// SPDX-License-Identifier: GPL-2.0-only
/*
 * What links of every transport share: tails and ordinals, gathering, death.
 *
 * Gathering, client: commands of one submission batch share a message until the block layer says
 * that the last was given (cw_link_flush()) or the message is full. Server: completions, with the
 * data of inline reads, share one while the link is corked, that is while one batch of commands is
 * being run. Nothing but credit is ever waited for.
 *
 * Credit: a message with records goes out while the peer has a receive for it. Else a gathered one
 * stays open and takes more, and others wait in the backlog; both go when credit comes. The peer
 * has fewer receives than commands may be outstanding, and small gathered messages use half of them
 * only, so a busy link moves in large messages by itself. The peer tells when it is done with that
 * half, whatever its disk does: what waits, waits for the wire.
 *
 * Bare: a message that is one page and one record goes without its trailer where 32 bits beside the
 * page say it all: a packet less where a page fills one.
 *
 * tx_lock orders everything that is sent: ordinals are taken and requests posted under it.
 */
#include <linux/bio.h>
#include <linux/export.h>
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "link.h"
#include "wakeup.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define CW_NO_SLOT U16_MAX /* no bare write is outstanding */
#define CW_LARGE 8 /* commands or pages of a message that may use all of the peer's receives */

void cw_link_init(struct cw_link *link, const struct cw_link_ops *ops,
		  const struct cw_link_handler *handler, enum cw_link_kind kind, bool server)
{
	link->ops = ops;
	link->handler = handler;
	link->kind = kind;
	link->server = server;
	spin_lock_init(&link->tx_lock);
	INIT_LIST_HEAD(&link->backlog);
	link->last_rx = jiffies;
}

bool cw_link_kill(struct cw_link *link, int err, const char *fmt, ...)
{
	va_list args;

	if (test_and_set_bit(0, &link->dead))
		return false;
	va_start(args, fmt);
	vscnprintf(link->reason, sizeof(link->reason), fmt, args);
	va_end(args);
	link->error = err;
	smp_mb__before_atomic(); /* pairs with cw_link_drain(), which tells the owner */
	set_bit(1, &link->dead);
	trace_cw_link_killed(link, err, link->reason);
	link->ops->kill(link, err);
	if (link->handler->down)
		link->handler->down(link);
	/* Whoever waits for memory to send from must see the death. */
	if (link->handler->room)
		link->handler->room(link);
	return true;
}
EXPORT_SYMBOL_GPL(cw_link_kill);

static u32 record_size(u8 type)
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
 * Whether @tx goes without its trailer. A bare write tells of one message taken, so there has to be
 * one, and should not be many: the trailer form tells of all.
 */
static bool cw_link_strip(struct cw_link *link, struct cw_tx *tx)
{
	u32 taken = atomic_read(&link->rx_messages);
	const struct cw_wire_cmd *rec;
	u16 *slot;

	if (tx->count != 1 || tx->data_len != CW_WIRE_PAGE || tx->nr_pages != 1 || tx->bulk ||
	    tx->invalidate)
		return false;
	if (tx->type == CW_MSG_COMPLETIONS) {
		if (!cw_bare_read(tx->trailer, taken, &tx->imm))
			return false;
		WRITE_ONCE(link->told, taken);
		return true;
	}
	rec = tx->trailer;
	slot = &link->bare_slots[link->tx_ordinal % link->limits.depth];
	if (taken == link->told || taken - link->told > link->messages / 2 ||
	    *slot != CW_NO_SLOT || !cw_bare_write(rec, &tx->imm))
		return false;
	WRITE_ONCE(*slot, le16_to_cpu(rec->slot));
	WRITE_ONCE(link->told, link->told + 1);
	return true;
}

int cw_link_make_bare_slots(struct cw_link *link)
{
	u16 i;

	link->bare_slots = kvmalloc_array(link->limits.depth, sizeof(u16), GFP_KERNEL);
	if (!link->bare_slots)
		return -ENOMEM;
	for (i = 0; i < link->limits.depth; i++)
		link->bare_slots[i] = CW_NO_SLOT;
	return 0;
}

int cw_link_slot(struct cw_link *link, u16 slot)
{
	u16 *entry, given;

	if (slot < link->limits.depth)
		return slot;
	entry = &link->bare_slots[slot - link->limits.depth];
	given = READ_ONCE(*entry);
	if (given == CW_NO_SLOT)
		return -EPROTO;
	WRITE_ONCE(*entry, CW_NO_SLOT);
	return given;
}
EXPORT_SYMBOL_GPL(cw_link_slot);

static void cw_link_post(struct cw_link *link, struct cw_tx *tx)
{
	u32 record = record_size(tx->type);

	lockdep_assert_held(&link->tx_lock);
	tx->bare = link->limits.features & CW_FEATURE_BARE && cw_link_strip(link, tx);
	if (tx->bare) {
		link->stats.n[CW_N_BARE_SENDS]++;
	} else {
		if (link->kind == CW_LINK_DATA)
			WRITE_ONCE(link->told, atomic_read(&link->rx_messages));
		cw_pack_tail(tx->trailer + tx->count * record, tx->type, tx->count, tx->data_len,
			     link->tx_ordinal, link->told);
	}
	if (link->kind == CW_LINK_CONTROL)
		cw_order_note(&link->order, tx->type, !link->server);
	link->tx_ordinal++;
	if (record)
		WRITE_ONCE(link->tx_messages, link->tx_messages + 1);
	link->ops->send(link, tx);
}

void cw_link_drain(struct cw_link *link)
{
	struct cw_tx *open, *tx;
	unsigned long flags;

	cw_link_kill(link, -ESHUTDOWN, "closed here");
	spin_lock_irqsave(&link->tx_lock, flags);
	open = link->open;
	link->open = NULL;
	/* What nobody will send is released by the transport's drain like what was not sent. */
	while ((tx = list_first_entry_or_null(&link->backlog, struct cw_tx, entry))) {
		list_del(&tx->entry);
		cw_link_post(link, tx);
	}
	spin_unlock_irqrestore(&link->tx_lock, flags);
	if (open)
		cw_link_tx_put(open);
	link->ops->drain(link);
}

void cw_link_free(struct cw_link *link)
{
	if (!link)
		return;
	cw_link_drain(link);
	link->ops->free(link);
}

void cw_message_put(struct cw_message *msg)
{
	if (atomic_dec_and_test(&msg->users))
		msg->link->ops->message_put(msg);
}
EXPORT_SYMBOL_GPL(cw_message_put);

/* ---- sending ---- */

/*
 * Whether a message with records may go while the peer has less than @most of them. If not,
 * cw_link_credit() sees that somebody waits, or we see its credit here.
 */
static bool cw_link_has_credit(struct cw_link *link, u16 most)
{
	lockdep_assert_held(&link->tx_lock);
	return cw_wakeup_has_credit(&link->credited, &link->tx_messages, most,
				    &link->short_of_credit) ||
	       cw_link_is_dead(link);
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

/* What is due goes before @tx, or a stream of such messages would keep all credit from it. */
static void cw_link_send_locked(struct cw_link *link, struct cw_tx *tx)
{
	if (!record_size(tx->type)) {
		cw_link_post(link, tx);
		return;
	}
	if (link->open && link->open_due) {
		list_add_tail(&link->open->entry, &link->backlog);
		link->open = NULL;
		link->open_due = false;
	}
	if (tx->bulk)
		atomic_inc(&link->bulks);
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

static void cw_link_flush_locked(struct cw_link *link, bool full)
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

static void cw_tx_add(struct cw_tx *tx, struct cw_page *page, u32 len)
{
	u32 part;

	tx->data_len += len;
	for (; len; len -= part, page = page->next) {
		part = min_t(u32, len, CW_WIRE_PAGE);
		tx->pages[tx->nr_pages] = page;
		tx->page_len[tx->nr_pages++] = part;
	}
}

static void complete_delivery(struct cw_tx *tx, void *delivered)
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
		tx->released = complete_delivery;
		tx->cookie = delivered;
	}
	cw_link_send(link, tx);
	return 0;
}

int cw_link_send_control(struct cw_link *link, u8 type, const void *data, u32 len)
{
	return cw_link_send_control_tracked(link, type, data, len, NULL);
}

/* PROBE or ALIVE. Those of a data link have no cookie. */
static int cw_link_send_sign(struct cw_link *link, u8 type, u64 cookie)
{
	struct cw_wire_probe rec;

	if (link->kind == CW_LINK_DATA)
		return cw_link_send_control(link, type, NULL, 0);
	cw_pack_probe(&rec, cookie);
	return cw_link_send_control(link, type, &rec, sizeof(rec));
}

int cw_link_probe(struct cw_link *link, u64 cookie)
{
	return cw_link_send_sign(link, CW_MSG_PROBE, cookie);
}

/*
 * Sends the ALIVE that is owed. Without memory for it the debt stays: what was missing comes back
 * and calls cw_link_has_room(), and sees the debt, which is older than the failure.
 */
static void cw_link_send_alive(struct cw_link *link)
{
	unsigned long flags;
	bool owed;
	u64 cookie;

	spin_lock_irqsave(&link->tx_lock, flags);
	owed = link->alive_owed;
	cookie = link->alive_cookie;
	spin_unlock_irqrestore(&link->tx_lock, flags);
	if (!owed || cw_link_send_sign(link, CW_MSG_ALIVE, cookie))
		return;
	spin_lock_irqsave(&link->tx_lock, flags);
	if (link->alive_cookie == cookie)
		WRITE_ONCE(link->alive_owed, false);
	spin_unlock_irqrestore(&link->tx_lock, flags);
}

/* The ALIVE of the newest PROBE answers the earlier ones, too. */
static void cw_link_owe_alive(struct cw_link *link, u64 cookie)
{
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	WRITE_ONCE(link->alive_owed, true);
	link->alive_cookie = cookie;
	spin_unlock_irqrestore(&link->tx_lock, flags);
	cw_link_send_alive(link);
}

/* Whether a message takes @data_len more bytes, which begin a page, and one more record. */
static bool fits(const struct cw_link *link, const struct cw_tx *tx, u32 data_len)
{
	u32 trailer = (tx->count + 1) * record_size(tx->type) + sizeof(struct cw_wire_tail);

	return tx->count < CW_WIRE_RECORDS && trailer <= CW_WIRE_TRAILER &&
	       tx->nr_pages + DIV_ROUND_UP(data_len, CW_WIRE_PAGE) <= link->pages_max;
}

/*
 * The message being gathered, with room for @data_len more bytes and one record; NULL: none to be
 * had.
 */
static struct cw_tx *cw_link_gather(struct cw_link *link, u8 type, u32 data_len)
{
	lockdep_assert_held(&link->tx_lock);
	if (link->open && !fits(link, link->open, data_len)) {
		cw_link_flush_locked(link, true);
		if (link->open) {
			WRITE_ONCE(link->short_of_room, true);
			return NULL;
		}
	}
	if (!link->open) {
		link->open = cw_link_tx_get(link);
		link->open_due = false;
		if (link->open)
			link->open->type = type;
	}
	return link->open;
}

void cw_link_flush(struct cw_link *link)
{
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	cw_link_flush_locked(link, false);
	spin_unlock_irqrestore(&link->tx_lock, flags);
}
EXPORT_SYMBOL_GPL(cw_link_flush);

/* ---- credit ---- */

/* Everything that waited for credit, in its order. */
static void cw_link_go_on(struct cw_link *link)
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

static int cw_link_credit(struct cw_link *link, u32 credit)
{
	u32 more = credit - link->credited;

	if (!more)
		return 0;
	if (more > READ_ONCE(link->tx_messages) - link->credited)
		return -EPROTO;
	if (unlikely(cw_wakeup_give_credit(&link->credited, credit, &link->short_of_credit)))
		cw_link_go_on(link);
	return 0;
}

void cw_link_tell(struct cw_link *link)
{
	u32 untold = (u32)atomic_read(&link->rx_messages) - READ_ONCE(link->told);
	u32 unanswered = READ_ONCE(link->rx_records) - READ_ONCE(link->told);

	if (likely(unanswered < link->messages / 2) || untold < link->messages / 4 ||
	    !link->messages)
		return;
	/* What is gathered tells, when it goes. Without a message, room comes and we are back. */
	if (!READ_ONCE(link->corked))
		cw_link_send_control(link, CW_MSG_ALIVE, NULL, 0);
}
EXPORT_SYMBOL_GPL(cw_link_tell);

void cw_link_has_room(struct cw_link *link)
{
	if (READ_ONCE(link->alive_owed))
		cw_link_send_alive(link);
	cw_link_tell(link);
	if (link->handler->room)
		link->handler->room(link);
}

static int cw_link_take_sign(struct cw_link *link, struct cw_message *msg)
{
	u8 type = msg->frame.type;
	u64 cookie = 0;
	int ret = 0;

	if (link->kind == CW_LINK_CONTROL)
		ret = cw_parse_probe(msg->data, msg->frame.data_len, &cookie);
	cw_message_put(msg);
	if (!ret && type == CW_MSG_PROBE)
		cw_link_owe_alive(link, cookie);
	else if (!ret && link->handler->alive)
		link->handler->alive(link, cookie);
	return ret;
}

int cw_link_take(struct cw_link *link, struct cw_message *msg)
{
	u8 type = msg->frame.type;

	if (link->kind == CW_LINK_CONTROL) {
		if (unlikely(!cw_order_allows(&link->order, type, link->server))) {
			cw_message_put(msg);
			return -EPROTO;
		}
		cw_order_note(&link->order, type, link->server);
	}

	if (link->kind == CW_LINK_DATA && unlikely(cw_link_credit(link, msg->frame.credit))) {
		cw_message_put(msg);
		return -EPROTO;
	}
	if (msg->frame.record)
		WRITE_ONCE(link->rx_records, link->rx_records + 1);
	switch (type) {
	case CW_MSG_PROBE:
	case CW_MSG_ALIVE:
		return cw_link_take_sign(link, msg);
	case CW_MSG_COMPLETIONS:
		WRITE_ONCE(link->answers, link->answers + msg->frame.count);
		break;
	}
	return link->handler->message(link, msg);
}

/* ---- client ---- */

static void copy_from_bio(struct cw_page *page, struct bio *bio)
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
		    struct bio *bio, const void *ranges, bool last, u32 *number,
		    unsigned long *pending)
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
			copy_from_bio(page, bio);
	}
	spin_lock_irqsave(&link->tx_lock, flags);
	if (unlikely(cw_link_is_dead(link)))
		goto refused;
	tx = cw_link_gather(link, CW_MSG_COMMANDS, cmd->data_len);
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
	WRITE_ONCE(*number, link->tx_messages);
	smp_mb__before_atomic(); /* who sees the bit sees the number */
	set_bit(0, pending);
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

/*
 * These wait for the peer: transfers, of which the adapter still has the message or the RDMA READ;
 * messages without credit; and answers that found no message, since answers to probes can use up
 * all of them. While a transfer waits, only the end of a transfer is progress, because a transfer
 * holds memory that others need. Credit costs a peer nothing. Without a transfer, credit and
 * messages with records are progress. Answers to probes never are: a peer can have any number.
 */
bool cw_link_is_stuck(struct cw_link *link, u8 looks)
{
	unsigned long flags;
	bool bulks, waits;
	u32 progress;

	spin_lock_irqsave(&link->tx_lock, flags);
	bulks = atomic_read(&link->bulks);
	waits = bulks || !list_empty(&link->backlog) || link->open_due ||
		READ_ONCE(link->short_of_tx);
	spin_unlock_irqrestore(&link->tx_lock, flags);
	progress = bulks ? READ_ONCE(link->bulks_ended) :
			   READ_ONCE(link->credited) + READ_ONCE(link->released);
	if (!waits || progress != link->progress) {
		link->progress = progress;
		link->looks = 0;
		return false;
	}
	if (link->looks <= looks)
		link->looks++;
	return link->looks > looks;
}

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
	tx = cw_link_gather(link, CW_MSG_COMPLETIONS, pages ? done->data_len : 0);
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
	cw_pack_done(tx->trailer, done);
	tx->count = 1;
	cw_link_send(link, tx);
}
EXPORT_SYMBOL_GPL(cw_link_complete_tx);
