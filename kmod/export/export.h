/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * causeway_target: exports, and the commands that clients send to them.
 *
 * An export belongs to the table from cwt_export_publish() until its end is over (shutdown.c);
 * sessions of the core hold references. Its backend is open until its last command and its last
 * session are gone. A cwt_link is the half of a data link that knows commands: a slot for
 * each that the client may have outstanding, and the worker that runs them. A cwt_transfer is the
 * memory of one bulk command; it can outlive the command and then hangs on the message that carries
 * it.
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
#include "../core/link/link.h"
#include "../core/session/server/server.h"

struct netlink_ext_ack;
struct cwt_backend;

#define CWT_ALLOW_MAX 48 /* prefixes of one export: a dump must fit one message */
#define CWT_PATH_MAX 1024 /* with the NUL, for the same reason */
#define CWT_FOLDER_MAX 512 /* likewise */
#define CWT_RANGES 64 /* of one discard */
/* bytes of one write-zeroes, or of one discard with all its ranges: seconds, not minutes */
#define CWT_ZEROES_MAX (256U << 20)
/* long work on zeroes looks after so many bytes whether its link is dead */
#define CWT_ZEROES_STEP (32U << 20)
#define CWT_IO_MAX SZ_1M /* bytes of one command, as the core grants at most */
#define CWT_TRANSFERS 32 /* running at once on one link: what its queue pair has room for */

/* ---- exports: export.c ---- */

struct cwt_geometry {
	struct cw_geometry geo;
	struct rcu_head rcu;
};

/* What becomes of commands that still arrive. */
enum cwt_closing {
	CWT_OPEN,
	CWT_REMOVING, /* answered with CW_STATUS_GONE */
	CWT_STOPPING, /* not answered: the client sends them again when the server is back */
};

struct cwt_export {
	struct list_head entry; /* of the table, under its lock */
	struct kref refs;
	u32 id; /* grows; the order of the table */

	/* What the administrator said; fixed. */
	char name[CW_WIRE_NAME];
	u8 kind; /* enum cw_backend */
	bool read_only, exclusive, write_through;
	char *path; /* device, file */
	u64 size; /* memory */
	u8 identity[CW_WIRE_UUID];
	u8 ledger[CW_WIRE_UUID]; /* of its owners, in ... */
	char *ledger_folder; /* NULL: the ledger is in memory */
	u32 takeover_after; /* s */
	u8 key[CW_WIRE_KEY_MAX];
	u8 key_len; /* 0: none */
	u32 allow_count; /* 0: everyone */
	struct cw_cidr allow[CWT_ALLOW_MAX];

	struct cw_server_export *core; /* what the core keeps of it; NULL before it is opened */
	const struct cwt_backend *backend;
	void *disk; /* the backend's */
	u32 align; /* bits that addresses of memory for it must not have set */
	struct mutex lock; /* open, and who writes the geometry */
	bool open;
	struct cwt_geometry __rcu *geometry;

	struct percpu_ref running; /* one for each command between admission and answer */
	struct workqueue_struct *wq; /* its commands that wait in the backend, and its end */
	struct cwt_transfer *reserve; /* memory of one transfer, NULL while in use */

	enum cwt_closing closing; /* written under cwt_admin */
	unsigned long closing_since; /* jiffies */
	struct work_struct end; /* queued when no command is left */
	struct list_head stopping; /* of cwt_stop_all() */
	bool flushed; /* everything was flushed; valid when gone */
	bool told; /* the final notice goes out, or went */
	spinlock_t end_lock; /* over, pinned */
	bool over; /* nothing of it is left but this struct */
	bool pinned; /* the module cannot be unloaded before it is over */
	struct completion gone; /* the same as over, to wait for */
	struct work_struct release;
};

/* An export that is not in the table yet, with one reference; NULL: no memory. */
struct cwt_export *cwt_export_alloc(void);
void cwt_export_get(struct cwt_export *e);
void cwt_export_put(struct cwt_export *e);
/* Module exit: waits until all are freed. Sleeps. */
void cwt_export_await_freed(void);

/*
 * Opens the backend. Refusals are in @extack. Under cwt_admin, like everything that changes which
 * exports there are.
 */
int cwt_export_open(struct cwt_export *e, struct netlink_ext_ack *extack);
/* No command and no session is left. */
void cwt_export_close(struct cwt_export *e);
/* Puts it into the table, which takes over the caller's reference. */
void cwt_export_publish(struct cwt_export *e);
/* Takes it out of the table, whose reference is the caller's then. */
void cwt_export_unlist(struct cwt_export *e);
/*
 * Reads the backend's geometry; true when it differs from the one published, and is published now.
 * Under e->lock.
 */
bool cwt_export_refresh(struct cwt_export *e, struct cw_geometry *geo);

/* With a reference, or NULL. Finds exports that are ending, too. */
struct cwt_export *cwt_export_find(const char *name);
/* The export of the lowest id above @id, with a reference, or NULL. */
struct cwt_export *cwt_export_after(u32 id);
bool cwt_export_allows(const struct cwt_export *e, const struct sockaddr *peer);
void cwt_export_geometry(struct cwt_export *e, struct cw_geometry *geo);

/* ---- ends of exports: shutdown.c ---- */

/* Whether it ends; no login finds it then. Any context. */
static inline bool cwt_export_is_ending(const struct cwt_export *e)
{
	return READ_ONCE(e->closing) != CWT_OPEN;
}

/*
 * Starts the end of @e: no command is admitted any more, and all else happens by itself. Does not
 * wait. -EALREADY: it ends already. Under cwt_admin.
 */
int cwt_export_begin_end(struct cwt_export *e, enum cwt_closing how);
/*
 * Waits until @e is gone, for a bounded time, and ends its sessions when that takes too long. True
 * when all that clients wrote was flushed. Otherwise @text (CWT_TEXT bytes) says what happened; if
 * @e is not even gone, the module is pinned until it is. Process context, without cwt_admin.
 */
bool cwt_export_await_end(struct cwt_export *e, char *text);
#define CWT_TEXT 256

/* Queued when the last command is gone. */
void cwt_export_end_work(struct work_struct *work);

/*
 * Ends all exports at once, with CW_NOTICE_STOPPING; true when everything acknowledged was flushed.
 * @report is called for each export that was not flushed in time. Waits like
 * cwt_export_await_end(), once for all of them. -EBUSY in @ret: another stop runs.
 */
bool cwt_stop_all(void (*report)(void *arg, const char *name, const char *text), void *arg,
		  int *ret);
/* Whether a stop runs, and no export may be added. Under cwt_admin. */
bool cwt_is_stopping(void);
/* Module exit: waits until no export is left, however long that takes. */
void cwt_await_all(void);

/* ---- disks whose last flush failed: loss.c; process context ---- */

/* The flush of @e failed: its disk has another instance from now on. */
void cwt_loss_add(struct cwt_export *e);
/* Makes the server's @instance that of @e. */
void cwt_loss_mask(const struct cwt_export *e, u8 instance[CW_WIRE_UUID]);
bool cwt_loss_any(void);
/* The server has a new instance, or ends. */
void cwt_loss_forget(void);

/* ---- links: worker.c ---- */

struct cwt_command;
struct cwt_share;

struct cwt_waiter {
	struct list_head entry; /* under cwt_bulk_lock */
	struct cwt_link *tl;
};

struct cwt_link {
	struct cw_link *link; /* valid while a command is held, or in its callbacks */
	struct cwt_export *export; /* held by the session */
	struct kref refs; /* link, queued work, transfers */

	u32 slots;
	unsigned long *busy; /* a bit for each slot */
	struct cwt_command *commands;

	struct llist_head queue; /* commands for the worker */
	struct work_struct work;
	spinlock_t park_lock; /* irqsave: commands are parked from bi_end_io */
	struct list_head parked; /* commands that wait for something to send or transfer with */
	atomic_t kicks; /* times that something became free */

	atomic_t transfers; /* running */
	int transfers_max;
	struct cwt_share *share; /* of its client */
	struct cwt_waiter for_share, for_budget; /* on a list: parked commands wait for it */

	spinlock_t stat_lock; /* irqsave: errors and latencies in link->stats */
	struct work_struct release;
};

int cwt_link_init(struct cw_link *link, void *export);
void cwt_link_exit(struct cw_link *link);
u32 cwt_link_commands(const struct cw_link *link);
void cwt_link_room(struct cw_link *link);
/*
 * Something that a parked command may wait for became free. Any context; the caller holds @tl in
 * some way.
 */
void cwt_link_kick(struct cwt_link *tl);
void cwt_link_get(struct cwt_link *tl);
void cwt_link_put(struct cwt_link *tl);
/*
 * Gives @c to the worker of its link. Any context. @c, and all it hangs on, may be gone on return.
 */
void cwt_link_queue(struct cwt_command *c);
/*
 * Keeps @c until something becomes free. @kicks was read before the failed attempt. Any context; @c
 * may be gone on return.
 */
void cwt_link_park(struct cwt_command *c, int kicks);
static inline int cwt_link_kicks(const struct cwt_link *tl)
{
	return atomic_read_acquire(&tl->kicks);
}

/* ---- commands: command.c, answer.c ---- */

enum cwt_stage {
	CWT_START, /* nothing was done yet */
	CWT_SUBMIT, /* its memory is ready: to the backend */
	CWT_ANSWER, /* status is known */
};

/*
 * One slot of a link. Its bit in busy is set from the reception of a command until just before the
 * answer goes out; whoever set it, or was handed the command since, owns everything in here.
 */
struct cwt_command {
	struct cwt_link *tl;
	struct cw_cmd cmd;
	u8 stage; /* enum cwt_stage */
	u8 status; /* enum cw_wire_status */
	bool admitted; /* holds export->running */
	bool fua;
	bool counted; /* as one that waits for its client's share of memory */
	u64 started; /* ns */

	struct cw_message *msg; /* inline data of a write or discard */
	struct cw_page *pages; /* where an inline read goes, or a write was taken to */
	struct cwt_transfer *transfer; /* memory of a bulk command */

	/* The memory of a read or write: all of it together has cmd.len bytes. */
	struct bio_vec *vecs;
	u16 nvecs;
	struct bio_vec inline_vecs[CW_INLINE_PAGES];
	u32 moved; /* bytes of it that are done, where a backend does parts */

	union {
		struct llist_node queued;
		struct list_head parked;
	};
	/* The backend's while it has the command. */
	union {
		struct bio bio;
		struct kiocb iocb;
		struct work_struct slow;
	};
} ____cacheline_aligned_in_smp;

/* Nobody waits for @c any more: long work on it ends early. */
static inline bool cwt_command_is_over(const struct cwt_command *c)
{
	return cw_link_is_dead(c->tl->link);
}

int cwt_message(struct cw_link *link, struct cw_message *msg);
/* The worker goes on with @c. */
void cwt_command_run(struct cwt_command *c);
/* The backend is done with @c. Any context. @c may be gone on return. */
void cwt_command_done(struct cwt_command *c, u8 status);
/* Answers @c, whose status is known, or parks it. Any context. @c may be gone on return. */
void cwt_command_answer(struct cwt_command *c);
/*
 * Frees what @c has, and gives its slot back without an answer. Any context; the worker when @c has
 * a bulk. @c is gone on return.
 */
void cwt_command_drop(struct cwt_command *c);
/* @c, which has its memory, goes to the backend. */
void cwt_command_submit(struct cwt_command *c);
u8 cwt_status(int err);

/* ---- bulk memory: transfer.c ---- */

struct cwt_transfer {
	struct cwt_link *tl;
	struct cwt_command *command; /* while it is being fetched */
	struct cw_bulk *bulk; /* ours: neither fetched nor sent */
	u32 shared; /* bytes of the client's share */
	u32 budgeted; /* bytes of the global budget */
	bool counted; /* in tl->transfers */
	bool lent; /* pages are the backend's */
	bool spare; /* the export's reserve */
	u16 nvecs, room;
	struct bio_vec *vecs;
	struct rcu_head rcu;
	struct scatterlist sgl[];
};

/* Gets memory for bulk command @c and goes on with it, or parks it. The worker. */
void cwt_transfer_start(struct cwt_command *c);
/*
 * Memory for @len bytes without a bulk, for data that lies where no device can read it. NULL: none.
 * The worker.
 */
struct cwt_transfer *cwt_transfer_bounce(struct cwt_link *tl, const void *data, u32 len);
/* Any context; the bulk is gone before. */
void cwt_transfer_free(struct cwt_transfer *t);

/* ---- bounds of that memory: bulk_memory.c ---- */

/* The share of the client at the other end of @link. NULL: no memory. Process context, both. */
struct cwt_share *cwt_share_get(struct cw_link *link);
void cwt_share_put(struct cwt_share *share);

/* Where the memory of a command comes from. */
enum cwt_room {
	CWT_ROOM_IN_BUDGET, /* counted in the share and in the budget, and yet to be allocated */
	CWT_ROOM_IN_RESERVE, /* counted in the share */
	CWT_ROOM_NOT_IN_SHARE, /* @tl will be kicked when its client has given back a part */
	CWT_ROOM_NONE, /* @tl will be kicked when anybody has */
};

/*
 * Room for a command of @len bytes, at most CWT_IO_MAX. The reserve of the export serves a client
 * that has no other transfer; it is @reserve then, as a transfer of @tl. Any context, all of these.
 */
enum cwt_room cwt_bulk_take(struct cwt_link *tl, u32 len, struct cwt_transfer **reserve);
/*
 * There was room in the budget, but no memory: gives it back. The reserve of the export, as from
 * cwt_bulk_take(), or NULL.
 */
struct cwt_transfer *cwt_bulk_swap(struct cwt_link *tl, u32 len);
/* Gives back what @t has of the reserve, the budget and the share. @t may be gone then. */
void cwt_bulk_give(struct cwt_transfer *t);
/* Takes @tl off all lists of waiters. */
void cwt_bulk_forget(struct cwt_link *tl);

/* 0 or -ENOMEM; makes e->reserve. Process context, both. */
int cwt_reserve_make(struct cwt_export *e);
void cwt_reserve_free(struct cwt_export *e);
void cwt_bulk_init(void);

/* ---- the rest ---- */

extern struct workqueue_struct *cwt_wq; /* links: one work each */
extern struct workqueue_struct *cwt_slow_wq; /* releases, and the size watch: no work that hangs */
extern struct mutex cwt_admin; /* one administrator at a time; not held during ends */
extern const struct cw_server_ops cwt_server_ops;

int cwt_control_register(void);
void cwt_control_unregister(void);
void cwt_size_watch_start(void);
void cwt_size_watch_stop(void);

#endif
