/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An attached disk: a blk-mq device over a session, and the functions that the files of this module
 * share.
 */
#ifndef CW_DISK_H
#define CW_DISK_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "../core/session/client/path.h"
#include "gates.h"
#include "path_choice.h"

/* scatterlist entries inside a request; longer lists come from a mempool */
#define CW_INLINE_SEGMENTS 2

/* The private part of a request, behind struct request. */
struct cw_request {
	struct cw_map map;
	struct sg_table table;
	/* flush: it cleared cw_disk.dirt, which is set again if the flush fails */
	bool carries_dirt;
	u8 op;
	u8 status; /* enum cw_wire_status of the completion */
	struct cw_path *path; /* of the link to which the command was given */
	u64 start; /* ns; when that was */
	u32 load; /* added to cw_hctx.sent of that path; 0: not counted */
	u32 queued; /* the load of the path then, with this command */
	unsigned long unmappable_since; /* jiffies; valid while RQF_DONTPREP is set */
	struct scatterlist first[];
};

/* Those limits of a queue that may change with the geometry. */
struct cw_disk_limits {
	blk_features_t features; /* the write cache and FUA */
	unsigned int discard_sectors, discard_segments;
	unsigned int discard_granularity; /* bytes */
	unsigned int write_zeroes_sectors;
};

/* The part of a changeable geometry that the block layer has been given. */
struct cw_applied {
	struct cw_disk_limits limits;
	bool read_only;
	u64 size;
};

/* The answers that a hardware queue had on a path: see path_choice.h for the units. */
struct cw_answered {
	u32 load; /* of the commands that were answered; wraps. Written in the receive context */
	/* Written in the receive context, and by who sends a command while none is unanswered. */
	u32 mean; /* of the times that reads and writes took, see path_choice.h; 0: unknown */
	u32 at; /* the last answer, or the first of the unanswered commands */
} ____cacheline_aligned_in_smp;

/* The private part of a hardware queue. */
struct cw_hctx {
	/*
	 * Number of the path that takes its commands. Written in any context. The path may have
	 * been stopped meanwhile: see cw_paths_of().
	 */
	u8 number;
	bool choose; /* a message was sent: the next one may go by another path. Any context */
	/* By number of the path, for the policy auto. */
	atomic_t sent[CW_WIRE_PATHS]; /* load of the commands that were sent; wraps */
	struct cw_answered answered[CW_WIRE_PATHS];
};

struct cw_disk {
	struct list_head entry; /* in cw_disks, under cw_disks_lock */
	struct cw_session *session;
	int number;
	char name[DISK_NAME_LEN]; /* empty until the block device exists */
	struct gendisk *gendisk;
	struct blk_mq_tag_set tags;
	struct work_struct add; /* makes the block device after the first login */
	/* the work has tried to make the device, or found the disk closing */
	struct completion added;
	int add_error;
	bool removing; /* under cw_disks_lock; attach or detach owns the disk */

	/* guards the fields up to apply; serialises the session's ops with the removal */
	struct mutex lock;
	bool device_added; /* device_add_disk() succeeded; the block device was made */
	bool deleted; /* del_gendisk() has returned: the queue takes no more requests */
	bool quiesced;
	/* the disk is being removed: I/O waits for no path any more. Any context reads it */
	bool closing;
	/* By number: paths that may take commands. Written under the lock of the gates too. */
	struct cw_path __rcu *usable[CW_WIRE_PATHS];
	/*
	 * As usable: ns; when each connection became usable. 0: it never was, or its requests were
	 * taken back.
	 */
	u64 up_at[CW_WIRE_PATHS];
	/*
	 * One of them, NULL: none. Under the policy single, the one that takes all commands. Any
	 * context compares it.
	 */
	struct cw_path *path;
	u8 policy; /* enum cw_path_policy. Written before the session starts, or under lock */
	u8 spread; /* the policy while queues change their path; otherwise 0. Any context */
	/* spread was not 0 at some time: several links of a queue may gather. Any context */
	bool has_spread;
	struct cw_hctx *hctx; /* nr_hctx of them; NULL: no device */
	unsigned int nr_hctx;
	unsigned long stopped_at; /* jiffies: when the last path was lost */
	/* hold.c: ends the holding of fail-fast requests, then of all */
	struct delayed_work patience;
	bool overdue; /* a command had no answer in time, and the disk is closing. Any context */
	/* Written under the lock; the data path reads the next fields without it. */
	struct cw_gates gates; /* written under its own lock too */
	struct cw_geometry geo;

	struct work_struct apply; /* limits.c: gives a changed geometry to the block layer */
	struct cw_applied applied; /* written by that work only, once the device exists */

	/* Bit 0: acknowledged writes are not flushed. Set by completions, cleared by flushes. */
	unsigned long dirt;
};

extern struct list_head cw_disks;
extern struct mutex cw_disks_lock;
extern struct workqueue_struct *cw_disk_wq; /* for works that may wait for I/O */
/* for works that end I/O; has a rescuer, so it runs without free memory */
extern struct workqueue_struct *cw_hold_wq;

/* disk.c */
extern const struct cw_client_ops cw_disk_client_ops;
/**
 * cw_disk_create() - allocates a disk without a session and a device
 *
 * Context: Process context. May sleep.
 * Return: the disk, or NULL.
 */
struct cw_disk *cw_disk_create(void);
/**
 * cw_disk_discard() - frees a disk that never had a session
 * @disk: made by cw_disk_create()
 *
 * Context: Process context.
 */
void cw_disk_discard(struct cw_disk *disk);
/**
 * cw_disk_remove() - deletes the block device and ends the session
 * @disk: the disk; freed when the last user closes the device
 * @force: do not wait long for the server's confirmation
 *
 * Context: Process context. Sleeps. No lock is held. @disk is not in cw_disks any more.
 * Return: true if the server may still keep the disk for this host.
 */
bool cw_disk_remove(struct cw_disk *disk, bool force);
/**
 * cw_disk_acknowledge() - lets flushes pass again after a loss of acknowledged writes
 * @disk: the disk
 *
 * Context: Process context. May sleep. Takes cw_disk.lock.
 */
void cw_disk_acknowledge(struct cw_disk *disk);
/**
 * cw_disk_init() - makes the module's workqueues
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int cw_disk_init(void);
/**
 * cw_disk_exit() - destroys the module's workqueues; no disk is left
 *
 * Context: Process context. Sleeps.
 */
void cw_disk_exit(void);
/**
 * cw_disk_of() - returns the disk of a session
 * @s: the session
 *
 * Context: Any context.
 * Return: the disk.
 */
struct cw_disk *cw_disk_of(struct cw_session *s);

/* hold.c */

/**
 * cw_hold_init() - initialises the holding of requests of a new disk
 * @disk: the disk
 *
 * Context: Any context. cw_disk.lock is not held.
 */
void cw_hold_init(struct cw_disk *disk);
/**
 * cw_hold_stop() - stops the queue because the disk has lost its last path
 * @disk: the disk, which has no path
 *
 * Operations of the block layer that have begun end within an RCU grace period.
 * Context: Process context. cw_disk.lock is held.
 */
void cw_hold_stop(struct cw_disk *disk);
/**
 * cw_hold_go() - starts the queue because the disk has a path; sends what was held
 * @disk: the disk, whose hardware queues have the path
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_hold_go(struct cw_disk *disk);
/**
 * cw_hold_fail() - fails all I/O until cw_hold_go(), including held requests
 * @disk: the disk
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_hold_fail(struct cw_disk *disk);
/**
 * cw_hold_force() - fails requests that wait for a fence, from now on: for a forced detach
 * @disk: the disk
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_hold_force(struct cw_disk *disk);
/**
 * cw_hold_force_later() - does what cw_hold_force() does in a work, soon
 * @disk: a disk that is being removed
 *
 * Context: Any context.
 */
void cw_hold_force_later(struct cw_disk *disk);
/**
 * cw_hold_fenced() - sends the unfenced requests of a path again
 * @disk: the disk
 * @path: number of the path
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_hold_fenced(struct cw_disk *disk, u8 path);
/**
 * cw_hold_taken_back() - runs the queue for requests that were given back to blk-mq
 * @disk: the disk
 *
 * Only if the disk has a path, or a gate judges requests without one. Otherwise the queue is
 * stopped and keeps them.
 * Context: Process context. cw_disk.lock is held.
 */
void cw_hold_taken_back(struct cw_disk *disk);
/**
 * cw_hold_timeouts_changed() - measures the timeouts of the session's configuration again
 * @disk: the disk
 *
 * I/O that fails already fails until the disk has a path.
 *
 * Context: Process context. disk->lock is held.
 */
void cw_hold_timeouts_changed(struct cw_disk *disk);
/**
 * cw_hold_loss() - sets or removes the gate LOSS, behind which flushes and FUA writes fail
 * @disk: the disk
 * @lost: acknowledged writes were lost
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_hold_loss(struct cw_disk *disk, bool lost);
/**
 * cw_hold_stable() - sets or removes the gate STABLE, behind which every write is a FUA write
 * @disk: the disk
 * @stable: the block layer does not flush the disk yet
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_hold_stable(struct cw_disk *disk, bool stable);
/**
 * cw_hold_passes() - judges a request while a gate is set
 * @disk: the disk
 * @rq: the request
 * @status: set if the request does not pass; BLK_STS_OK means that the request is held
 *
 * Context: Any context. Takes the lock of the gates.
 * Return: true if @rq may go to the server.
 */
bool cw_hold_passes(struct cw_disk *disk, struct request *rq, blk_status_t *status);
/**
 * cw_hold_has_queue() - checks whether the disk has a queue that can be stopped and started
 * @disk: the disk
 *
 * Context: Process context. cw_disk.lock is held.
 * Return: true if it has.
 */
bool cw_hold_has_queue(const struct cw_disk *disk);
/**
 * cw_hold_waits() - checks whether requests wait for a path or a fence
 * @disk: the disk
 *
 * Context: Process context. cw_disk.lock is held.
 * Return: true too if the queue is stopped, since its requests cannot be counted then.
 */
bool cw_hold_waits(struct cw_disk *disk);
/**
 * cw_hold_end() - cancels the timer of the holding
 * @disk: the disk
 *
 * Context: Process context. Sleeps. cw_disk.lock is not held.
 */
void cw_hold_end(struct cw_disk *disk);

/* limits.c */

/**
 * cw_limits_init() - initialises the work that gives a changed geometry to the block layer
 * @disk: a new disk
 *
 * Context: Any context.
 */
void cw_limits_init(struct cw_disk *disk);
/**
 * cw_limits_make() - fills in all limits of a queue that is about to be made
 * @disk: a disk without a device
 * @limits: set to the limits
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_limits_make(struct cw_disk *disk, struct queue_limits *limits);
/**
 * cw_limits_made() - sets the size of a new device, and whether it can be written
 * @disk: a disk whose device is not added yet
 *
 * Context: Process context. May sleep. cw_disk.lock is held.
 */
void cw_limits_made(struct cw_disk *disk);
/**
 * cw_limits_changed() - queues the work that gives a changed geometry to the block layer
 * @disk: the disk
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_limits_changed(struct cw_disk *disk);
/**
 * cw_limits_end() - cancels that work and waits for a run of it
 * @disk: the disk
 *
 * A run waits for the holder of the queue's limits.
 * Context: Process context. Sleeps. cw_disk.lock is not held.
 */
void cw_limits_end(struct cw_disk *disk);

/* answer.c */

/**
 * cw_disk_message() - handles a message of completions; cw_link_handler.message of data links
 * @link: a data link
 * @msg: the message
 *
 * Takes over the reference to @msg.
 * Context: Softirq or a poll, one at a time for a link.
 * Return: 0; -EPROTO ends the link.
 */
int cw_disk_message(struct cw_link *link, struct cw_message *msg);

/* request.c */
extern const struct blk_mq_ops cw_disk_mq_ops;
/**
 * cw_request_size() - returns the size of the private part of a request
 *
 * Context: Any context.
 * Return: bytes.
 */
unsigned int cw_request_size(void);
/**
 * cw_disk_room() - runs the queues, because the link has room; cw_link_handler.room of data links
 * @link: a data link
 *
 * Context: Softirq, or any context without a lock of the link.
 */
void cw_disk_room(struct cw_link *link);
/**
 * cw_disk_take_back() - takes back every unanswered request of a path, to be sent again
 * @disk: the disk
 * @path: path of its session whose links are drained and not freed
 *
 * Context: Process context. cw_disk.lock is held.
 * Return: The number of requests.
 */
unsigned int cw_disk_take_back(struct cw_disk *disk, struct cw_path *path);

/* control.c */

/**
 * cw_disk_control_init() - registers the netlink commands of attachments
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_disk_control_init(void);
/**
 * cw_disk_control_exit() - unregisters the netlink commands, and removes all disks
 *
 * The devices have no openers.
 * Context: Process context. Sleeps.
 */
void cw_disk_control_exit(void);

/**
 * cw_disk_inline_size() - returns the most bytes of data that one command can have in a message
 * @disk: a disk whose session has logged in
 *
 * Context: Any context.
 * Return: the bytes that the first login granted.
 */
static inline unsigned int cw_disk_inline_size(const struct cw_disk *disk)
{
	return disk->session->first_welcome.inline_size;
}

/**
 * cw_disk_has_loss() - checks whether acknowledged writes were lost and the loss was not
 * acknowledged
 * @disk: the disk
 *
 * Context: Any context.
 * Return: true if so.
 */
static inline bool cw_disk_has_loss(const struct cw_disk *disk)
{
	return READ_ONCE(disk->gates.set) & CW_GATE_LOSS;
}

#endif
