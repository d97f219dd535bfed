// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a command: received, run, completed (answer.c).
 *
 * A command is received in softirq. It takes its slot, a hold on its session (a fence waits for it)
 * and a hold on its export (a removal waits for it), and keeps them until its completion was given
 * to the link. A slot in use, or any other violation of the protocol, ends the link.
 *
 * Inline commands of a memory export run in the receive context. The worker of the link runs all
 * others. The backend writes inline data from the receive buffer, and reads inline data into a page
 * of the message that will carry it. transfer.c gets memory for commands with a transfer.
 * Operations that take long in the backend (discard, write-zeroes) run on a queue of the export.
 */
#include <linux/ktime.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "backend.h"
#include "trace.h"

u8 cwt_status(int err)
{
	switch (err) {
	case 0:
		return CW_STATUS_OK;
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
		return CW_STATUS_NOSPC;
	case -EROFS:
	case -EPERM:
	case -EACCES:
		return CW_STATUS_READONLY;
	case -ERANGE:
		return CW_STATUS_RANGE;
	case -EOPNOTSUPP:
		return CW_STATUS_UNSUPPORTED;
	case -ENODATA: /* an unreadable sector, in the block layer */
	case -EILSEQ:
		return CW_STATUS_MEDIUM;
	case -ENOMEM:
	case -EAGAIN:
		return CW_STATUS_NOMEM;
	default:
		return CW_STATUS_IO;
	}
}

/* ---- run ---- */

void cwt_command_submit(struct cwt_command *c)
{
	trace_cwt_command_submitted(c);
	c->tl->export->backend->submit(c);
}

/* The data area of a message is contiguous memory. */
static void cwt_command_use(struct cwt_command *c, void *data)
{
	bvec_set_page(&c->inline_vecs[0], virt_to_page(data), c->cmd.len, offset_in_page(data));
	c->vecs = c->inline_vecs;
	c->nvecs = 1;
}

static void cwt_command_use_pages(struct cwt_command *c)
{
	u32 left = c->cmd.len, part;
	struct cw_page *page;

	c->vecs = c->inline_vecs;
	c->nvecs = 0;
	for (page = c->pages; left; page = page->next, left -= part) {
		part = min_t(u32, left, CW_WIRE_PAGE);
		bvec_set_page(&c->inline_vecs[c->nvecs++], virt_to_page(page->data), part, 0);
	}
}

static void cwt_inline_read(struct cwt_command *c)
{
	int kicks = cwt_link_kicks(c->tl);

	c->pages = cw_link_pages_get(c->tl->link, c->cmd.len);
	if (!c->pages) {
		cwt_link_park(c, kicks);
		return;
	}
	cwt_command_use_pages(c);
	cwt_command_submit(c);
}

/*
 * Copies inline data out of the receive buffer into pages of the link, and frees the receive. While
 * a command keeps a receive, the client has less credit; so data is copied once the disk is so slow
 * that several receives are kept. False: that is not necessary, or no page is free.
 */
static bool cwt_take_out(struct cwt_command *c)
{
	const void *data = c->msg->data + c->cmd.data_off;
	struct cw_link *link = c->tl->link;
	u32 left = c->cmd.data_len, part;
	struct cw_page *page;

	if (likely(cw_link_held(link) <= link->messages / 4))
		return false;
	c->pages = cw_link_pages_get(link, left);
	for (page = c->pages; page; page = page->next, left -= part, data += part) {
		part = min_t(u32, left, CW_WIRE_PAGE);
		memcpy(page->data, data, part);
	}
	if (!c->pages)
		return false;
	cw_message_put(c->msg);
	c->msg = NULL;
	return true;
}

static void cwt_inline_write(struct cwt_command *c)
{
	void *data = c->msg->data + c->cmd.data_off;

	/* The protocol allows any offset in the message, but devices need aligned memory. */
	if (cwt_take_out(c)) {
		cwt_command_use_pages(c);
	} else if (unlikely((unsigned long)data & c->tl->export->align)) {
		c->transfer = cwt_transfer_bounce(c->tl, data, c->cmd.len);
		if (!c->transfer) {
			cwt_command_done(c, CW_STATUS_NOMEM);
			return;
		}
		c->vecs = c->transfer->vecs;
		c->nvecs = c->transfer->nvecs;
	} else {
		cwt_command_use(c, data);
	}
	cwt_command_submit(c);
}

static int cwt_discard(struct cwt_command *c)
{
	const struct cw_wire_range *rec = c->msg->data + c->cmd.data_off;
	u32 count = c->cmd.data_len / sizeof(*rec);
	struct cw_range *ranges;
	u32 i;
	int ret = 0;

	/* Ranges that fill more than one page stay in the receive. */
	if (c->cmd.data_len <= CW_WIRE_PAGE && cwt_take_out(c))
		rec = c->pages->data;
	cw_link_return_credit(c->tl->link);
	ranges = kmalloc_array(count, sizeof(*ranges),
			       GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN);
	if (!ranges)
		return -ENOMEM;
	for (i = 0; i < count && !ret; i++)
		ret = cw_parse_range(&rec[i], &ranges[i]);
	if (!ret)
		ret = c->tl->export->backend->discard(c, ranges, count);
	kfree(ranges);
	return ret;
}

/* Zeroes in steps, to notice a link that died meanwhile. */
static int cwt_zero(struct cwt_command *c)
{
	bool keep_allocated = c->cmd.flags & CW_CMD_NOUNMAP;
	u64 offset = c->cmd.offset;
	u32 left = c->cmd.len, part;
	int ret = 0;

	for (; left && !ret; left -= part, offset += part) {
		part = min(left, CWT_ZEROES_STEP);
		ret = cwt_command_is_over(c) ? -ENOTCONN :
					       c->tl->export->backend->zero(c, offset, part,
									    keep_allocated);
	}
	if (!ret && c->fua)
		ret = c->tl->export->backend->sync(c->tl->export);
	return ret;
}

static void cwt_command_slow(struct work_struct *work)
{
	struct cwt_command *c = container_of(work, struct cwt_command, slow);
	unsigned int noio = memalloc_noio_save();
	int ret;

	trace_cwt_command_submitted(c);
	/* Hundreds of commands of a dead link may wait here, and a fence waits for all of them. */
	if (cwt_command_is_over(c))
		ret = -ENOTCONN;
	else if (c->cmd.op == CW_OP_DISCARD)
		ret = cwt_discard(c);
	else
		ret = cwt_zero(c);
	memalloc_noio_restore(noio);
	cwt_command_done(c, cwt_status(ret));
}

static void cwt_command_start(struct cwt_command *c)
{
	switch (c->cmd.op) {
	case CW_OP_READ:
	case CW_OP_WRITE:
		if (c->cmd.flags & CW_CMD_BULK)
			cwt_transfer_start(c);
		else if (c->cmd.op == CW_OP_READ)
			cwt_inline_read(c);
		else
			cwt_inline_write(c);
		break;
	case CW_OP_FLUSH:
		trace_cwt_command_submitted(c);
		c->tl->export->backend->flush(c);
		break;
	default:
		INIT_WORK(&c->slow, cwt_command_slow);
		queue_work(c->tl->export->wq, &c->slow);
		break;
	}
}

void cwt_command_run(struct cwt_command *c)
{
	if (unlikely(cw_link_is_dead(c->tl->link)))
		cwt_command_drop(c);
	else if (c->stage == CWT_ANSWER)
		cwt_command_answer(c);
	else if (c->stage == CWT_SUBMIT)
		cwt_command_submit(c);
	else
		cwt_command_start(c);
}

/* ---- receive ---- */

/* Called in the receive context, never twice at once for a link: needs no lock. */
static void cwt_count_received(struct cw_link *link, const struct cw_cmd *cmd)
{
	u64 *n = link->stats.n;

	switch (cmd->op) {
	case CW_OP_READ:
		n[CW_N_READS]++;
		n[CW_N_READ_BYTES] += cmd->len;
		if (cmd->flags & CW_CMD_INLINE)
			n[CW_N_INLINE_READS]++;
		break;
	case CW_OP_WRITE:
		n[CW_N_WRITES]++;
		n[CW_N_WRITTEN_BYTES] += cmd->len;
		if (cmd->flags & CW_CMD_INLINE)
			n[CW_N_INLINE_WRITES]++;
		else
			n[CW_N_BULK_READS]++;
		break;
	case CW_OP_FLUSH:
		n[CW_N_FLUSHES]++;
		break;
	case CW_OP_DISCARD:
		n[CW_N_DISCARDS]++;
		break;
	case CW_OP_WRITE_ZEROES:
		n[CW_N_WRITE_ZEROES]++;
		break;
	}
}

/* The ranges of a discard together may not have more bytes than discard_max. */
static int cwt_count_range(u64 *left, u64 len)
{
	if (len > *left)
		return -ERANGE;
	*left -= len;
	return 0;
}

/* Checks @c against the present geometry. Returns a status, or -EPROTO. */
static int cwt_command_check(struct cwt_command *c, const struct cw_message *msg)
{
	const struct cw_wire_range *rec = msg->data + c->cmd.data_off;
	u32 count = c->cmd.data_len / sizeof(*rec);
	const struct cw_geometry *geo;
	struct cw_range range;
	u64 left;
	int ret;
	u32 i;

	rcu_read_lock();
	geo = &rcu_dereference(c->tl->export->geometry)->geo;
	left = geo->discard_max;
	ret = cw_check_cmd(&c->cmd, geo);
	if (c->cmd.op == CW_OP_DISCARD) {
		for (i = 0; i < count && !ret; i++) {
			ret = cw_parse_range(&rec[i], &range) ?: cw_check_range(&range, geo);
			if (!ret)
				ret = cwt_count_range(&left, range.len);
		}
	}
	rcu_read_unlock();
	return ret == -EPROTO ? ret : cwt_status(ret);
}

/* Answers or drops a command that the export does not admit any more. */
static void cwt_command_refuse(struct cwt_command *c)
{
	struct cwt_link *tl = c->tl;

	smp_rmb(); /* pairs with smp_wmb() in cwt_export_begin_end() */
	if (READ_ONCE(tl->export->closing) == CWT_REMOVING)
		cwt_command_done(c, CW_STATUS_GONE);
	else
		cwt_command_drop(c);
}

/* Runs or queues @c, which has its slot and the hold on its session. -EPROTO ends the link. */
static int cwt_command_receive(struct cwt_command *c, struct cw_message *msg,
			       const struct cw_cmd *cmd)
{
	const struct cwt_backend *backend = c->tl->export->backend;
	struct cwt_export *e = c->tl->export;
	int status;

	c->cmd = *cmd;
	c->stage = CWT_START;
	c->status = CW_STATUS_OK;
	c->fua = cmd->flags & CW_CMD_FUA || e->write_through;
	c->started = ktime_get_ns();
	c->msg = NULL;
	c->pages = NULL;
	c->transfer = NULL;
	c->counted = false;
	c->moved = 0;
	c->admitted = percpu_ref_tryget_live(&e->running);
	cwt_count_received(c->tl->link, cmd);
	trace_cwt_command_received(c);

	if (unlikely(!c->admitted)) {
		cwt_command_refuse(c);
		return 0;
	}
	status = cwt_command_check(c, msg);
	if (unlikely(status)) {
		if (status == -EPROTO)
			cwt_command_drop(c);
		else
			cwt_command_done(c, status);
		return status < 0 ? status : 0;
	}
	if (cmd->data_len) {
		cw_message_get(msg);
		c->msg = msg;
	}
	if (backend->atomic && !(cmd->flags & CW_CMD_BULK) && cmd->op <= CW_OP_FLUSH)
		cwt_command_run(c);
	else
		cwt_link_queue(c);
	return 0;
}

static int cwt_record(struct cwt_link *tl, struct cw_message *msg, const struct cw_wire_cmd *rec)
{
	struct cw_cmd cmd;
	int ret;

	/* The session is being ended, so the client waits for no answer. */
	if (unlikely(!cw_session_command_get(tl->link)))
		return 0;
	ret = cw_parse_cmd(rec, &msg->frame, &tl->link->limits, &cmd);
	if (likely(!ret) && unlikely(test_and_set_bit(cmd.slot, tl->busy)))
		ret = -EPROTO;
	if (likely(!ret))
		return cwt_command_receive(&tl->commands[cmd.slot], msg, &cmd);
	cw_session_command_put(tl->link);
	return ret;
}

int cwt_message(struct cw_link *link, struct cw_message *msg)
{
	const struct cw_wire_cmd *rec = msg->records;
	struct cwt_link *tl = link->priv;
	/* Commands that run here also complete here; their completions share a message. */
	bool gather = tl->export->backend->atomic && msg->frame.count > 1;
	u16 i;
	int ret = 0;

	if (gather)
		cw_link_cork(link);
	for (i = 0; i < msg->frame.count && !ret; i++)
		ret = cwt_record(tl, msg, &rec[i]);
	if (gather)
		cw_link_uncork(link);
	cw_message_put(msg);
	/*
	 * Orders the put before the check of the queue; pairs with the exchange in llist_del_all().
	 * If the queue is not empty, the worker has yet to run, and returns the credit.
	 */
	smp_mb();
	if (llist_empty(&tl->queue))
		cw_link_return_credit(link);
	return ret;
}
