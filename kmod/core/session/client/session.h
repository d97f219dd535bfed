/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client's half of a session: one attached export, kept connected.
 *
 * A session has one thread of control, its work: it alone connects, tears down and changes the
 * state. Its connection is a path (path.h). causeway_disk supplies the ops.
 */
#ifndef CW_CLIENT_SESSION_H
#define CW_CLIENT_SESSION_H

#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/socket.h>
#include <linux/workqueue.h>

#include "../../link/command.h"
#include "../../link/factory.h"
#include "../../verbs/reserve.h"
#include "../auth.h"
#include "../inbox.h"

struct cw_path;
struct cw_session;

struct cw_client_ops {
	/*
	 * The session is live, for the first time or again; links[0..nr_links) of @p take commands,
	 * and everything that stop() held may go. @new_instance: the server may have lost writes
	 * that it acknowledged and did not flush. All but message: process context, one at a time.
	 */
	void (*up)(struct cw_session *s, struct cw_path *p, bool new_instance);
	/* No command may be given to a link of @p after this returned. */
	void (*stop)(struct cw_session *s, struct cw_path *p);
	/*
	 * No adapter touches memory for @p any more, and its links are not freed yet. Unmaps and
	 * takes back the unanswered requests, to be sent again after up().
	 */
	void (*reap)(struct cw_session *s, struct cw_path *p);
	/* Held I/O must fail from now on, until up(). */
	void (*fail)(struct cw_session *s);
	void (*notice)(struct cw_session *s, const struct cw_notice *notice);
	/* True if commands are unanswered or requests wait for a path, or if that is unknown. */
	bool (*waits)(struct cw_session *s);
	/* Returns the name of the block device, or NULL before there is one. No lock. */
	const char *(*disk_name)(struct cw_session *s);
	struct cw_link_handler handler; /* of data links; down is not used */
};

struct cw_session_config {
	char server[CW_WIRE_NAME]; /* what the user calls it */
	char name[CW_WIRE_NAME];
	struct sockaddr_storage address;
	struct sockaddr_storage local; /* ss_family 0: any */
	struct cw_key key;
	u8 host[CW_WIRE_UUID];
	u16 queues, poll_queues, depth;
	u32 max_io, inline_size;
	u32 io_timeout; /* seconds, 0 for ever */
	u32 fast_fail; /* seconds, or CW_FAST_FAIL_OFF */
	u32 connect_timeout; /* ms, of each step */
};

/*
 * Returns @seconds in jiffies, capped at MAX_JIFFY_OFFSET, half of the range of time_after(): on 32
 * bit that is about 49 days at 250 Hz, and longer timeouts end then. Any context.
 */
static inline unsigned long cw_timeout_jiffies(u32 seconds)
{
	return min_t(unsigned long, seconds, MAX_JIFFY_OFFSET / HZ) * HZ;
}

struct cw_session {
	struct kref users;
	struct list_head entry; /* of all sessions */
	const struct cw_client_ops *ops;
	struct cw_link_handler data_handler; /* ops->handler with our down */
	void *priv;
	struct cw_session_config config;
	u8 uuid[CW_WIRE_UUID];
	u8 boot[CW_WIRE_UUID];
	u64 serial; /* of the attachment, since the module was loaded */

	struct mutex lock; /* everything below, but for what is marked */
	enum cw_state state;
	ktime_t since;
	u32 attempts; /* since it last was live */
	u32 reconnects;
	u64 epoch; /* of the last login that was tried */
	int error; /* and reason: written under lock and reason_lock, read under either */
	char reason[160];
	struct mutex reason_lock; /* see error */
	unsigned long began_at; /* jiffies: the last attempt */
	unsigned long retry_at; /* jiffies */
	unsigned long failing_at; /* jiffies: when the I/O timeout passes */
	bool ever_live;
	bool refused; /* the last answer does not fit the device that was made: I/O fails */
	u16 refusal; /* the reason for which the server refused the session for good, or 0 */

	struct cw_path *paths[CW_WIRE_PATHS]; /* the first alone is used; set before listing */
	/*
	 * The fields of HELLO about the last WELCOME that the session accepted. They are set before
	 * the first data link of that login is requested, and kept even if data links fail.
	 */
	bool accepted; /* there was one */
	u64 last; /* its epoch */
	u64 generation;
	u8 receipt[CW_WIRE_RECEIPT];
	u32 sequence; /* of the newest notice since then */
	bool may_be_kept; /* the server may take the session for its client; see the detach */
	struct cw_welcome welcome; /* the last accepted one */
	struct cw_welcome first_welcome; /* what the disk was made for; less inline data will do */
	u8 identity[CW_WIRE_UUID]; /* of the first accepted one */
	u8 instance[CW_WIRE_UUID]; /* of the last that was live */
	u8 welcome_instance[CW_WIRE_UUID]; /* of the login just made */

	struct delayed_work work; /* the session's thread of control */
	struct delayed_work watch; /* liveness */
	struct completion first; /* the first attempt has ended */
	unsigned long flags; /* CW_SESSION_*, any context */
};

enum {
	CW_SESSION_CLOSE, /* detach */
	CW_SESSION_HURRY, /* a request waits for a path since the pause was set */
};

/*
 * Makes a session for @config, listed but not started: its ops are called from cw_session_start()
 * on. Returns an ERR_PTR on failure; -EEXIST: that export is attached already. One reference is the
 * caller's, who also closes the session.
 */
struct cw_session *cw_session_create(const struct cw_session_config *config,
				     const struct cw_client_ops *ops, void *priv);
/*
 * Starts to connect. With @wait, waits until the first attempt has ended. Returns -errno if it
 * failed, with the reason in @reason (160 bytes).
 */
int cw_session_start(struct cw_session *s, bool wait, char *reason);
/*
 * Ends it in order: stop, reap, fail. Afterwards no op is called. Waits until the server has
 * confirmed the end, is silent or gone, or the caller is killed; with @force for 1 s at most. True:
 * the server has not confirmed the end and may keep the disk for this host. Process context.
 */
bool cw_session_close(struct cw_session *s, bool force);
void cw_session_put(struct cw_session *s);
/* Finds a session by the names that the user typed. The caller gets a reference. */
struct cw_session *cw_session_find(const char *server, const char *name);

/* Gives the connection up, because the caller found it dead. @why is a constant. Any context. */
void cw_session_kick(struct cw_session *s, const char *why);

/* A request waits for a path: a long pause between two attempts is made shorter. Any context. */
void cw_session_hurry(struct cw_session *s);

/* Copies to @reason (160 bytes) why the last connection or attempt ended. May sleep. */
void cw_session_reason(struct cw_session *s, char *reason);

/* Returns the state to show: an attempt to connect again does not hide why I/O fails. No lock. */
static inline enum cw_state cw_session_shown_state(const struct cw_session *s)
{
	enum cw_state state = READ_ONCE(s->state);

	return state == CW_STATE_CONNECTING && READ_ONCE(s->refused) ? CW_STATE_REFUSED : state;
}

/* Asks @address what it exports to us; @each is called per export. @reason as above. */
int cw_client_discover(const struct sockaddr *address, u32 timeout_ms,
		       int (*each)(void *arg, const struct cw_export_info *info), void *arg,
		       char *reason);

/* ---- inside the core: session.c ---- */

/* Locks and works of a zeroed session; and the end of its works. */
void cw_session_init(struct cw_session *s);
void cw_session_cancel(struct cw_session *s);
/* Keeps the reason of a loss or of a failed attempt. Takes s->reason_lock. */
void cw_session_say(struct cw_session *s, int err, const char *fmt, ...) __printf(3, 4);
/* Changes the state, if @to may follow the present one. True: it was changed. s->lock is held. */
bool cw_session_change(struct cw_session *s, enum cw_state to);

extern struct workqueue_struct *cw_client_wq; /* works and watches of sessions */
extern struct list_head cw_sessions;
extern struct mutex cw_sessions_lock;

int cw_client_init(void);
void cw_client_exit(void);

/* ---- inside the core: control_link.c ---- */

/* The detection time of the last login, or the default before the first one, in ms. */
u32 cw_session_detection_ms(const struct cw_session *s);

/* ---- inside the core: work.c ---- */

/* cw_session.work, the thread of control. Takes s->lock. */
void cw_session_work(struct work_struct *work);
/* cw_link_handler.down of all links: the work tears the session down. Any context. */
void cw_client_down(struct cw_link *link);

/* ---- inside the core: liveness.c ---- */

/* cw_session.watch: probes the links of a live session. Takes s->lock. */
void cw_session_watch(struct work_struct *work);

#endif
