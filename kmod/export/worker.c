// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target's half of a data link: slots, the worker that runs commands, and those that wait.
 *
 * Commands that may sleep go through a lockless list to one work item, which takes the whole batch:
 * so one wakeup serves many commands, and their answers, when they come at once, share messages.
 * Answers are not kept back while the worker sleeps in the backend: see struct cwt_batch. A command
 * that finds no message to answer with, no transfer free or its memory used up is parked; whatever
 * frees such a thing counts a kick and wakes the worker, which tries all parked commands again. A
 * kick between the failed attempt and the parking is seen by the count.
 *
 * Who holds a cwt_link: the link until cwt_link_exit(), the queued work, and every transfer,
 * because the core may tell of the end of a transfer when it frees the link. The cw_link below it
 * is touched with a command held or in a callback only.
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

	/* The last put may come from an interrupt. */
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
	 * For the work; taken first, because the worker may run @c and all be over before
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
	/* cwt_link_park() sees the kick or we see the command */
	if (cw_wakeup_kick(&tl->kicks, &tl->parked))
		cwt_link_wake(tl);
}

void cwt_link_park(struct cwt_command *c, int kicks)
{
	struct cwt_link *tl = c->tl;
	unsigned long flags;

	trace_cwt_command_parked(c);
	/* The worker cannot take @c, and so @tl cannot go, before the lock is free. */
	spin_lock_irqsave(&tl->park_lock, flags);
	list_add_tail(&c->parked, &tl->parked);
	if (cw_wakeup_was_kicked(&tl->kicks, kicks) || cw_link_is_dead(tl->link))
		cwt_link_wake(tl);
	spin_unlock_irqrestore(&tl->park_lock, flags);
}

/* A message to send came free, or the link died. */
void cwt_link_room(struct cw_link *link)
{
	struct cwt_link *tl = READ_ONCE(link->priv);

	if (tl)
		cwt_link_kick(tl);
}

/* ---- the worker ---- */

/*
 * Around a batch of commands: requests to the disk are plugged, and completions gather in one
 * message. submit_bio() sleeps when the disk takes no more requests, and commands of the same batch
 * may complete meanwhile. The scheduler flushes the plug before the worker sleeps. The callback in
 * it ends the gathering, so completions go out at once from then on.
 */
struct cwt_batch {
	struct blk_plug plug;
	struct blk_plug_cb unplug;
	struct cw_link *link; /* corked, or NULL */
};

/* The worker, perhaps about to sleep: must not sleep itself. */
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

	/* Requests that complete while they are dispatched are gathered, too. */
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
	 * Memory for a client must never wait for I/O: it might be that client's own, on this
	 * machine.
	 */
	noio = memalloc_noio_save();
	spin_lock_irq(&tl->park_lock);
	list_splice_init(&tl->parked, &parked);
	spin_unlock_irq(&tl->park_lock);

	/*
	 * With any, the link is there until we end: it waits for cwt_link_exit(), which waits for
	 * us.
	 */
	commands = batch || !list_empty(&parked);
	/* A single command waits for nothing. */
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
		cw_link_tell(tl->link);
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

	/* The largest transfer has to fit into a share, and into the reserve. */
	if (WARN_ON_ONCE(link->limits.max_io > CWT_IO_MAX))
		return -EINVAL;
	/* A client on this machine may wait for this very link to write pages out. */
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
 * No command is left and the link is drained: no callback comes, and only transfers hold @tl after
 * this.
 */
void cwt_link_exit(struct cw_link *link)
{
	struct cwt_link *tl = link->priv;

	if (!tl)
		return;
	WRITE_ONCE(link->priv, NULL);
	flush_work(&tl->work);
	cwt_bulk_forget(tl);
	WARN_ON_ONCE(!bitmap_empty(tl->busy, tl->slots));
	cwt_link_put(tl); /* the link's */
}

u32 cwt_link_commands(const struct cw_link *link)
{
	const struct cwt_link *tl = link->priv;

	return tl ? bitmap_weight(tl->busy, tl->slots) : 0;
}
