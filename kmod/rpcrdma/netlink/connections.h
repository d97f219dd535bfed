/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NFS connections as netlink shows them, of client and server (CW_C_NFS_GET).
 *
 * A transport embeds a struct cwr_connection in its own object, adds it once, and reports changes
 * by cwr_connection_state() and cwr_connection_failed_with(). No other part of the module needs to
 * know netlink. Dumps show the connection between add and remove. Changes of the state cause the
 * events nfs-up, nfs-down and nfs-attempt-failed.
 *
 * Counters are per CPU and incremented only by cwr_count(), in any context and without a lock. The
 * owner writes its fields under the lock (irqsave), and then calls cwr_connection_state() with
 * CWR_CONNECTED, so that the event is sent.
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
	CWR_IDLE, /* not requested yet, or closed without an error, as when it was idle */
	CWR_CONNECTING,
	CWR_CONNECTED,
	CWR_BROKEN, /* client: connects again on demand */
};

/* Counters of the client behind those of netlink: for mountstats, as in the in-tree transport. */
enum cwr_own_counter {
	CWR_READ_SEGMENTS = __CW_NFS_MAX, /* that the server may read */
	CWR_WRITE_SEGMENTS, /* that it may write data to */
	CWR_REPLY_SEGMENTS, /* that it may write a whole reply to */
	CWR_OFFERED_BYTES, /* in segments of the latter two kinds */
	CWR_WRITTEN_BYTES, /* by the server */
	CWR_PULLUP_BYTES, /* copied before sending */
	CWR_FIXUP_BYTES, /* copied out of receives */
	CWR_HARDWAY_BYTES, /* of buffers allocated because a call was large */
	CWR_FAILED_MARSHALS,
	CWR_REGIONS_ALLOCATED,
	__CWR_COUNTERS,
};

struct cwr_counters {
	u64 n[__CWR_COUNTERS];
};

/* One of several queue pairs of a connection: its path and state. */
struct cwr_rail {
	enum cwr_state state;
	struct sockaddr_storage local;
	char device[64];
	u8 device_port;
	char reason[64]; /* the reason why it is not connected */
	unsigned long retry_at; /* jiffies of the next attempt; 0: none is planned */
};

struct cwr_connection {
	struct list_head entry;
	u32 id;
	enum cwr_role role;
	struct cwr_counters __percpu *counters;
	u32 credits; /* granted last; by WRITE_ONCE() */
	atomic_t calls; /* in flight */

	spinlock_t lock; /* irqsave; guards all fields below */
	enum cwr_state state;
	struct sockaddr_storage peer;

	/* Written by the owner before it reports CWR_CONNECTED. */
	struct sockaddr_storage local;
	char device[64];
	u8 device_port;
	u32 inline_send; /* bytes, as negotiated */
	u32 inline_receive;
	u32 queue_pairs;
	bool remote_invalidate;
	bool backchannel;
	char server[64]; /* client: the server's name in the mount */

	/* Written by the functions below. */
	char reason[96];
	int error; /* negative errno for the reason, or 0 */
	unsigned long retry_at; /* jiffies; client, CWR_BROKEN: the next attempt */
	ktime_t since; /* start of the state */
	bool was_connected;
	u32 attempts; /* since it was last connected */
	u32 reconnects;
	unsigned int nr_rails; /* 0: one queue pair, described by the fields above */
	struct cwr_rail rails[CW_NFS_SOURCES];
	unsigned long events; /* bits of events that announce has to send */
	struct work_struct announce;
};

/**
 * cwr_connection_add() - makes dumps show a connection, in state CWR_IDLE
 * @c: the connection; fields that the owner has written stay
 * @role: client or server
 * @peer: copied; NULL if not known yet
 *
 * If there is no memory for counters, they stay 0.
 *
 * Context: Process context. May sleep.
 */
void cwr_connection_add(struct cwr_connection *c, enum cwr_role role, const struct sockaddr *peer);
/**
 * cwr_connection_remove() - hides a connection from dumps, and frees its counters
 * @c: the connection; if it was not added or is removed, nothing happens
 *
 * No event follows and nothing may call cwr_count() any more.
 *
 * Context: Process context. Sleeps until the events of the connection were sent.
 */
void cwr_connection_remove(struct cwr_connection *c);

/**
 * cwr_connection_state() - sets the state, and has events sent
 * @c: the connection
 * @state: the new state
 *
 * Context: Any context. Takes the lock of @c.
 */
void cwr_connection_state(struct cwr_connection *c, enum cwr_state state);
/**
 * cwr_connection_failed_with() - sets the reason for a failed attempt or the end of a connection
 * @c: the connection
 * @error: negative errno, or 0
 * @reason: text for administrators
 *
 * To be called before the state is set.
 *
 * Context: Any context. Takes the lock of @c.
 */
void cwr_connection_failed_with(struct cwr_connection *c, int error, const char *reason);
/**
 * cwr_connection_retry() - sets the time of the next attempt
 * @c: the connection
 * @delay: jiffies from now
 *
 * Context: Any context. Takes the lock of @c.
 */
void cwr_connection_retry(struct cwr_connection *c, unsigned long delay);

/**
 * cwr_connection_rail() - sets the state of one of several queue pairs
 * @c: the connection
 * @index: number of the queue pair
 * @count: number of queue pairs, at most CW_NFS_SOURCES
 * @rail: copied
 *
 * Context: Any context. Takes the lock of @c.
 */
void cwr_connection_rail(struct cwr_connection *c, unsigned int index, unsigned int count,
			 const struct cwr_rail *rail);

/**
 * cwr_count() - increments a counter
 * @c: an added connection
 * @counter: enum cw_nfs_counter or cwr_own_counter
 * @by: increment
 *
 * Context: Any context.
 */
static inline void cwr_count(struct cwr_connection *c, unsigned int counter, u64 by)
{
	if (likely(c->counters))
		this_cpu_add(c->counters->n[counter], by);
}

/* ---- for handlers.c ---- */

/**
 * cwr_connections_each() - calls a function for each connection, until it fails
 * @from: position in the list to start at; set behind the last connection that succeeded
 * @report: called under the lock of the list; 0 continues
 * @arg: for @report
 *
 * Context: Process context. May sleep. Takes the lock of the list.
 * Return: 0, or the result of @report.
 */
int cwr_connections_each(long *from, int (*report)(void *arg, struct cwr_connection *c), void *arg);

/**
 * cwr_connection_sum() - sums the counters of a connection over all processors
 * @c: connection. If it has no counters, the sums are 0.
 * @out: set to the sums
 *
 * Context: Any context.
 */
void cwr_connection_sum(const struct cwr_connection *c, struct cwr_counters *out);

#endif
