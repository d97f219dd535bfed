/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * causeway_target: exports, and the commands that clients send to them.
 *
 * The table holds an export from cwt_export_publish() until its end is over (shutdown.c); sessions
 * of the core hold references. Its backend stays open until the last command and the last session
 * are gone. A cwt_link is the part of a data link that knows commands: a slot for each command that
 * the client may have outstanding, and the worker that runs them. A cwt_transfer is the memory of
 * one command with a transfer. It can outlive the command; then the message that carries the data
 * owns it.
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
#include <linux/rwsem.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>

#include "../core/link/completion.h"
#include "../core/session/server/server.h"
#include "access.h"
#include "shutdown.h"
#include "transfer.h"
#include "worker.h"

struct netlink_ext_ack;
struct cwt_backend;

#define CWT_PATH_MAX 1024 /* with the NUL; must fit CW_REPLY_SIZE */
#define CWT_FOLDER_MAX 512 /* with the NUL; must fit CW_REPLY_SIZE */
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

struct cwt_export {
	struct list_head entry; /* in the table, under its lock */
	struct kref refs;
	u32 id; /* increases; the table is sorted by it */

	/* The configuration; constant. */
	char name[CW_WIRE_NAME];
	u8 kind; /* enum cw_backend */
	bool read_only; /* opened for reading, without owners */
	bool opened_for_reading; /* has owners, and its disk could not be written at the start */
	bool exclusive, write_through;
	char *path; /* of a device or file */
	u64 size; /* of memory, in bytes */
	u8 identity[CW_WIRE_UUID];
	u8 ledger[CW_WIRE_UUID]; /* UUID of the ledger in ledger_folder */
	char *ledger_folder; /* NULL: the ledger is in memory */

	/* Written under cwt_admin and access_lock, so read under one of them. */
	struct cwt_access access;
	struct rw_semaphore access_lock;
	u32 takeover_after; /* seconds; under cwt_admin, and the core has a copy */

	struct cw_server_export *core; /* the core's part of the export; NULL until it is opened */
	const struct cwt_backend *backend;
	void *disk; /* private to the backend */
	struct file *device; /* of backend_device.c: the open file of @disk */
	u32 align; /* bits that must be zero in addresses of memory for its I/O */
	struct mutex lock; /* guards open, refuses_writes and writes of geometry */
	bool open;
	bool refuses_writes; /* can be written, but an administrator has made it read-only */
	struct cwt_geometry __rcu *geometry;

	struct percpu_ref running; /* one reference for each command from admission to completion */
	/* for its commands that wait in the backend, and for its end */
	struct workqueue_struct *wq;
	/* memory of one transfer; NULL while in use; under cwt_memory_lock */
	struct cwt_transfer *reserve;

	enum cwt_closing closing; /* written under cwt_admin */
	unsigned long closing_since; /* jiffies */
	struct work_struct end; /* queued when no command is left */
	struct list_head stopping; /* in the list of cwt_stop_all() */
	bool flushed; /* the final flush succeeded; valid once gone is complete */
	bool final_notice; /* the final notice is being sent or was sent */
	spinlock_t end_lock; /* guards over and pinned */
	bool over; /* the end has finished: only this struct is left */
	bool pinned; /* holds a reference to the module until it is over */
	struct completion gone; /* completed when over is set */
	struct work_struct release;
};

/**
 * cwt_export_alloc() - allocates an export that is not in the table
 *
 * Context: Process context. May sleep.
 * Return: the export with one reference, or NULL.
 */
struct cwt_export *cwt_export_alloc(void);
/**
 * cwt_export_get() - takes a reference to an export
 * @e: the export; its reference count is not 0
 *
 * Context: Any context.
 */
void cwt_export_get(struct cwt_export *e);
/**
 * cwt_export_put() - releases a reference to an export
 * @e: the export; the last reference queues the work that frees it
 *
 * Context: Any context.
 */
void cwt_export_put(struct cwt_export *e);
/**
 * cwt_export_await_freed() - waits until all exports are freed, at module exit
 *
 * Context: Process context. Sleeps.
 */
void cwt_export_await_freed(void);

/**
 * cwt_export_open() - opens the backend of an export
 * @e: the export, with its configuration
 * @extack: for a refusal
 *
 * Context: Process context. May sleep. cwt_admin is held, as for every change of the set of
 * exports.
 * Return: 0 or -errno.
 */
int cwt_export_open(struct cwt_export *e, struct netlink_ext_ack *extack);
/**
 * cwt_export_only_reads() - checks whether the backend of an export is opened for reading only
 * @e: the export
 *
 * Context: Any context.
 * Return: true if so.
 */
static inline bool cwt_export_only_reads(const struct cwt_export *e)
{
	return e->read_only || e->opened_for_reading;
}

/**
 * cwt_export_close() - closes the backend of an export
 * @e: the export
 *
 * No command and no session is left.
 * Context: Process context. Sleeps. Takes e->lock.
 */
void cwt_export_close(struct cwt_export *e);
/**
 * cwt_export_publish() - puts an export into the table
 * @e: the export; the table takes over the caller's reference
 *
 * Context: Process context. May sleep. cwt_admin is held. Takes the mutex of the table.
 */
void cwt_export_publish(struct cwt_export *e);
/**
 * cwt_export_unlist() - takes an export out of the table
 * @e: the export; the table's reference passes to the caller
 *
 * Context: Process context. May sleep. Takes the mutex of the table.
 */
void cwt_export_unlist(struct cwt_export *e);
/**
 * cwt_export_refresh() - reads the geometry of the backend and publishes a change
 * @e: the export
 * @geo: set to the geometry of the backend
 *
 * Context: Process context. May sleep. e->lock is held.
 * Return: true if @geo differed from the published geometry and is published now.
 */
bool cwt_export_refresh(struct cwt_export *e, struct cw_geometry *geo);

/**
 * cwt_export_announce() - publishes a change of the geometry of an export, and notifies its clients
 * @e: the export
 *
 * Context: Process context. May sleep. e->lock is held.
 */
void cwt_export_announce(struct cwt_export *e);

/**
 * cwt_export_find() - finds an export by name, ending or not
 * @name: its name
 *
 * Context: Process context. May sleep. Takes the mutex of the table.
 * Return: the export with a reference, or NULL.
 */
struct cwt_export *cwt_export_find(const char *name);
/**
 * cwt_export_after() - finds the export with the lowest id above another one
 * @id: the other one's id; 0 for the first export
 *
 * Context: Process context. May sleep. Takes the mutex of the table.
 * Return: the export with a reference, or NULL.
 */
struct cwt_export *cwt_export_after(u32 id);
/**
 * cwt_export_geometry() - copies the published geometry of an export
 * @e: an export that was opened
 * @geo: set
 *
 * Context: Any context. Takes no lock, but reads under RCU.
 */
void cwt_export_geometry(struct cwt_export *e, struct cw_geometry *geo);

/* ---- ends of exports: shutdown.h ---- */

/**
 * cwt_export_is_ending() - checks whether the end of an export has begun
 * @e: the export
 *
 * Logins do not find the export then.
 * Context: Any context.
 * Return: true if it has.
 */
static inline bool cwt_export_is_ending(const struct cwt_export *e)
{
	return READ_ONCE(e->closing) != CWT_OPEN;
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
	/* in the limit counter, as a command that waits for memory of commands with a transfer */
	bool counted;
	u64 started; /* ns */

	struct cw_message *msg; /* the receive with the inline data of a write or discard */
	/* destination of an inline read, or copy of inline data of a write */
	struct cw_page *pages;
	struct cwt_transfer *transfer; /* memory of a transfer, or aligned copy of inline data */

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

/**
 * cwt_command_is_over() - checks whether the client does not wait for a command any more
 * @c: the command
 *
 * Long operations end early then.
 * Context: Any context.
 * Return: true if the link is dead.
 */
static inline bool cwt_command_is_over(const struct cwt_command *c)
{
	return cw_link_is_dead(c->tl->link);
}

/**
 * cwt_message() - handles a message of commands; cw_link_handler.message of data links
 * @link: a data link
 * @msg: the message; its reference is taken over
 *
 * Context: Softirq or a poll, one at a time for a link.
 * Return: 0; -EPROTO ends the link.
 */
int cwt_message(struct cw_link *link, struct cw_message *msg);
/**
 * cwt_command_run() - continues a command at its stage
 * @c: the command; it may be gone on return
 *
 * Context: The worker of the link. Softirq too if the backend is atomic.
 */
void cwt_command_run(struct cwt_command *c);
/**
 * cwt_command_done() - ends a command in the backend and sends its completion
 * @c: the command; it may be gone on return
 * @status: enum cw_wire_status
 *
 * Context: Any context.
 */
void cwt_command_done(struct cwt_command *c, u8 status);
/**
 * cwt_command_answer() - sends the completion of a command, or parks the command
 * @c: a command whose status is set; it may be gone on return
 *
 * Context: Any context. The worker of the link if @c is an unsuccessful command with a transfer.
 */
void cwt_command_answer(struct cwt_command *c);
/**
 * cwt_command_drop() - frees a command and its slot without a completion
 * @c: the command; it is gone on return
 *
 * Context: Any context. The worker of the link if @c has a transfer.
 */
void cwt_command_drop(struct cwt_command *c);
/**
 * cwt_command_submit() - passes a command, which has its memory, to the backend
 * @c: the command; it may be gone on return
 *
 * Context: The worker of the link. Softirq too if the backend is atomic.
 */
void cwt_command_submit(struct cwt_command *c);
/**
 * cwt_status() - turns an error number into a status of the protocol
 * @err: 0 or -errno
 *
 * Context: Any context.
 * Return: enum cw_wire_status; CW_STATUS_IO for an error that has no status of its own.
 */
u8 cwt_status(int err);

/* ---- module-wide objects ---- */

extern struct workqueue_struct *cwt_wq; /* one work for each link */
/* frees links and exports, watches sizes; for works that do not hang */
extern struct workqueue_struct *cwt_slow_wq;
extern struct mutex cwt_admin; /* serialises changes by administrators; not held during ends */
extern const struct cw_server_ops cwt_server_ops;

/**
 * cwt_control_register() - registers the netlink commands of exports and the server
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cwt_control_register(void);
/**
 * cwt_control_unregister() - unregisters the netlink commands; on return none of them runs
 *
 * Context: Process context. May sleep.
 */
void cwt_control_unregister(void);
/**
 * cwt_size_watch_start() - starts the watch of the sizes of exports, unless it runs
 *
 * The watch ends when it finds no export.
 * Context: Any context.
 */
void cwt_size_watch_start(void);
/**
 * cwt_size_watch_stop() - stops the watch of the sizes, at module exit
 *
 * Context: Process context. Sleeps.
 */
void cwt_size_watch_stop(void);

#endif
