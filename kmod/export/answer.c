// SPDX-License-Identifier: GPL-2.0-only
/*
 * The completion of a command, in any context, hard interrupts included.
 *
 * The client may use the slot again as soon as it has the completion. So the slot is freed before
 * the completion is sent, and memory that is needed for longer belongs to the message. If no
 * message is free, the command is parked with its status. Commands of a dead link are dropped: a
 * client that returns sends unanswered commands again, and is admitted only when all holds on the
 * session are gone.
 */
#include <linux/ktime.h>

#include "../core/link/histogram.h"
#include "export.h"
#include "trace.h"

/* Any context; takes stat_lock. */
static void cwt_count_answered(struct cwt_command *c)
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

/*
 * Drops the holds of a command. @tl may be freed then, unless the caller is a callback of the link
 * or the worker of @tl.
 */
static void cwt_command_put(struct cwt_link *tl, bool admitted)
{
	struct cw_link *link = tl->link;

	if (admitted)
		percpu_ref_put(&tl->export->running);
	cw_session_command_put(link);
}

/*
 * Frees all memory of @c that was not passed to a message. If its transfer was prepared, only the
 * worker may call this.
 */
static void cwt_command_release(struct cwt_command *c)
{
	if (c->msg)
		cw_message_put(c->msg);
	c->msg = NULL;
	if (c->pages)
		cw_link_pages_put(c->tl->link, c->pages);
	c->pages = NULL;
	if (c->transfer) {
		if (c->transfer->rdma)
			cw_transfer_free(c->transfer->rdma);
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
 * Takes the slot back and parks @c, because no message was free for the completion. The slot is
 * still free if the client obeys the protocol, because the completion was not sent. If the slot is
 * in use, the client broke the protocol and may have overwritten *@c.
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

/*
 * Completes @c in a message that it may share with others. If @c is a read, its pages go into the
 * message.
 */
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

/* Completes @c in a message of its own, because it follows a transfer or invalidates an rkey. */
static void cwt_command_answer_transfer(struct cwt_command *c, int kicks)
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
		/* The message owns the transfer from here on; cwt_transfer_sent() frees it. */
		tx->transfer = c->transfer->rdma;
		/* Memory of the backend had its content when it was mapped. */
		if (!c->transfer->in_place)
			cw_transfer_filled(tx->transfer);
		c->transfer->rdma = NULL;
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
		cwt_command_answer_transfer(c, kicks);
	else
		cwt_command_answer_inline(c, kicks);
}

void cwt_command_done(struct cwt_command *c, u8 status)
{
	bool dead = cw_link_is_dead(c->tl->link);
	struct cwt_transfer *t = c->transfer;

	c->status = status;
	trace_cwt_command_done(c);
	cwt_count_answered(c);
	if (likely(!dead && (status == CW_STATUS_OK || !t || !t->rdma))) {
		cwt_command_answer(c);
	} else if (t && t->rdma) {
		/*
		 * The transfer will not happen. The worker has to free its resources of the
		 * adapter.
		 */
		c->stage = CWT_ANSWER;
		cwt_link_queue(c);
	} else {
		cwt_command_drop(c);
	}
}
