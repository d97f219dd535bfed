// SPDX-License-Identifier: GPL-2.0-only
/*
 * What links of every transport share: tails and ordinals, gathering, death.
 *
 * Gathering, client: commands of one submission batch share a message until the block layer says
 * that the last was given (cw_link_flush()), the message is full, or its data area is. Server:
 * completions without data share one while the link is corked, that is while one batch of commands
 * is being run, so nothing is ever held back for a later event.
 *
 * tx_lock orders everything that is sent: ordinals are taken and requests posted under it.
 */
#include <linux/bio.h>
#include <linux/export.h>
#include <linux/highmem.h>
#include <linux/jiffies.h>

#include "link.h"
#include "trace.h"

void cw_link_init(struct cw_link *link, const struct cw_link_ops *ops,
		  const struct cw_link_handler *handler, enum cw_link_kind kind, bool server)
{
	link->ops = ops;
	link->handler = handler;
	link->kind = kind;
	link->server = server;
	spin_lock_init(&link->tx_lock);
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

void cw_link_drain(struct cw_link *link)
{
	struct cw_tx *open;
	unsigned long flags;

	cw_link_kill(link, -ESHUTDOWN, "closed here");
	spin_lock_irqsave(&link->tx_lock, flags);
	open = link->open;
	link->open = NULL;
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

int cw_link_take(struct cw_link *link, struct cw_message *msg)
{
	u8 type = msg->frame.type;

	switch (type) {
	case CW_MSG_PROBE:
	case CW_MSG_ALIVE:
		cw_message_put(msg);
		/* Without memory to answer from there are sends on their way, as good a sign. */
		if (type == CW_MSG_PROBE)
			cw_link_send_control(link, CW_MSG_ALIVE, NULL, 0);
		return 0;
	case CW_MSG_COMPLETIONS:
		WRITE_ONCE(link->answers, link->answers + msg->frame.count);
		break;
	}
	return link->handler->message(link, msg);
}

/* ---- sending ---- */

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

static void cw_link_send_locked(struct cw_link *link, struct cw_tx *tx)
{
	struct cw_wire_tail *tail = tx->trailer + tx->count * record_size(tx->type);

	lockdep_assert_held(&link->tx_lock);
	cw_pack_tail(tail, tx->type, tx->count, tx->data_len, link->tx_ordinal);
	WRITE_ONCE(link->tx_ordinal, link->tx_ordinal + 1);
	link->ops->send(link, tx);
}

void cw_link_send(struct cw_link *link, struct cw_tx *tx)
{
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	cw_link_send_locked(link, tx);
	spin_unlock_irqrestore(&link->tx_lock, flags);
}

static void cw_link_flush_locked(struct cw_link *link)
{
	if (!link->open)
		return;
	cw_link_send_locked(link, link->open);
	link->open = NULL;
}

static void complete_delivery(struct cw_tx *tx, void *delivered)
{
	complete(delivered);
}

int cw_link_send_control_tracked(struct cw_link *link, u8 type, const void *data, u32 len,
				 struct completion *delivered)
{
	struct cw_tx *tx;
	unsigned long flags;

	if (cw_link_is_dead(link))
		return -ENOTCONN;
	if (WARN_ON_ONCE(len > link->inline_size))
		return -EMSGSIZE;
	tx = cw_link_tx_get(link);
	if (!tx)
		return -ENOBUFS;
	tx->type = type;
	tx->data_len = len;
	if (len)
		memcpy(tx->data, data, len);
	if (delivered) {
		tx->released = complete_delivery;
		tx->cookie = delivered;
	}
	spin_lock_irqsave(&link->tx_lock, flags);
	/* What was gathered has counted on its ordinal: it goes first. */
	cw_link_flush_locked(link);
	cw_link_send_locked(link, tx);
	spin_unlock_irqrestore(&link->tx_lock, flags);
	return 0;
}

int cw_link_send_control(struct cw_link *link, u8 type, const void *data, u32 len)
{
	return cw_link_send_control_tracked(link, type, data, len, NULL);
}

/* Whether a message of @data_len bytes and @count records fits what either end can hold. */
static bool fits(const struct cw_link *link, u8 type, u32 data_len, u16 count)
{
	u32 trailer = count * record_size(type) + sizeof(struct cw_wire_tail);

	return count <= CW_WIRE_RECORDS && trailer <= CW_TX_TRAILER &&
	       data_len <= link->inline_size &&
	       data_len + trailer <= link->inline_size + CW_WIRE_TRAILER;
}

/*
 * The message being gathered, with room for @data_len more bytes and one record; NULL: none to be
 * had.
 */
static struct cw_tx *cw_link_gather(struct cw_link *link, u8 type, u32 data_len)
{
	lockdep_assert_held(&link->tx_lock);
	if (link->open &&
	    !fits(link, type, link->open->data_len + data_len, link->open->count + 1)) {
		cw_link_send_locked(link, link->open);
		link->open = NULL;
	}
	if (!link->open) {
		link->open = cw_link_tx_get(link);
		if (link->open)
			link->open->type = type;
	}
	return link->open;
}

void cw_link_flush(struct cw_link *link)
{
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	cw_link_flush_locked(link);
	spin_unlock_irqrestore(&link->tx_lock, flags);
}
EXPORT_SYMBOL_GPL(cw_link_flush);

static void copy_from_bio(void *to, struct bio *bio)
{
	struct bvec_iter iter;
	struct bio_vec bv;

	for (; bio; bio = bio->bi_next) {
		bio_for_each_segment(bv, bio, iter) {
			memcpy_from_bvec(to, &bv);
			to += bv.bv_len;
		}
	}
}

int cw_link_command(struct cw_link *link, struct cw_cmd *cmd, struct cw_map *map,
		    struct bio *bio, const void *ranges, bool last, u32 *ordinal,
		    unsigned long *pending)
{
	struct cw_tx *tx;
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	if (unlikely(cw_link_is_dead(link))) {
		spin_unlock_irqrestore(&link->tx_lock, flags);
		return -ENOTCONN;
	}
	tx = cw_link_gather(link, CW_MSG_COMMANDS, cmd->data_len);
	if (unlikely(!tx)) {
		spin_unlock_irqrestore(&link->tx_lock, flags);
		return -EAGAIN;
	}
	if (cmd->data_len) {
		cmd->data_off = tx->data_len;
		if (ranges)
			memcpy(tx->data + tx->data_len, ranges, cmd->data_len);
		else
			copy_from_bio(tx->data + tx->data_len, bio);
		tx->data_len += cmd->data_len;
	}
	cw_pack_cmd(tx->trailer + tx->count * sizeof(struct cw_wire_cmd), cmd, 0);
	tx->count++;
	WRITE_ONCE(link->commands, link->commands + 1);
	if (map)
		link->ops->tx_attach(tx, map);
	WRITE_ONCE(*ordinal, link->tx_ordinal);
	smp_mb__before_atomic(); /* who sees the bit sees the ordinal */
	set_bit(0, pending);
	if (last)
		cw_link_flush_locked(link);
	spin_unlock_irqrestore(&link->tx_lock, flags);
	return 0;
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
		cw_link_flush_locked(link);
	spin_unlock_irqrestore(&link->tx_lock, flags);
}
EXPORT_SYMBOL_GPL(cw_link_uncork);

bool cw_link_complete(struct cw_link *link, const struct cw_done *done)
{
	struct cw_tx *tx;
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	tx = cw_link_gather(link, CW_MSG_COMPLETIONS, 0);
	if (tx) {
		cw_pack_done(tx->trailer + tx->count * sizeof(struct cw_wire_done), done);
		tx->count++;
		if (!link->corked || cw_link_is_dead(link))
			cw_link_flush_locked(link);
	}
	spin_unlock_irqrestore(&link->tx_lock, flags);
	return tx;
}
EXPORT_SYMBOL_GPL(cw_link_complete);

void cw_link_complete_tx(struct cw_link *link, struct cw_tx *tx, const struct cw_done *done)
{
	tx->type = CW_MSG_COMPLETIONS;
	tx->data_len = done->data_len;
	cw_pack_done(tx->trailer, done);
	tx->count = 1;
	cw_link_send(link, tx);
}
EXPORT_SYMBOL_GPL(cw_link_complete_tx);
