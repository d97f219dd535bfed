/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What "causeway net" is told of NFS connections, the client's and the server's (CW_C_NFS_GET).
 *
 * A transport embeds a struct cwr_connection in its own object and tells of its life by the calls
 * below; nothing else in the module needs to know netlink. The life:
 *
 *	init -> [add] -> connecting -> live -> lost -> connecting -> ... -> [del] -> free
 *
 * Between add and del the dumps see it. Events (nfs-up, nfs-down, nfs-attempt-failed) come out of
 * the changes of state.
 */
#ifndef CWR_CONNECTIONS_H
#define CWR_CONNECTIONS_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "../../include/uapi/causeway.h"

struct cwr_counters {
	u64 n[__CW_NFS_MAX];
};

/* Where a queue pair is, and how it is. */
struct cwr_rail {
	enum cw_state state;
	struct sockaddr_storage local;
	char device[IB_DEVICE_NAME_MAX];
	u8 device_port;
	char reason[64]; /* why it is not live */
};

struct cwr_connection {
	struct list_head entry;
	u32 id;
	enum cw_role role;
	struct cwr_counters __percpu *counters;
	u32 credits; /* WRITE_ONCE(): granted last */
	atomic_t calls; /* under way */

	spinlock_t lock; /* irqsave; guards the rest */
	enum cw_state state;
	ktime_t since;
	bool was_live;
	char server[CW_NFS_SERVER]; /* client: what the mount called it */
	struct sockaddr_storage peer;
	struct sockaddr_storage local;
	char device[IB_DEVICE_NAME_MAX];
	u8 device_port;
	u32 send_inline; /* bytes, as negotiated */
	u32 receive_inline;
	bool remote_invalidate;
	bool backchannel;
	u32 attempts; /* since it last was live */
	u32 reconnects;
	unsigned long retry_at; /* jiffies; client, CW_STATE_HELD */
	char reason[128];
	int error; /* negative errno */
	unsigned int nr_rails; /* 0: one queue pair, as above */
	struct cwr_rail rails[CW_NFS_SOURCES];

	unsigned long events; /* bits that tell_work has to tell of */
	struct work_struct tell_work;
};

/* What is known when a connection becomes live. */
struct cwr_live {
	struct sockaddr_storage local;
	const char *device; /* name of the ib_device */
	u8 device_port;
	u32 send_inline; /* bytes */
	u32 receive_inline;
	bool remote_invalidate;
	bool backchannel;
};

/* Zeroes all of @c. Process context. -ENOMEM. */
int cwr_connection_init(struct cwr_connection *c, enum cw_role role);
/* After del, or instead of add. Process context. A zeroed @c does no harm. */
void cwr_connection_free(struct cwr_connection *c);

/*
 * Dumps see it from here on. @server is the client's name of its server, else NULL; @peer is
 * copied. Process context, may sleep.
 */
void cwr_connection_add(struct cwr_connection *c, const char *server, const struct sockaddr *peer);
/* Dumps no longer see it, no event comes any more. May sleep. Without add, or twice: no harm. */
void cwr_connection_del(struct cwr_connection *c);

/* ---- changes; any context ---- */

/* Client: the peer's name is known only after setup(). Process context. */
void cwr_connection_name(struct cwr_connection *c, const char *server);
/* Client: an attempt begins. */
void cwr_connection_connecting(struct cwr_connection *c);
void cwr_connection_live(struct cwr_connection *c, const struct cwr_live *live);
/*
 * An attempt failed or a live connection ended; @state is CW_STATE_HELD where the client tries
 * again after @retry jiffies (0: when it is asked for), else CW_STATE_CLOSING. @err is a negative
 * errno or 0, the words are for people.
 */
__printf(5, 6) void cwr_connection_lost(struct cwr_connection *c, enum cw_state state,
					unsigned long retry, int err, const char *fmt, ...);
/* @index below @count, @count at most CW_NFS_SOURCES: the state of one of several queue pairs. */
void cwr_connection_rail(struct cwr_connection *c, unsigned int index, unsigned int count,
			 const struct cwr_rail *rail);

/* Counts @counter (enum cw_nfs_counter). Any context. */
#define cwr_count(c, counter) this_cpu_inc((c)->counters->n[(counter)])
#define cwr_count_add(c, counter, by) this_cpu_add((c)->counters->n[(counter)], (by))

/* ---- for netlink.c ---- */

/* Calls @tell for the connections from number @from on, until it returns non-zero; gives that. */
int cwr_connections_each(long *from, int (*tell)(void *arg, struct cwr_connection *c), void *arg);
void cwr_connection_sum(const struct cwr_connection *c, struct cwr_counters *out);

#endif
