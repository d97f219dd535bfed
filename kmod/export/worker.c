// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target's part of a data link: slots, the worker that runs commands, and parked commands.
 *
 * Commands that may sleep go through a lockless list to one work item, which takes the whole batch:
 * one wakeup serves many commands, and completions that come together share messages. Completions
 * are not kept back while the worker sleeps in the backend, see struct cwt_batch. A command is
 * parked if no message is free for its completion, no transfer is free, or its memory is used up.
 * Each event that frees one of these increments the kicks and wakes the worker, which tries all
 * parked commands again. The counter also shows a kick between the failed attempt and the parking.
 *
 * Holders of a cwt_link: the link until cwt_link_exit(), the queued work, and every transfer,
 * because the core may report the end of a transfer as late as when it frees the link. The cw_link
 * below may be used only while a command is held, or in a callback.
 */
#include <linux/blkdev.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "../core/link/wakeup.h"
#include "backend.h"
#include "trace.h"

static void cwt_link_free(struct work_struct *work)
{
	struct cwt_link *tl = container_of(work, struct cwt_link, release);

	cwt_share_put(tl->share);
	bitmap_free(tl->busy);
	kvfree(tl->commands);
	kfree(tl);
}

static void cwt_link_release(struct kref *refs)
{
	struct cwt_link *tl = container_of(refs, struct cwt_link, refs);

	/* A work, because the last put may come from an interrupt. */
	queue_work(cwt_slow_wq, &tl->release);
}

void cwt_link_get(struct cwt_link *tl)
{
	kref_get(&tl->refs);
}

void cwt_link_put(struct cwt_link *tl)
{
	kref_put(&tl->refs, cwt_link_release);
}

/* ---- waking the worker ---- */

void cwt_link_queue(struct cwt_command *c)
{
	struct cwt_link *tl = c->tl;

	/*
	 * For the work. Taken first, because the worker may run @c, and all may be over, before
	 * queue_work().
	 */
	cwt_link_get(tl);
	if (!llist_add(&c->queued, &tl->queue) || !queue_work(cwt_wq, &tl->work))
		cwt_link_put(tl);
}

static void cwt_link_wake(struct cwt_link *tl)
{
	cwt_link_get(tl); /* for the work */
	if (!queue_work(cwt_wq, &tl->work))
		cwt_link_put(tl);
}

void cwt_link_kick(struct cwt_link *tl)
{
	/* Either cwt_link_park() sees the kick, or the kick sees the parked command. */
	if (cw_wakeup_kick(&tl->kicks, &tl->parked))
		cwt_link_wake(tl);
}

void cwt_link_park(struct cwt_command *c, int kicks)
{
	struct cwt_link *tl = c->tl;
	unsigned long flags;

	trace_cwt_command_parked(c);
	/* Before the unlock the worker cannot take @c, so @tl cannot be freed. */
	spin_lock_irqsave(&tl->park_lock, flags);
	list_add_tail(&c->parked, &tl->parked);
	if (cw_wakeup_was_kicked(&tl->kicks, kicks) || cw_link_is_dead(tl->link))
		cwt_link_wake(tl);
	spin_unlock_irqrestore(&tl->park_lock, flags);
}

/* A message became free to send, or the link died. */
void cwt_link_room(struct cw_link *link)
{
	struct cwt_link *tl = READ_ONCE(link->priv);

	if (tl)
		cwt_link_kick(tl);
}

/* ---- the worker ---- */

/*
 * State around a batch of commands. Requests to the disk are plugged, and completions are gathered
 * in one message. submit_bio() sleeps when the disk takes no more requests, and commands of the
 * same batch may complete meanwhile. The scheduler flushes the plug before the worker sleeps, and
 * the callback of the plug ends the gathering: from then on completions are sent at once.
 */
struct cwt_batch {
	struct blk_plug plug;
	struct blk_plug_cb unplug;
	struct cw_link *link; /* corked, or NULL */
};

/* In the worker, possibly from the scheduler: must not sleep. */
static void cwt_batch_uncork(struct blk_plug_cb *unplug, bool from_schedule)
{
	struct cwt_batch *batch = container_of(unplug, struct cwt_batch, unplug);
	struct cw_link *link = batch->link;

	batch->link = NULL;
	if (link)
		cw_link_uncork(link);
}

static void cwt_batch_start(struct cwt_batch *batch, struct cw_link *link)
{
	cw_link_cork(link);
	batch->link = link;
	batch->unplug.callback = cwt_batch_uncork;
	blk_start_plug(&batch->plug);
	list_add(&batch->unplug.list, &batch->plug.cb_list);
}

static void cwt_batch_finish(struct cwt_batch *batch)
{
	struct cw_link *link = batch->link;

	/* Also gather completions of requests that complete while they are dispatched. */
	if (link)
		list_del(&batch->unplug.list);
	blk_finish_plug(&batch->plug);
	if (link)
		cw_link_uncork(link);
}

static void cwt_link_work(struct work_struct *work)
{
	struct cwt_link *tl = container_of(work, struct cwt_link, work);
	struct llist_node *batch = llist_del_all(&tl->queue);
	struct cwt_command *c, *next;
	struct cwt_batch together;
	LIST_HEAD(parked);
	unsigned int noio;
	bool commands, gather;

	/*
	 * An allocation must never wait for I/O: the I/O might be that of this client, on this
	 * machine.
	 */
	noio = memalloc_noio_save();
	spin_lock_irq(&tl->park_lock);
	list_splice_init(&tl->parked, &parked);
	spin_unlock_irq(&tl->park_lock);

	/*
	 * If there is a command, the link stays valid until the end of this work: the link's end
	 * calls cwt_link_exit(), which waits for this work.
	 */
	commands = batch || !list_empty(&parked);
	/* A single command has nothing to gather with. */
	gather = batch && batch->next && tl->export->backend->gathers;
	if (gather)
		cwt_batch_start(&together, tl->link);
	while (!list_empty(&parked)) {
		c = list_first_entry(&parked, struct cwt_command, parked);
		list_del(&c->parked);
		cwt_command_run(c);
	}
	batch = llist_reverse_order(batch);
	llist_for_each_entry_safe(c, next, batch, queued) {
		cwt_command_run(c);
		cond_resched();
	}
	if (gather)
		cwt_batch_finish(&together);
	if (commands)
		cw_link_return_credit(tl->link);
	memalloc_noio_restore(noio);
	cwt_link_put(tl);
}

/* ---- life ---- */

static struct cwt_link *cwt_link_alloc(struct cw_link *link)
{
	struct cwt_link *tl;
	u32 i;

	tl = kzalloc(sizeof(*tl), GFP_KERNEL);
	if (!tl)
		return NULL;
	tl->link = link;
	kref_init(&tl->refs);
	init_llist_head(&tl->queue);
	INIT_WORK(&tl->work, cwt_link_work);
	INIT_WORK(&tl->release, cwt_link_free);
	spin_lock_init(&tl->park_lock);
	spin_lock_init(&tl->stat_lock);
	INIT_LIST_HEAD(&tl->parked);
	INIT_LIST_HEAD(&tl->for_share.entry);
	INIT_LIST_HEAD(&tl->for_budget.entry);
	tl->for_share.tl = tl;
	tl->for_budget.tl = tl;
	tl->transfers_max = min_t(int, link->limits.depth, CWT_TRANSFERS);

	tl->slots = cw_slots(&link->limits);
	tl->share = cwt_share_get(link);
	tl->busy = bitmap_zalloc(tl->slots, GFP_KERNEL);
	tl->commands = kvcalloc(tl->slots, sizeof(*tl->commands), GFP_KERNEL);
	if (!tl->share || !tl->busy || !tl->commands) {
		cwt_link_free(&tl->release);
		return NULL;
	}
	for (i = 0; i < tl->slots; i++)
		tl->commands[i].tl = tl;
	return tl;
}

int cwt_link_init(struct cw_link *link, void *export)
{
	struct cwt_link *tl;
	unsigned int noio;

	/* The largest transfer has to fit into a share and into the reserve. */
	if (WARN_ON_ONCE(link->limits.max_io > CWT_IO_MAX))
		return -EINVAL;
	/* A client on this machine may need this link to write back pages. */
	noio = memalloc_noio_save();
	tl = cwt_link_alloc(link);
	memalloc_noio_restore(noio);
	if (!tl)
		return -ENOMEM;
	tl->export = export;
	WRITE_ONCE(link->priv, tl);
	return 0;
}

/*
 * No command is left and the link is drained: no callback comes any more, and afterwards only
 * transfers hold @tl.
 */
void cwt_link_exit(struct cw_link *link)
{
	struct cwt_link *tl = link->priv;

	if (!tl)
		return;
	WRITE_ONCE(link->priv, NULL);
	flush_work(&tl->work);
	cwt_memory_forget(tl);
	WARN_ON_ONCE(!bitmap_empty(tl->busy, tl->slots));
	cwt_link_put(tl); /* the reference of the link */
}

u32 cwt_link_commands(const struct cw_link *link)
{
	const struct cwt_link *tl = link->priv;

	return tl ? bitmap_weight(tl->busy, tl->slots) : 0;
}
