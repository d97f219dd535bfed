/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An attached disk: a blk-mq device over a session.
 */
#ifndef CW_DISK_H
#define CW_DISK_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "../core/session/client/session.h"
#include "causeway_limits.h"

#define CW_INLINE_SEGMENTS 2 /* of the scatterlist inside a request */

/* The request's private part. */
struct cw_request {
	struct cw_link *link;
	struct cw_map map;
	struct sg_table table;
	unsigned long state; /* bit CW_REQUEST_PENDING: sent or gathered, and unanswered */
	u32 number; /* of the message it is in, among those with records */
	bool carries_dirt; /* flush: what was unflushed when it was sent hangs on it */
	u8 op;
	u8 status; /* enum cw_wire_status of the answer */
	u64 start; /* ns */
	unsigned long unmappable_since; /* jiffies; valid with RQF_DONTPREP */
	struct scatterlist first[];
};

enum { CW_REQUEST_PENDING };

/* Why a request may not simply go to the server: bits of cw_disk.gates. */
enum {
	/* I/O fails: past the I/O timeout, another disk, revoked, or detached */
	CW_GATE_FAILING = 1,
	CW_GATE_NO_PATH = 2, /* what must fail fast fails, all else is held here */
	CW_GATE_LOSS = 4, /* acknowledged writes were lost: no flush may succeed */
	CW_GATE_STABLE = 8, /* the block layer does not flush this disk yet: every write is FUA */
};

/* What the block layer was given of a geometry that may change. */
struct cw_applied {
	struct causeway_limits limits;
	bool read_only;
	u64 size;
};

struct cw_disk {
	struct list_head entry; /* of cw_disks */
	struct cw_session *session;
	int number;
	char name[DISK_NAME_LEN]; /* empty before there is a device */
	struct gendisk *gendisk;
	struct blk_mq_tag_set tags;
	struct work_struct add; /* makes the device after the first login */
	struct completion added; /* it was tried */
	int add_error;
	bool removing; /* under cw_disks_lock */

	struct mutex lock; /* the following, against session and removal */
	bool device_added; /* and not deleted yet */
	bool deleted; /* del_gendisk() is behind us: the queue takes no more orders */
	bool quiesced;
	bool closing; /* I/O is not held any more */
	unsigned long stopped_at; /* jiffies: when the last path died */
	struct delayed_work patience; /* hold.c: ends the holding of some I/O, then of all */
	/* Read in the data path without the lock. */
	bool live;
	u32 gates; /* written under held_lock too; 0 when the disk is well */
	struct cw_geometry geo;

	spinlock_t held_lock; /* irqsave */
	struct list_head held; /* requests that wait here, by queuelist; under held_lock */

	struct work_struct apply; /* limits.c */
	struct cw_applied applied; /* of that work, after the device was made */

	/* Unflushed writes: set by answers, taken by flushes. */
	unsigned long dirt; /* bit 0 */
};

extern struct list_head cw_disks;
extern struct mutex cw_disks_lock;
extern struct workqueue_struct *cw_disk_wq; /* its works may wait for I/O */
extern struct workqueue_struct *cw_hold_wq; /* ends I/O, so it needs no memory to go on */

/* disk.c */
extern const struct cw_client_ops cw_disk_client_ops;
struct cw_disk *cw_disk_create(void);
/* Frees one that never had a session. */
void cw_disk_discard(struct cw_disk *disk);
/*
 * Takes the device away and ends the session; frees @disk when its last user closes. @force: does
 * not wait long for the server. True: the server may keep the disk for this host.
 */
bool cw_disk_remove(struct cw_disk *disk, bool force);
/* The loss is known: flushes pass again. */
void cw_disk_acknowledge(struct cw_disk *disk);
int cw_disk_init(void);
void cw_disk_exit(void);
struct cw_disk *cw_disk_of(struct cw_session *s);

/* hold.c; cw_disk.lock is held, but for cw_hold_init(), cw_hold_passes() and cw_hold_end() */
void cw_hold_init(struct cw_disk *disk);
/* No path: the queue stops. On return nothing of it runs in queue_rq(). Sleeps. */
void cw_hold_stop(struct cw_disk *disk);
/* A path is there: what was held goes to it. */
void cw_hold_go(struct cw_disk *disk);
/* I/O fails from now on, that which is held too. */
void cw_hold_fail(struct cw_disk *disk);
/* Requests were given back for another try: those that nothing holds get it. */
void cw_hold_taken_back(struct cw_disk *disk);
void cw_hold_loss(struct cw_disk *disk, bool lost);
void cw_hold_stable(struct cw_disk *disk, bool stable);
/*
 * Whether @rq may go to the server although a gate was seen. Otherwise *@status is for blk-mq:
 * BLK_STS_OK when the request is held. Any context.
 */
bool cw_hold_passes(struct cw_disk *disk, struct request *rq, blk_status_t *status);
/* Whether there is a queue to stop and to start. */
bool cw_hold_has_queue(const struct cw_disk *disk);
/* Whether requests wait for a path; true if the queue is stopped and they cannot be seen. */
bool cw_hold_waits(const struct cw_disk *disk);
/* The end of the work. Sleeps; cw_disk.lock is not held. */
void cw_hold_end(struct cw_disk *disk);

/* limits.c */
void cw_limits_init(struct cw_disk *disk);
/* For a disk that nobody else knows yet. Sleeps. */
void cw_limits_make(struct cw_disk *disk);
/* The geometry is another one: a work gives it to the block layer. cw_disk.lock is held. */
void cw_limits_changed(struct cw_disk *disk);
/* Waits for that work, and with it for whoever has the queue's limits. cw_disk.lock is not held. */
void cw_limits_end(struct cw_disk *disk);

/* answer.c */
int cw_disk_message(struct cw_link *link, struct cw_message *msg);

/* request.c */
extern const struct blk_mq_ops cw_disk_mq_ops;
unsigned int cw_request_size(void);
void cw_disk_room(struct cw_link *link);
/* Takes back every unanswered request, to be sent again. The links are drained. */
void cw_disk_take_back(struct cw_disk *disk);

/* control.c */
int cw_disk_control_init(void);
void cw_disk_control_exit(void);

static inline unsigned int cw_disk_inline_size(const struct cw_disk *disk)
{
	return disk->session->first_welcome.inline_size;
}

/* Acknowledged writes were lost, and nobody has said that they know. */
static inline bool cw_disk_has_loss(const struct cw_disk *disk)
{
	return READ_ONCE(disk->gates) & CW_GATE_LOSS;
}

#endif
