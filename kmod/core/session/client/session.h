/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client's half of a session: one attached export, kept connected.
 *
 * The work of a session decides: it changes the state while there is no connection, and chooses
 * when a path logs in. The works of the path (path.h) connect it and tear it down. causeway_disk
 * supplies the ops.
 *
 * Locks, outer first: the lock of a path, the lock of the session, the lock of the disk. A thread
 * holds the lock of one path at a time. The lock of a path is held while its links are made and
 * drained. The lock of the session is never held over a wait for a peer, an adapter or a grace
 * period, so a path that connects delays neither the session nor its other paths.
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

#define CW_REASON_SIZE 160 /* bytes of a text for people, with its end */
#define CW_LOSS_REASON_SIZE (CW_REASON_SIZE + 24) /* which path was lost, and its reason */

struct cw_path;
struct cw_session;

struct cw_client_ops {
	/*
	 * links[0..nr_links) of @p take commands until withdraw() or stop(). If no other path does,
	 * everything that is held for a path may go. May follow withdraw() of the same links, which
	 * may have commands then. @new_instance: the server may have lost writes that it
	 * acknowledged and did not flush.
	 *
	 * All ops but those of handler are called in process context. up, withdraw, fenced, fail,
	 * notice, changed and waits are called under the session's lock. stop and reap are called
	 * under the lock of @p, without the session's, so other ops and those of other paths may
	 * run at the same time.
	 */
	void (*up)(struct cw_session *s, struct cw_path *p, bool new_instance);
	/*
	 * No command is given to a link of @p from now on, but by operations that found the path
	 * before. They end within an RCU grace period. The commands that @p has are answered there.
	 */
	void (*withdraw)(struct cw_session *s, struct cw_path *p);
	/*
	 * No command may be given to a link of @p after this returned. Waits for an RCU grace
	 * period. The links may be dead already.
	 */
	void (*stop)(struct cw_session *s, struct cw_path *p);
	/*
	 * No adapter touches memory for @p any more, and its links are not freed yet. Unmaps and
	 * takes back the unanswered requests. They are sent again when the disk has a path, and
	 * those that change the disk only after fenced(). Returns the number of requests.
	 */
	unsigned int (*reap)(struct cw_session *s, struct cw_path *p);
	/*
	 * The server has nothing left of what was given to links of @p before reap(), so the writes
	 * among that may be sent again. Called after reap() of the connection that was fenced, and
	 * before up() of a later one. If a WELCOME says so, then for each path.
	 */
	void (*fenced)(struct cw_session *s, struct cw_path *p);
	/* Held I/O must fail from now on, until a path comes up. */
	void (*fail)(struct cw_session *s);
	void (*notice)(struct cw_session *s, const struct cw_notice *notice);
	/* io_timeout, fast_fail or path_policy has changed. */
	void (*changed)(struct cw_session *s);
	/* True if commands are unanswered or requests wait for a path, or if that is unknown. */
	bool (*waits)(struct cw_session *s);
	/* True if the disk gives commands to @p. Called with any lock or none. */
	bool (*carries_io)(struct cw_session *s, const struct cw_path *p);
	/* Returns the name of the block device, or NULL before there is one. No lock. */
	const char *(*disk_name)(struct cw_session *s);
	struct cw_link_handler handler; /* of data links; down is not used */
};

struct cw_path_config {
	struct sockaddr_storage address; /* of the server */
	struct sockaddr_storage local; /* of this host; ss_family 0: any */
	u8 transport; /* enum cw_transport; NONE: RDMA */
};

/* The settings of a session that an administrator may change while it exists. */
struct cw_session_change {
	u32 what; /* bits of enum cw_change: of the members that count */
	struct cw_key key;
	u32 io_timeout, fast_fail; /* as in cw_session_config */
	u8 path_policy;
};

struct cw_session_config {
	char server[CW_WIRE_NAME]; /* what the user calls it */
	char name[CW_WIRE_NAME];
	struct cw_path_config paths[CW_WIRE_PATHS]; /* with which the session begins */
	u8 nr_paths; /* at least 1 */
	u8 path_policy; /* enum cw_path_policy: for the disk */
	struct cw_key key; /* under the lock of the session */
	u8 host[CW_WIRE_UUID];
	u8 identity[CW_WIRE_UUID]; /* of the disk that the user wants; zero: any */
	u16 queues, poll_queues, depth;
	u32 max_io, inline_size;
	/* Written under the lock of the session. The disk reads them without. */
	u32 io_timeout; /* seconds, 0 for ever */
	u32 fast_fail; /* seconds, or CW_FAST_FAIL_OFF */
	u32 connect_timeout; /* ms, of each step */
};

/**
 * cw_timeout_jiffies() - converts a timeout to jiffies
 * @seconds: the timeout
 *
 * The result is at most MAX_JIFFY_OFFSET, half of the range of time_after(): on 32 bit that is
 * about 49 days at 250 Hz, and longer timeouts end then.
 *
 * Context: Any context.
 * Return: The timeout in jiffies.
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

	struct mutex lock; /* everything below, but for what is marked; see above for the order */
	enum cw_state state;
	ktime_t since;
	u32 attempts; /* since it last was live */
	u32 reconnects;
	u32 failovers; /* times that a path which carried I/O was lost beside a live one */
	u8 used_rank; /* 1 + rank of the paths that carry I/O, or carried it last; 0: none did */
	u64 fallbacks; /* counted: moves of I/O to paths of a worse rank */
	u64 returns; /* counted: moves of I/O to paths of a better rank, after a fallback */
	char fallback_reason[CW_LOSS_REASON_SIZE]; /* of the newest fallback */
	char loss_reason[CW_LOSS_REASON_SIZE]; /* why the disk lost a path that it used last */
	u64 epoch; /* of the last login that was tried */
	/* Why the last connection or attempt of a path ended. Under reason_lock. */
	int error;
	char reason[CW_REASON_SIZE];
	struct mutex reason_lock; /* also of each path's error and reason */
	unsigned long began_at; /* jiffies: the last attempt */
	unsigned long retry_at; /* jiffies */
	unsigned long held_at; /* jiffies: when the session lost its last path */
	bool ever_live;
	bool refused; /* each path leads to a disk that is not the one of the device: I/O fails */
	u16 refusal; /* the reason for which the server refused the session for good, or 0 */

	enum cw_state before; /* the state before the login that is under way */

	/* Written under lock; freed with the session. Without lock: see path_list.h. */
	struct cw_path *paths[CW_WIRE_PATHS];
	unsigned int nr_paths;
	/* Under lock. */
	unsigned int next; /* number of the path that logs in next, of those that are alike */
	unsigned int next_join; /* number of the path that may join first */
	u32 tried; /* bit i is set if a login by path i has failed since the last pause */
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
	u64 features; /* chosen for that login */
	u8 secret[CW_WIRE_MAC]; /* of that login; further paths prove that they know it */
	struct cw_welcome first_welcome; /* what the disk was made for; less inline data will do */
	u8 identity[CW_WIRE_UUID]; /* of the first accepted one */
	u8 instance[CW_WIRE_UUID]; /* of the last that was live */
	u8 welcome_instance[CW_WIRE_UUID]; /* of the login just made */

	struct delayed_work work; /* decides */
	struct completion first; /* a path is live, each has had an attempt, or none may */
	unsigned long flags; /* CW_SESSION_*, any context; CLOSE is set under lock */
};

enum {
	CW_SESSION_CLOSE, /* detach: no work queues another work */
	CW_SESSION_HURRY, /* a request waits for a path since the pause was set */
};

/**
 * cw_session_create() - makes a session, which is listed but not started
 * @config: what the user asked for; copied
 * @ops: called from cw_session_start() on
 * @priv: private data of the caller; also of the data links
 *
 * One reference is the caller's, who also closes the session.
 *
 * Context: Process context. May sleep. Takes cw_sessions_lock.
 * Return: The session, or an ERR_PTR: -ENOMEM; -EEXIST: that export is attached already.
 */
struct cw_session *cw_session_create(const struct cw_session_config *config,
				     const struct cw_client_ops *ops, void *priv);
/**
 * cw_session_set() - changes settings of a session
 * @s: the session
 * @change: new settings; copied
 *
 * A session in a pause tries at once with a new key. An attempt that is under way goes on with the
 * earlier key, and the next one has the new key. A time that has passed under the old
 * timeout has passed: I/O that fails already fails until a path is back.
 *
 * Context: Process context. May sleep. Takes s->lock. Calls ops->changed.
 * Return: 0; -ESHUTDOWN: the session is being closed.
 */
int cw_session_set(struct cw_session *s, const struct cw_session_change *change);
/**
 * cw_session_apply_again() - calls ops->changed() for the settings that the session has now
 * @s: the session
 *
 * They may be those of a later cw_session_set() than the caller's.
 *
 * Context: Process context. May sleep. Takes s->lock. Calls ops->changed.
 * Return: 0; -ESHUTDOWN: the session is being closed.
 */
int cw_session_apply_again(struct cw_session *s);
/**
 * cw_session_start() - starts to connect
 * @s: the session
 * @wait: wait until a path is live, or each path has had a first attempt
 * @reason: 160 bytes; set to a text for people on an error
 *
 * Context: Process context. With @wait, sleeps and takes s->lock and s->reason_lock.
 * Return: 0; with @wait also -EINTR if the caller is killed, or the error of the last attempt. The
 * session goes on until the caller closes it.
 */
int cw_session_start(struct cw_session *s, bool wait, char *reason);
/**
 * cw_session_close() - ends a session in order: stop, reap, fail
 * @s: the session, to which the caller keeps its reference
 * @force: wait for the server for 1 s at most
 *
 * Waits until the server has confirmed the end, is silent or gone, or the caller is killed.
 * Afterwards no op is called.
 *
 * Context: Process context. Sleeps. Takes the locks of the paths, s->lock and cw_sessions_lock.
 * Return: True if the server has not confirmed the end and may keep the disk for this host.
 */
bool cw_session_close(struct cw_session *s, bool force);
/**
 * cw_session_put() - drops a reference to a session
 * @s: the session; the last reference frees it and erases its key
 *
 * Context: Process context. May sleep.
 */
void cw_session_put(struct cw_session *s);
/**
 * cw_session_find() - finds a session by the names that the user typed
 * @server: name of the server
 * @name: name of the export
 *
 * Context: Process context. May sleep. Takes cw_sessions_lock.
 * Return: The session with a reference for the caller, or NULL.
 */
struct cw_session *cw_session_find(const char *server, const char *name);

/**
 * cw_session_kick() - gives the connection of a path up, because the caller found it dead
 * @s: the session
 * @p: the path
 * @why: the reason, a constant string
 *
 * Context: Any context. The work of the path tears the connection down.
 */
void cw_session_kick(struct cw_session *s, struct cw_path *p, const char *why);

/**
 * cw_session_hurry() - shortens a long pause between two attempts
 * @s: the session
 *
 * The caller has a request that waits for a path.
 *
 * Context: Any context.
 */
void cw_session_hurry(struct cw_session *s);

/**
 * cw_session_reason() - copies why the last connection or attempt ended
 * @s: the session
 * @reason: 160 bytes, set to the text
 *
 * Context: Process context. May sleep. Takes s->reason_lock.
 */
void cw_session_reason(struct cw_session *s, char *reason);

/**
 * cw_session_shown_state() - returns the state to show to users
 * @s: the session
 *
 * An attempt to connect again does not hide why I/O fails.
 *
 * Context: Any context. Needs no lock.
 * Return: The state; CW_STATE_REFUSED while a refused session connects again.
 */
static inline enum cw_state cw_session_shown_state(const struct cw_session *s)
{
	enum cw_state state = READ_ONCE(s->state);

	return state == CW_STATE_CONNECTING && READ_ONCE(s->refused) ? CW_STATE_REFUSED : state;
}

/**
 * cw_client_discover() - asks a server what it exports to this host
 * @path: address of the server, and the transport; copied
 * @timeout_ms: limit of each step of connecting, and of the server's silence, in milliseconds
 * @each: called for each export; 0, or an error other than -ENOENT, which ends the discovery
 * @arg: for @each
 * @reason: 160 bytes, set to why the server gave no answer; unchanged if the session has no memory
 *
 * Context: Process context. Sleeps.
 * Return: 0; the error of @each, with an empty @reason; or -errno.
 */
int cw_client_discover(const struct cw_path_config *path, u32 timeout_ms,
		       int (*each)(void *arg, const struct cw_export_info *info), void *arg,
		       char *reason);

/* ---- inside the core: session.c ---- */

/**
 * cw_session_init() - initialises locks and works of a session
 * @s: the session, zeroed
 *
 * Context: Any context.
 */
void cw_session_init(struct cw_session *s);
/**
 * cw_session_make_paths() - makes the paths of a session that its config names
 * @s: a session without paths
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM; the caller frees the paths that were made.
 */
int cw_session_make_paths(struct cw_session *s);
/**
 * cw_session_cancel() - cancels the works of a session and its paths, and waits for those that run
 * @s: the session
 *
 * Context: Process context. Sleeps. No lock of a path or the session is held: the works take them.
 */
void cw_session_cancel(struct cw_session *s);
/**
 * cw_session_change() - changes the state of a session, if the new state may follow the present one
 * @s: the session
 * @to: the new state
 *
 * Context: Process context. s->lock is held.
 * Return: True if the state was changed.
 */
bool cw_session_change(struct cw_session *s, enum cw_state to);

extern struct workqueue_struct *cw_client_wq; /* works of sessions and paths */
/*
 * Attempts to connect. Some hundred of them may sleep at a time, for half a minute each, and a
 * queue runs only so many works at a time. So they have a queue of their own.
 */
extern struct workqueue_struct *cw_connect_wq;
extern struct list_head cw_sessions;
extern struct mutex cw_sessions_lock;

/**
 * cw_client_init() - makes the workqueues of sessions
 *
 * Context: Process context, when the module is loaded. May sleep.
 * Return: 0 or -ENOMEM.
 */
int cw_client_init(void);
/**
 * cw_client_exit() - undoes cw_client_init()
 *
 * Context: Process context, when the module is unloaded or its load fails. Sleeps.
 */
void cw_client_exit(void);

/* ---- inside the core: control_link.c ---- */

/**
 * cw_session_detection_ms() - returns for how long a server may be silent until it counts as dead
 * @s: the session
 *
 * Context: Process context. May sleep. Takes s->lock.
 * Return: The detection time of the last accepted login, or the default before the first one, in
 * milliseconds.
 */
u32 cw_session_detection_ms(struct cw_session *s);

/* ---- inside the core: work.c ---- */

/**
 * cw_session_work() - decides when logins and joins begin, and when the I/O timeout has passed
 * @work: cw_session.work
 *
 * Context: Process context, in cw_client_wq. May sleep. Takes s->lock.
 */
void cw_session_work(struct work_struct *work);
/**
 * cw_session_lost() - changes the state and starts the I/O timeout if the last live path was lost
 * @s: the session
 * @lost: the path that was lost. It is not LIVE any more. Of paths that are alike, it logs in
 *	first.
 *
 * Gives up the attempts to join then, because a login begins only when all paths are down.
 *
 * Context: Process context. s->lock is held.
 */
void cw_session_lost(struct cw_session *s, const struct cw_path *lost);
/**
 * cw_session_went_live() - changes the state because a login has ended well, and starts the disk
 * @s: the session
 * @p: the path, which is live
 *
 * Context: Process context. May sleep. p->lock and s->lock are held. Calls ops->up.
 */
void cw_session_went_live(struct cw_session *s, struct cw_path *p);
/**
 * cw_session_joined() - starts the disk on a further path
 * @s: the session
 * @p: the path, which is live
 *
 * Context: Process context. May sleep. p->lock and s->lock are held. Calls ops->up.
 */
void cw_session_joined(struct cw_session *s, struct cw_path *p);
/**
 * cw_session_join_later() - plans the next attempt of a path to join
 * @s: the session
 * @p: the path, which is down
 *
 * Context: Process context. p->lock and s->lock are held.
 */
void cw_session_join_later(struct cw_session *s, struct cw_path *p);
/**
 * cw_session_decide() - queues the work of a session, unless the session closes
 * @s: the session
 *
 * Context: Process context. s->lock is held.
 */
void cw_session_decide(struct cw_session *s);
/**
 * cw_session_login_failed() - changes the state because a login has failed
 * @s: the session
 * @p: the path, which is down; its refused is set
 *
 * Plans the next login, unless the refusal was final.
 *
 * Context: Process context. May sleep. p->lock and s->lock are held. May call ops->fail.
 */
void cw_session_login_failed(struct cw_session *s, struct cw_path *p);
/**
 * cw_session_try_now() - lets paths that are down connect without a pause
 * @s: the session
 *
 * Context: Process context. s->lock is held.
 */
void cw_session_try_now(struct cw_session *s);
/**
 * cw_session_retry_later() - plans the next login after the pause that is due
 * @s: a session whose paths are down
 *
 * Context: Process context. May sleep. s->lock is held. Calls ops->waits.
 */
void cw_session_retry_later(struct cw_session *s);

#endif
