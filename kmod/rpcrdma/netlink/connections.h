/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What "causeway net" is told of NFS connections, the client's and the server's (CW_C_NFS_GET).
 *
 * A transport embeds a struct cwr_connection in its own object, adds it once, and tells of its life
 * by cwr_connection_state() and cwr_connection_failed_with(); nothing else in the module needs to
 * know netlink. Between add and remove the dumps see it. Events (nfs-up, nfs-down,
 * nfs-attempt-failed) come out of the changes of state.
 *
 * Counters are per CPU and go up by cwr_count() alone, in any context and without a lock. The
 * fields that the owner writes are written under the lock (irqsave); CWR_CONNECTED is said by
 * cwr_connection_state() after it, so that the event comes.
 */
#ifndef CWR_CONNECTIONS_H
#define CWR_CONNECTIONS_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../../../include/uapi/causeway.h"

enum cwr_role { CWR_ROLE_CLIENT, CWR_ROLE_SERVER };

enum cwr_state {
	CWR_IDLE, /* nothing was asked for yet, or it was idle for long */
	CWR_CONNECTING,
	CWR_CONNECTED,
	CWR_BROKEN, /* client: connects again when it is asked to */
};

/* Of the client, behind those that netlink tells: for mountstats, as the kernel's own transport. */
enum cwr_own_counter {
	CWR_READ_SEGMENTS = __CW_NFS_MAX, /* that the server may read */
	CWR_WRITE_SEGMENTS, /* that it may write data to */
	CWR_REPLY_SEGMENTS, /* that it may write a whole reply to */
	CWR_OFFERED_BYTES, /* of the latter two */
	CWR_WRITTEN_BYTES, /* by the server */
	CWR_PULLUP_BYTES, /* copied to be sent */
	CWR_FIXUP_BYTES, /* copied from where they were received */
	CWR_HARDWAY_BYTES, /* of buffers that were allocated anew since a call was large */
	CWR_FAILED_MARSHALS,
	CWR_REGIONS_ALLOCATED,
	__CWR_COUNTERS,
};

struct cwr_counters {
	u64 n[__CWR_COUNTERS];
};

/* One of several queue pairs: where it is, and how. */
struct cwr_rail {
	enum cwr_state state;
	struct sockaddr_storage local;
	char device[64];
	u8 device_port;
	char reason[64]; /* why it is not connected */
	unsigned long retry_at; /* jiffies: when it is connected again; 0: not planned */
};

struct cwr_connection {
	struct list_head entry;
	u32 id;
	enum cwr_role role;
	struct cwr_counters __percpu *counters;
	u32 credits; /* WRITE_ONCE(): granted last */
	atomic_t calls; /* under way */

	spinlock_t lock; /* irqsave; guards the rest */
	enum cwr_state state;
	struct sockaddr_storage peer;

	/* The owner writes these before it says CWR_CONNECTED. */
	struct sockaddr_storage local;
	char device[64];
	u8 device_port;
	u32 inline_send; /* bytes, as negotiated */
	u32 inline_receive;
	u32 queue_pairs;
	bool remote_invalidate;
	bool backchannel;
	char server[64]; /* client: what the mount calls it */

	/* Kept by the functions below. */
	char reason[96];
	int error; /* negative errno of it, or 0 */
	unsigned long retry_at; /* jiffies; client, CWR_BROKEN: the next attempt */
	ktime_t since; /* when the state began */
	bool was_connected;
	u32 attempts; /* since it last was connected */
	u32 reconnects;
	unsigned int nr_rails; /* 0: one queue pair, as above */
	struct cwr_rail rails[CW_NFS_SOURCES];
	unsigned long events; /* bits that tell_work has to tell of */
	struct work_struct tell_work;
};

/*
 * Dumps see it from here on; state CWR_IDLE. @peer is copied and may be NULL where it is not known
 * yet; what the owner wrote before stays. Where there is no memory for counters they stay 0.
 * Process context, may sleep.
 */
void cwr_connection_add(struct cwr_connection *c, enum cwr_role role, const struct sockaddr *peer);
/*
 * Dumps no longer see it, no event comes any more, the counters are freed: nothing may count now.
 * May sleep. On one that is zeroed, or twice, it does nothing.
 */
void cwr_connection_remove(struct cwr_connection *c);

/* Any context. */
void cwr_connection_state(struct cwr_connection *c, enum cwr_state state);
/*
 * Why an attempt failed or a connection ended, for people; told before the state. @error is a
 * negative errno or 0. Any context.
 */
void cwr_connection_failed_with(struct cwr_connection *c, int error, const char *reason);
/* The next attempt is made in @delay jiffies. Any context. */
void cwr_connection_retry(struct cwr_connection *c, unsigned long delay);

/* The state of queue pair @index of @count (at most CW_NFS_SOURCES); copies @rail. Any context. */
void cwr_connection_rail(struct cwr_connection *c, unsigned int index, unsigned int count,
			 const struct cwr_rail *rail);

/* Adds @by to @counter (enum cw_nfs_counter, cwr_own_counter) of an added one. Any context. */
static inline void cwr_count(struct cwr_connection *c, unsigned int counter, u64 by)
{
	if (likely(c->counters))
		this_cpu_add(c->counters->n[counter], by);
}

/* ---- for handlers.c ---- */

/* Calls @tell for the connections from number @from on, until it returns non-zero; gives that. */
int cwr_connections_each(long *from, int (*tell)(void *arg, struct cwr_connection *c), void *arg);
void cwr_connection_sum(const struct cwr_connection *c, struct cwr_counters *out);

#endif
