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

#include "../core/client.h"

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
	struct scatterlist first[];
};

enum { CW_REQUEST_PENDING };

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
	/* Read in the data path without the lock; changed with the queue quiesced. */
	bool live;
	bool failing;
	struct cw_geometry geo;

	/* Unflushed writes: set by answers, taken by flushes. */
	unsigned long dirt; /* bit 0 */
	bool loss; /* acknowledged writes were lost and nobody has said that they know */
};

extern struct list_head cw_disks;
extern struct mutex cw_disks_lock;

/* disk.c */
extern const struct cw_client_ops cw_disk_client_ops;
struct cw_disk *cw_disk_create(void);
/* Frees one that never had a session. */
void cw_disk_discard(struct cw_disk *disk);
/* Takes the device away and ends the session; frees @disk when its last user closes. */
void cw_disk_remove(struct cw_disk *disk);
/* The loss is known: flushes pass again. */
void cw_disk_acknowledge(struct cw_disk *disk);
int cw_disk_init(void);
void cw_disk_exit(void);
struct cw_disk *cw_disk_of(struct cw_session *s);

/* request.c */
extern const struct blk_mq_ops cw_disk_mq_ops;
unsigned int cw_request_size(void);
int cw_disk_message(struct cw_link *link, struct cw_message *msg);
void cw_disk_room(struct cw_link *link);
/* Takes back every unanswered request, to be sent again. The links are drained. */
void cw_disk_take_back(struct cw_disk *disk);

/* control.c */
int cw_disk_control_init(void);
void cw_disk_control_exit(void);

static inline unsigned int cw_disk_inline_size(const struct cw_disk *disk)
{
	return disk->session->welcome.inline_size;
}

#endif
