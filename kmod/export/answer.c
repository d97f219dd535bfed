// SPDX-License-Identifier: GPL-2.0-only
/*
 * The answer to a command, in any context, hard interrupts too.
 *
 * The client may use the slot again as soon as it has the answer, so the slot is given back first,
 * and what outlives the answer hangs on the message. Where there is no message to answer with, the
 * command is parked with its status. Commands of a dead link are dropped: the client, when it comes
 * back, sends again what was not answered, and is let in only when all holds are gone.
 */
#include <linux/ktime.h>

#include "../core/link/histogram.h"
#include "export.h"
#include "trace.h"

/* Any context: under a lock. */
static void count_answered(struct cwt_command *c)
{
	struct cw_stats *stats = &c->tl->link->stats;
	u64 ns = ktime_get_ns() - c->started;
	unsigned long flags;

	spin_lock_irqsave(&c->tl->stat_lock, flags);
	if (c->status != CW_STATUS_OK)
		stats->n[CW_N_ERRORS]++;
	switch (c->cmd.op) {
	case CW_OP_READ:
		stats->read_latency[cw_histogram_bucket(ns)]++;
		break;
	case CW_OP_WRITE:
		stats->write_latency[cw_histogram_bucket(ns)]++;
		break;
	case CW_OP_FLUSH:
		stats->flush_latency[cw_histogram_bucket(ns)]++;
		break;
	}
	spin_unlock_irqrestore(&c->tl->stat_lock, flags);
}

/* The last touch of @tl, unless the caller is a callback of the link or its worker. */
static void cwt_command_put(struct cwt_link *tl, bool admitted)
{
	struct cw_link *link = tl->link;

	if (admitted)
		percpu_ref_put(&tl->export->running);
	cw_session_command_put(link);
}

/* Lets go of all memory that was not given to a message. With a bulk: the worker. */
static void cwt_command_release(struct cwt_command *c)
{
	if (c->msg)
		cw_message_put(c->msg);
	c->msg = NULL;
	if (c->pages)
		cw_link_pages_put(c->tl->link, c->pages);
	c->pages = NULL;
	if (c->transfer) {
		if (c->transfer->bulk)
			cw_bulk_free(c->transfer->bulk);
		cwt_transfer_free(c->transfer);
	}
	c->transfer = NULL;
}

void cwt_command_drop(struct cwt_command *c)
{
	struct cwt_link *tl = c->tl;
	bool admitted = c->admitted;

	trace_cwt_command_dropped(c);
	cwt_command_release(c);
	clear_bit_unlock(c->cmd.slot, tl->busy);
	cwt_command_put(tl, admitted);
}

/*
 * There was no message for an answer whose slot was given back already. Nobody may have taken the
 * slot meanwhile, because the answer did not go out; a client that did all the same broke the
 * protocol and may have overwritten it.
 */
static void cwt_command_retake(struct cwt_command *c, u16 slot, struct cw_page *pages,
			       bool admitted, int kicks)
{
	struct cwt_link *tl = c->tl;

	if (test_and_set_bit(slot, tl->busy)) {
		cw_link_kill(tl->link, -EPROTO, "slot %u was used before it was answered", slot);
		if (pages)
			cw_link_pages_put(tl->link, pages);
		cwt_command_put(tl, admitted);
		return;
	}
	c->pages = pages;
	c->stage = CWT_ANSWER;
	cwt_link_park(c, kicks);
}

/* An answer that shares a message with others: with the data of a read in its pages, or none. */
static void cwt_command_answer_inline(struct cwt_command *c, int kicks)
{
	struct cw_done done = { .slot = c->cmd.slot, .status = c->status };
	struct cw_page *pages = c->pages;
	struct cwt_link *tl = c->tl;
	bool admitted = c->admitted;
	u16 slot = done.slot;

	if (pages && c->status == CW_STATUS_OK && c->cmd.op == CW_OP_READ) {
		done.flags = CW_DONE_INLINE;
		done.data_len = c->cmd.len;
		c->pages = NULL;
	} else {
		pages = NULL;
	}
	cwt_command_release(c);
	clear_bit_unlock(slot, tl->busy);
	if (cw_link_complete(tl->link, &done, pages))
		cwt_command_put(tl, admitted);
	else
		cwt_command_retake(c, slot, pages, admitted, kicks);
}

/* An answer that is a message of its own: behind a transfer, or with a key to invalidate. */
static void cwt_command_answer_bulk(struct cwt_command *c, int kicks)
{
	struct cw_done done = { .slot = c->cmd.slot, .status = c->status };
	struct cwt_link *tl = c->tl;
	struct cw_link *link = tl->link;
	bool admitted = c->admitted;
	struct cw_tx *tx;

	tx = cw_link_tx_get(link);
	if (!tx) {
		c->stage = CWT_ANSWER;
		cwt_link_park(c, kicks);
		return;
	}
	tx->invalidate = c->cmd.rkey;
	if (c->status == CW_STATUS_OK && c->cmd.op == CW_OP_READ) {
		/* The transfer is the message's now, see cwt_transfer_sent(). */
		tx->bulk = c->transfer->bulk;
		/* Memory that a backend lends had its content when it was mapped. */
		if (!c->transfer->lent)
			cw_bulk_filled(tx->bulk);
		c->transfer->bulk = NULL;
		c->transfer = NULL;
	}
	cwt_command_release(c);
	clear_bit_unlock(done.slot, tl->busy);
	cw_link_complete_tx(link, tx, &done);
	cwt_command_put(tl, admitted);
}

void cwt_command_answer(struct cwt_command *c)
{
	int kicks = cwt_link_kicks(c->tl);

	if (c->msg)
		cw_message_put(c->msg);
	c->msg = NULL;
	if (c->cmd.flags & CW_CMD_BULK)
		cwt_command_answer_bulk(c, kicks);
	else
		cwt_command_answer_inline(c, kicks);
}

void cwt_command_done(struct cwt_command *c, u8 status)
{
	bool dead = cw_link_is_dead(c->tl->link);
	struct cwt_transfer *t = c->transfer;

	c->status = status;
	trace_cwt_command_done(c);
	count_answered(c);
	if (likely(!dead && (status == CW_STATUS_OK || !t || !t->bulk))) {
		cwt_command_answer(c);
	} else if (t && t->bulk) {
		/*
		 * The transfer will not happen, and what it holds of the adapter is freed by the
		 * worker.
		 */
		c->stage = CWT_ANSWER;
		cwt_link_queue(c);
	} else {
		cwt_command_drop(c);
	}
}
