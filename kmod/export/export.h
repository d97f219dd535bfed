/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * causeway_target: exports, and the commands that clients send to them.
 *
 * The table holds an export from cwt_export_publish() until its end is over (shutdown.c); sessions
 * of the core hold references. Its backend stays open until the last command and the last session
 * are gone. A cwt_link is the part of a data link that knows commands: a slot for each command that
 * the client may have outstanding, and the worker that runs them. A cwt_transfer is the memory of
 * one bulk command. It can outlive the command; then the message that carries the data owns it.
 */
#ifndef CWT_EXPORT_H
#define CWT_EXPORT_H

#include <linux/bio.h>
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>

#include "../core/address/cidr.h"
#include "../core/link/completion.h"
#include "../core/session/server/server.h"

struct netlink_ext_ack;
struct cwt_backend;

#define CWT_ALLOW_MAX 48 /* prefixes of one export; they must fit one netlink message */
#define CWT_PATH_MAX 1024 /* with the NUL; must fit one netlink message */
#define CWT_FOLDER_MAX 512 /* with the NUL; must fit one netlink message */
#define CWT_RANGES 64 /* of one discard */
/* bytes of one write-zeroes, or of all ranges of one discard: takes seconds, not minutes */
#define CWT_ZEROES_MAX (256U << 20)
/* zeroing checks after so many bytes whether its link is dead */
#define CWT_ZEROES_STEP (32U << 20)
#define CWT_IO_MAX SZ_1M /* bytes of one command; the most that the core grants */
#define CWT_TRANSFERS 32 /* in flight on one link; the queue pair has room for so many */

/* ---- exports: export.c ---- */

struct cwt_geometry {
	struct cw_geometry geo;
	struct rcu_head rcu;
};

/* The treatment of commands that arrive after the end has begun. */
enum cwt_closing {
	CWT_OPEN,
	CWT_REMOVING, /* answered with CW_STATUS_GONE */
	CWT_STOPPING, /* not answered: the client sends them again to the next server */
};

struct cwt_export {
	struct list_head entry; /* in the table, under its lock */
	struct kref refs;
	u32 id; /* increases; the table is sorted by it */

	/* The configuration; constant. */
	char name[CW_WIRE_NAME];
	u8 kind; /* enum cw_backend */
	bool read_only, exclusive, write_through;
	char *path; /* of a device or file */
	u64 size; /* of memory, in bytes */
	u8 identity[CW_WIRE_UUID];
	u8 ledger[CW_WIRE_UUID]; /* UUID of the ledger in ledger_folder */
	char *ledger_folder; /* NULL: the ledger is in memory */
	u32 takeover_after; /* seconds */
	u8 key[CW_WIRE_KEY_MAX];
	u8 key_len; /* 0: no key */
	u32 allow_count; /* 0: all addresses */
	struct cw_cidr allow[CWT_ALLOW_MAX];

	struct cw_server_export *core; /* the core's part of the export; NULL until it is opened */
	const struct cwt_backend *backend;
	void *disk; /* private to the backend */
	struct file *device; /* of backend_device.c: the open file of @disk */
	u32 align; /* bits that must be zero in addresses of memory for its I/O */
	struct mutex lock; /* guards open and writes of geometry */
	bool open;
	struct cwt_geometry __rcu *geometry;

	struct percpu_ref running; /* one reference for each command from admission to completion */
	/* for its commands that wait in the backend, and for its end */
	struct workqueue_struct *wq;
	/* memory of one transfer; NULL while in use; under cwt_bulk_lock */
	struct cwt_transfer *reserve;

	enum cwt_closing closing; /* written under cwt_admin */
	unsigned long closing_since; /* jiffies */
	struct work_struct end; /* queued when no command is left */
	struct list_head stopping; /* in the list of cwt_stop_all() */
	bool flushed; /* the final flush succeeded; valid once gone is complete */
	bool told; /* the final notice is being sent or was sent */
	spinlock_t end_lock; /* guards over and pinned */
	bool over; /* the end has finished: only this struct is left */
	bool pinned; /* holds a reference to the module until it is over */
	struct completion gone; /* completed when over is set */
	struct work_struct release;
};

/**
 * cwt_export_alloc() - allocates an export that is not in the table
 *
 * Return: the export with one reference, or NULL.
 */
struct cwt_export *cwt_export_alloc(void);
void cwt_export_get(struct cwt_export *e);
void cwt_export_put(struct cwt_export *e);
/**
 * cwt_export_await_freed() - waits until all exports are freed, at module exit
 *
 * Context: sleeps.
 */
void cwt_export_await_freed(void);

/**
 * cwt_export_open() - opens the backend of an export
 * @e: the export, with its configuration
 * @extack: for a refusal
 *
 * Context: sleeps; under cwt_admin, like every change of the set of exports.
 * Return: 0 or -errno.
 */
int cwt_export_open(struct cwt_export *e, struct netlink_ext_ack *extack);
/* Closes the backend. No command and no session is left. Sleeps. */
void cwt_export_close(struct cwt_export *e);
/* Puts @e into the table, which takes over the caller's reference. Under cwt_admin. */
void cwt_export_publish(struct cwt_export *e);
/* Takes @e out of the table and passes the table's reference to the caller. */
void cwt_export_unlist(struct cwt_export *e);
/**
 * cwt_export_refresh() - reads the geometry of the backend and publishes a change
 * @e: the export
 * @geo: set to the geometry of the backend
 *
 * Context: sleeps; under e->lock.
 * Return: true if @geo differed from the published geometry and is published now.
 */
bool cwt_export_refresh(struct cwt_export *e, struct cw_geometry *geo);

/**
 * cwt_export_find() - finds an export by name, ending or not
 * @name: its name
 *
 * Context: sleeps.
 * Return: the export with a reference, or NULL.
 */
struct cwt_export *cwt_export_find(const char *name);
/**
 * cwt_export_after() - finds the export with the lowest id above another one
 * @id: the other one's id; 0 for the first export
 *
 * Context: sleeps.
 * Return: the export with a reference, or NULL.
 */
struct cwt_export *cwt_export_after(u32 id);
bool cwt_export_allows(const struct cwt_export *e, const struct sockaddr *peer);
void cwt_export_geometry(struct cwt_export *e, struct cw_geometry *geo);

/* ---- ends of exports: shutdown.c ---- */

/* True if the end of @e has begun; logins do not find it then. Any context. */
static inline bool cwt_export_is_ending(const struct cwt_export *e)
{
	return READ_ONCE(e->closing) != CWT_OPEN;
}

/**
 * cwt_export_begin_end() - starts the end of an export
 * @e: the export
 * @how: CWT_REMOVING or CWT_STOPPING
 *
 * No command is admitted any more. A work does the rest. Does not wait.
 * Context: under cwt_admin.
 * Return: 0, or -EALREADY if the end has begun before.
 */
int cwt_export_begin_end(struct cwt_export *e, enum cwt_closing how);
/**
 * cwt_export_await_end() - waits until an export is gone, for a bounded time
 * @e: the export
 * @text: CWT_TEXT bytes; set to what happened if the result is false
 *
 * Ends the sessions if the end takes too long. If @e is not gone even then, the module is pinned
 * until it is.
 * Context: process, without cwt_admin.
 * Return: true if all that clients wrote was flushed.
 */
bool cwt_export_await_end(struct cwt_export *e, char *text);
#define CWT_TEXT 256

/* cwt_export.end, queued when the last command is gone. */
void cwt_export_end_work(struct work_struct *work);

/**
 * cwt_stop_all() - ends all exports at once, with CW_NOTICE_STOPPING
 * @report: called for each export that was not flushed in time; or NULL
 * @arg: for @report
 * @ret: set to 0, or to -EBUSY if another stop runs
 *
 * Waits like cwt_export_await_end(), once for all of them.
 * Context: process, without cwt_admin.
 * Return: true if all acknowledged writes were flushed.
 */
bool cwt_stop_all(void (*report)(void *arg, const char *name, const char *text), void *arg,
		  int *ret);
/* True if a stop runs, so that no export may be added. Under cwt_admin. */
bool cwt_is_stopping(void);
/* Module exit: waits until no export is left, however long that takes. Sleeps. */
void cwt_await_all(void);

/* ---- disks whose last flush failed: loss.c; process context ---- */

/* The flush of @e failed: gives its disk an instance of its own. */
void cwt_loss_add(struct cwt_export *e);
/**
 * cwt_loss_mask() - turns the server's instance into that of an export
 * @e: the export
 * @instance: changed if the last flush of the export's disk failed
 */
void cwt_loss_mask(const struct cwt_export *e, u8 instance[CW_WIRE_UUID]);
bool cwt_loss_any(void);
/* Forgets all losses, because the server has a new instance or ends. */
void cwt_loss_forget(void);

/* ---- links: worker.c ---- */

struct cwt_command;
struct cwt_share;

struct cwt_waiter {
	struct list_head entry; /* under cwt_bulk_lock */
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
	struct cwt_share *share; /* of the memory for bulk commands, by the client's address */
	/* on a list while parked commands wait for that memory */
	struct cwt_waiter for_share, for_budget;

	/* taken with interrupts disabled; guards errors and latencies in link->stats */
	spinlock_t stat_lock;
	struct work_struct release;
};

int cwt_link_init(struct cw_link *link, void *export);
void cwt_link_exit(struct cw_link *link);
u32 cwt_link_commands(const struct cw_link *link);
void cwt_link_room(struct cw_link *link);
/**
 * cwt_link_kick() - reports that something became free that a parked command may need
 * @tl: the link; the caller makes sure that it is not freed
 *
 * Context: any.
 */
void cwt_link_kick(struct cwt_link *tl);
void cwt_link_get(struct cwt_link *tl);
void cwt_link_put(struct cwt_link *tl);
/**
 * cwt_link_queue() - passes a command to the worker of its link
 * @c: the command; it and everything that it holds may be gone on return
 *
 * Context: any.
 */
void cwt_link_queue(struct cwt_command *c);
/**
 * cwt_link_park() - keeps a command until something becomes free
 * @c: the command; it may be gone on return
 * @kicks: cwt_link_kicks(), read before the attempt that failed
 *
 * Context: any.
 */
void cwt_link_park(struct cwt_command *c, int kicks);
static inline int cwt_link_kicks(const struct cwt_link *tl)
{
	return atomic_read_acquire(&tl->kicks);
}

/* ---- commands: command.c, answer.c ---- */

enum cwt_stage {
	CWT_START, /* nothing is done yet */
	CWT_SUBMIT, /* its memory is ready; next, the backend gets it */
	CWT_ANSWER, /* its status is known; next, its completion is sent */
};

/*
 * One slot of a link. Its bit in busy is set from the reception of a command until just before the
 * completion is sent. The thread that set the bit, or got the command since then, owns all fields.
 */
struct cwt_command {
	struct cwt_link *tl;
	struct cw_cmd cmd;
	u8 stage; /* enum cwt_stage */
	u8 status; /* enum cw_wire_status */
	bool admitted; /* holds a reference to export->running */
	bool fua;
	/* in the limit counter, as a command that waits for memory of bulk commands */
	bool counted;
	u64 started; /* ns */

	struct cw_message *msg; /* the receive with the inline data of a write or discard */
	/* destination of an inline read, or copy of inline data of a write */
	struct cw_page *pages;
	struct cwt_transfer *transfer; /* the memory of a bulk command */

	/* The memory of a read or write: cmd.len bytes in total. */
	struct bio_vec *vecs;
	u16 nvecs;
	struct bio_vec inline_vecs[CW_INLINE_PAGES];
	u32 moved; /* bytes that are done, if a backend does the command in parts */

	union {
		struct llist_node queued;
		struct list_head parked;
	};
	/* Used by the backend while it has the command. */
	union {
		struct bio bio;
		struct kiocb iocb;
		struct work_struct slow;
	};
} ____cacheline_aligned_in_smp;

/* True if the client does not wait for @c any more, so that long operations end early. */
static inline bool cwt_command_is_over(const struct cwt_command *c)
{
	return cw_link_is_dead(c->tl->link);
}

int cwt_message(struct cw_link *link, struct cw_message *msg);
/* Continues @c at its stage. The worker; softirq for a backend that is atomic. */
void cwt_command_run(struct cwt_command *c);
/**
 * cwt_command_done() - ends a command in the backend and sends its completion
 * @c: the command; it may be gone on return
 * @status: enum cw_wire_status
 *
 * Context: any.
 */
void cwt_command_done(struct cwt_command *c, u8 status);
/**
 * cwt_command_answer() - sends the completion of a command, or parks the command
 * @c: a command whose status is set; it may be gone on return
 *
 * Context: any; the worker if @c is an unsuccessful command with a bulk.
 */
void cwt_command_answer(struct cwt_command *c);
/**
 * cwt_command_drop() - frees a command and its slot without a completion
 * @c: the command; it is gone on return
 *
 * Context: any; the worker if @c has a bulk.
 */
void cwt_command_drop(struct cwt_command *c);
/* Passes @c, which has its memory, to the backend. */
void cwt_command_submit(struct cwt_command *c);
u8 cwt_status(int err);

/* ---- bulk memory: transfer.c ---- */

struct cwt_transfer {
	struct cwt_link *tl;
	struct cwt_command *command; /* valid while the data is being fetched */
	struct cw_bulk *bulk; /* NULL once the fetch has begun or a message owns it */
	u32 shared; /* bytes counted in the client's share */
	u32 budgeted; /* bytes counted in the global budget */
	bool counted; /* in tl->transfers */
	bool lent; /* the pages belong to the backend */
	bool spare; /* it is the reserve of the export */
	u16 nvecs, room;
	struct bio_vec *vecs;
	struct rcu_head rcu;
	struct scatterlist sgl[];
};

/* Gets memory for bulk command @c and continues it, or parks it. The worker. */
void cwt_transfer_start(struct cwt_command *c);
/**
 * cwt_transfer_bounce() - copies inline data to aligned memory
 * @tl: the link
 * @data: the data, at an address that the device cannot use
 * @len: its bytes
 *
 * Context: the worker.
 * Return: a transfer without a bulk, or NULL.
 */
struct cwt_transfer *cwt_transfer_bounce(struct cwt_link *tl, const void *data, u32 len);
/* Frees @t, whose bulk was freed or passed on before. Any context. */
void cwt_transfer_free(struct cwt_transfer *t);

/* ---- bounds of that memory: bulk_memory.c ---- */

/* The share of the client at the other end of @link, or NULL. Process context, both. */
struct cwt_share *cwt_share_get(struct cw_link *link);
void cwt_share_put(struct cwt_share *share);

/* The source of the memory of a command. */
enum cwt_room {
	CWT_ROOM_IN_BUDGET, /* counted in the share and in the budget; the caller allocates it */
	CWT_ROOM_IN_RESERVE, /* the reserve; counted in the share */
	CWT_ROOM_NOT_IN_SHARE, /* @tl is kicked when its client has returned a part */
	CWT_ROOM_NONE, /* @tl is kicked when any client has returned a part */
};

/**
 * cwt_bulk_take() - counts the memory of a command in all bounds
 * @tl: the link
 * @len: bytes, at most CWT_IO_MAX
 * @reserve: set to the reserve as a transfer of @tl, if the result is CWT_ROOM_IN_RESERVE
 *
 * The reserve of the export serves a client that has no other transfer.
 * Context: any, like the next three functions.
 */
enum cwt_room cwt_bulk_take(struct cwt_link *tl, u32 len, struct cwt_transfer **reserve);
/**
 * cwt_bulk_swap() - takes the reserve instead of room in the budget without free memory
 * @tl: the link
 * @len: bytes, as in cwt_bulk_take()
 *
 * Return: the reserve as a transfer of @tl, or NULL.
 */
struct cwt_transfer *cwt_bulk_swap(struct cwt_link *tl, u32 len);
/**
 * cwt_bulk_give() - returns the room of a transfer in the budget and the share, and the reserve
 * @t: the transfer; if it is the reserve, another command may own it on return
 */
void cwt_bulk_give(struct cwt_transfer *t);
/* Takes @tl off all lists of waiters. */
void cwt_bulk_forget(struct cwt_link *tl);

/* Allocates e->reserve. 0 or -ENOMEM. Process context, both. */
int cwt_reserve_make(struct cwt_export *e);
void cwt_reserve_free(struct cwt_export *e);
void cwt_bulk_init(void);

/* ---- module-wide objects ---- */

extern struct workqueue_struct *cwt_wq; /* one work for each link */
/* frees links and exports, watches sizes; for works that do not hang */
extern struct workqueue_struct *cwt_slow_wq;
extern struct mutex cwt_admin; /* serialises changes by administrators; not held during ends */
extern const struct cw_server_ops cwt_server_ops;

int cwt_control_register(void);
void cwt_control_unregister(void);
void cwt_size_watch_start(void);
void cwt_size_watch_stop(void);

#endif
