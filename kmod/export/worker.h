/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The target's part of a data link: slots, the worker that runs commands, and parked commands
 * (worker.c).
 */
#ifndef CWT_WORKER_H
#define CWT_WORKER_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct cw_link;
struct cwt_command;
struct cwt_export;
struct cwt_share;

struct cwt_waiter {
	struct list_head entry; /* under cwt_memory_lock */
	struct cwt_link *tl;
};

struct cwt_link {
	struct cw_link *link; /* valid while a command is held, and in its callbacks */
	struct cwt_export *export; /* the session holds the reference */
	struct kref refs; /* held by the link, queued work, and transfers */

	u32 slots;
	unsigned long *busy; /* a bit for each slot in use */
	struct cwt_command *commands;

	struct llist_head queue; /* commands for the worker */
	struct work_struct work;
	spinlock_t park_lock; /* taken with interrupts disabled: bi_end_io parks commands */
	struct list_head parked; /* commands that wait for a message, a transfer or memory */
	atomic_t kicks; /* counts events that free something a parked command may need */

	atomic_t transfers; /* in flight */
	int transfers_max;
	struct cwt_share *share; /* of the memory for transfers, by the client's address */
	/* on a list while parked commands wait for that memory */
	struct cwt_waiter for_share, for_budget;

	/* taken with interrupts disabled; guards errors and latencies in link->stats */
	spinlock_t stat_lock;
	struct work_struct release;
};

/**
 * cwt_link_init() - makes the target's part of a data link; cw_server_ops.link_init
 * @link: the link; its limits are set
 * @export: the export; the link's session holds a reference to it
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: the link grants more than CWT_IO_MAX; -ENOMEM.
 */
int cwt_link_init(struct cw_link *link, void *export);
/**
 * cwt_link_exit() - releases the target's part of a data link; cw_server_ops.link_exit
 * @link: the link; it is drained, and no command of it is left
 *
 * Context: Process context. Sleeps.
 */
void cwt_link_exit(struct cw_link *link);
/**
 * cwt_link_commands() - counts the commands that a link holds; cw_server_ops.link_commands
 * @link: the link, between cwt_link_init() and cwt_link_exit()
 *
 * Context: Any context.
 * Return: the number of its slots that are in use.
 */
u32 cwt_link_commands(const struct cw_link *link);
/**
 * cwt_link_room() - kicks the worker of a link; cw_link_handler.room
 * @link: a data link
 *
 * A message became free to send, or the link died.
 * Context: Any context. No lock of the link is held.
 */
void cwt_link_room(struct cw_link *link);
/**
 * cwt_link_kick() - reports that something became free that a parked command may need
 * @tl: the link; the caller makes sure that it is not freed
 *
 * Context: Any context.
 */
void cwt_link_kick(struct cwt_link *tl);
/**
 * cwt_link_get() - takes a reference to the target's part of a link
 * @tl: the part; its reference count is not 0
 *
 * Context: Any context.
 */
void cwt_link_get(struct cwt_link *tl);
/**
 * cwt_link_put() - releases a reference to the target's part of a link
 * @tl: the part; the last reference queues the work that frees it
 *
 * Context: Any context.
 */
void cwt_link_put(struct cwt_link *tl);
/**
 * cwt_link_queue() - passes a command to the worker of its link
 * @c: the command; it and everything that it holds may be gone on return
 *
 * Context: Any context.
 */
void cwt_link_queue(struct cwt_command *c);
/**
 * cwt_link_park() - keeps a command until something becomes free
 * @c: the command; it may be gone on return
 * @kicks: cwt_link_kicks(), read before the attempt that failed
 *
 * Context: Any context.
 */
void cwt_link_park(struct cwt_command *c, int kicks);
/**
 * cwt_link_kicks() - reads the count of kicks before an attempt, for cwt_link_park()
 * @tl: the link
 *
 * Context: Any context.
 * Return: the count.
 */
static inline int cwt_link_kicks(const struct cwt_link *tl)
{
	return atomic_read_acquire(&tl->kicks);
}

#endif
