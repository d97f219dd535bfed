/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client as the server sees it, inside the core: one object for each path of its session.
 *
 * Holders of the object: the list of sessions (until its last work is done), the end work, the
 * machine of the export's owners (from PROOF or JOIN until nothing of the path is left), each
 * caller that found it by its number. Three works tear it down; the login work alone answers
 * control messages.
 */
#ifndef CW_SERVER_SESSION_H
#define CW_SERVER_SESSION_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/percpu-refcount.h>
#include <linux/workqueue.h>

#include "../../verbs/reserve.h"
#include "../auth.h"
#include "../inbox.h"
#include "admission.h"
#include "paths.h"
#include "server.h"
#include "source.h"
#include "state.h"

#define CW_WATCH_LOOKS 4 /* times that the watch of a session looks within dead_ms */
#define CW_WAITING_MS 1000 /* between two WAITING, at least one each 2 s has to be */
#define CW_ANSWERS 4 /* cookies of ALIVE that wait for the machine of the owners */

struct cw_server_export {
	struct kref refs;
	struct workqueue_struct *wq; /* where its sessions end */
	struct list_head sessions; /* under cw_server_lock: joined, and not finished */
	atomic_t count; /* of them */
	bool closed; /* under cw_server_lock: no session joins any more */
	struct cw_admission admission;
	struct work_struct release;
};

/* The conditions that the last work waits for, and CW_PART_GONE once it runs. */
enum cw_session_part {
	CW_PART_FINISHED = 1, /* no command and no data link is left */
	CW_PART_RELEASED = 2, /* the control link is not needed any more */
	CW_PART_GONE = 4, /* the last work runs, for the last time */
};

struct cw_server_session {
	struct kref users;
	struct list_head entry; /* of cw_server_sessions */
	struct hlist_node numbered; /* of the sessions by number */
	const struct cw_server_ops *ops;
	u32 number; /* on the wire; not 0, not soon used again */
	void *export; /* after the hello named it */
	struct cw_server_export *core; /* of it; set under lock while in LOGIN, with a reference */
	struct list_head beside; /* of core->sessions */
	struct cw_link *control;
	struct sockaddr_storage peer;
	struct cw_place place;
	struct cw_reserve reserve; /* memory for its data links */

	spinlock_t lock; /* irqsave: all of these */
	enum cw_server_state state;
	ktime_t since;
	struct cw_link *links[CW_WIRE_QUEUES_MAX];
	u8 parts; /* enum cw_session_part */
	unsigned long released_at; /* jiffies: with CW_PART_RELEASED */
	u8 answers;
	u64 cookies[CW_ANSWERS]; /* of the ALIVEs that came, the oldest first */
	unsigned long heard; /* once ENDING: jiffies of the last message before */
	char reason[96]; /* of the end */
	char broken[128]; /* how the client broke the protocol, or nothing */

	/* Set by the login, constant afterwards. */
	struct cw_hello hello;
	u64 features; /* of those offered, what we can do too */
	u16 queues; /* data links that it was admitted with */
	u16 area; /* pages of data in a message that its data links take */
	struct cw_wire_req wire_req; /* of the control link, as received, and as answered */
	struct cw_wire_rep wire_rep;
	struct cw_wire_hello wire_hello;
	struct cw_wire_challenge wire_challenge;
	struct cw_wire_proof wire_proof;
	struct cw_wire_join wire_join;
	bool challenged;
	u64 hello_at; /* when HELLO or JOIN was read: the clock of the admission */
	bool answered; /* PROOF was received */
	bool refused; /* the login work ignores its messages */
	bool up; /* WELCOME or JOINED was sent: its end is reported */
	bool last_path; /* the login has no other path; constant once it has finished */
	struct cw_auth auth; /* once challenged */
	struct cw_server_paths *paths; /* once PROOF or JOIN was right, with a reference */
	struct cw_welcome welcome;

	/* Under the lock of the admission. */
	struct cw_login member;
	bool entered; /* @member is, or was, in the machine; set before the state is PROVED */
	enum cw_limit limit; /* that it was refused for */

	/* Under cw_server_lock. */
	bool counted; /* by the limits of logins, from its first judgement on */
	bool told; /* it was sent the final notice */

	struct percpu_ref commands; /* what the finish waits for */

	/* On cw_server_wq; none of them waits for another session. */
	struct work_struct login; /* answers control messages */
	struct delayed_work watch; /* login timeout, then liveness */
	struct delayed_work fences; /* reports what FENCEs wait for, while one is unanswered */
	/* On the queue of the export, or on cw_server_wq for one that named none. */
	struct work_struct end; /* kills and drains the links */
	struct work_struct finish; /* when no command is left: frees the data links */
	/* Behind finish: after GOODBYE the control link lives until FAREWELL was read. */
	struct delayed_work last;
	bool goodbye; /* GOODBYE was received: set once, in the receive context */
	bool lingers; /* the control link waits for FAREWELL: constant from the end work on */
	struct cw_inbox inbox;

	struct completion noticed; /* the final notice was delivered */

	struct mutex stats_lock; /* past, and links against their end */
	struct cw_stats past;
};

/*
 * Guards the lists of sessions, and the members above that name it. Process context. It is held
 * neither over a wait for a peer, a disk or an adapter nor over a call into the connection manager.
 */
extern struct mutex cw_server_lock;
extern struct list_head cw_server_sessions;
extern struct workqueue_struct *cw_server_wq;
extern wait_queue_head_t cw_server_finished; /* a session was finished */

/* server.c; under cw_server_lock; NULL: no target is registered */
const struct cw_server_ops *cw_server_ops(void);

/* session.c */
/*
 * Lists a session around @control, before its connection is accepted; the list's reference is the
 * first and only. NULL: no target is registered or no memory; then @place stays the caller's. From
 * here on the session owns @control, its cm_id and @place: a caller that fails later ends the
 * session, and a handler of the connection manager returns 0.
 */
struct cw_server_session *cw_server_session_create(struct cw_link *control,
						   const struct sockaddr_storage *peer,
						   const struct cw_place *place);
void cw_server_session_put(struct cw_server_session *s);
/* Finds a session by its number. The caller gets a reference. */
struct cw_server_session *cw_server_session_find(u32 number);
/* Starts the end, from any context, once or often. */
__printf(2, 3) void cw_server_session_end(struct cw_server_session *s, const char *fmt, ...);
/* LOGIN -> PROVED -> LIVE; false when the session is ending. */
bool cw_server_session_change(struct cw_server_session *s, enum cw_server_state to);
/* Commands that were received and have not ended. Takes stats_lock. */
u32 cw_server_session_commands(struct cw_server_session *s);
/*
 * Joins the sessions of @x, while it is in LOGIN. -ENOENT: the export is being removed; -ESHUTDOWN:
 * the session is ending. Process context.
 */
int cw_server_session_join(struct cw_server_session *s, struct cw_server_export *x);
/*
 * Registers a data link at its index. -EBUSY: taken; -ENOENT: no such index; -ESHUTDOWN: ending.
 * The session owns the link from then on.
 */
int cw_server_session_add_link(struct cw_server_session *s, struct cw_link *link);
/* Its login was refused: it ends soon, if the client does not close before. Process context. */
void cw_server_session_refused(struct cw_server_session *s);
/* Jiffies of the last message of its client, before its end began. Any context. */
unsigned long cw_server_session_heard(struct cw_server_session *s);
/* The control link is needed no longer than @delay (jiffies), or until its client closes. */
void cw_server_session_part(struct cw_server_session *s, unsigned long delay);
/* After GOODBYE: sends FAREWELL, and gives the client the time to read it. */
void cw_server_session_farewell(struct cw_server_session *s);
extern atomic_t cw_session_total; /* sessions that are not finished */
/* Sessions that are not finished, of all exports and of none. */
u32 cw_server_session_total(void);
void cw_server_session_init(void);
extern const struct cw_link_handler cw_server_control_handler;
/* Ends the session of a link that died, if it has one yet. Any context. */
void cw_server_down(struct cw_link *link);

/* end.c: the works of the end, in this order */
void cw_session_end_work(struct work_struct *work);
void cw_session_finish_work(struct work_struct *work);
void cw_session_last_work(struct work_struct *work);

/* server.c: the data links' handler, which is the target's with cw_server_down() */
const struct cw_link_handler *cw_server_data_handler(void);

/* login.c */
void cw_server_login_work(struct work_struct *work);
/*
 * Sends REFUSED, proved when PROOF came before, and has the session end. @newest: the epoch for
 * STALE. Process context.
 */
__printf(4, 5) void cw_login_refuse(struct cw_server_session *s, u16 reason, u64 newest,
				    const char *fmt, ...);
/* Ends the control link, which broke the protocol with a message of @type. Any context. */
void cw_login_malformed(struct cw_server_session *s, u8 type);
/*
 * Finds the export that s->hello names, and joins its sessions. -ENOENT: there is none; -ESHUTDOWN:
 * the session is ending. Process context.
 */
int cw_login_find_export(struct cw_server_session *s);
/* Sets the times and the number of data links that the client will be granted. Any context. */
void cw_login_grant(struct cw_server_session *s);
/* The watch reports from now on what @s waits for, until the admission decides. Process context. */
void cw_login_waits(struct cw_server_session *s);
/* Lets the session in: LIVE, and WELCOME or JOINED. Under the lock of the admission. */
void cw_login_welcome(struct cw_server_session *s);
/* The detection time that a login would be granted now, ms. Any context. */
u32 cw_login_dead_ms(void);

/* join.c */
void cw_join_take(struct cw_server_session *s, const struct cw_letter *letter);
/* The answer to JOIN of a session that is unknown, not live or wrongly proved. Process context. */
void cw_join_refuse_not_live(struct cw_server_session *s);
/* JOINED of @s as it is sent, with its MAC. 0 or -errno. Under cw_server_lock. */
int cw_join_pack_joined(struct cw_server_session *s, struct cw_wire_joined *wire);
/* Behind JOINED: the NOTICE that the path has missed, if there is one. Under cw_server_lock. */
void cw_join_send_notice(struct cw_server_session *s);

/* fence.c */
void cw_fence_take(struct cw_server_session *s, const struct cw_letter *letter);
void cw_fence_take_path_bye(struct cw_server_session *s, const struct cw_letter *letter);
/* Sends FENCED, or ends @s. Process context. Takes cw_server_lock. */
void cw_fence_answer(struct cw_server_session *s, u8 path, u64 epoch);
void cw_fence_watch(struct work_struct *work);

/* login_limits.c; under the lock of the admission */
/* A limit of the server forbids the login now. */
bool cw_login_is_limited(struct cw_server_session *s);
/* Refuses the login for that limit. */
void cw_login_refuse_limit(struct cw_server_session *s);
/* Data links that the session gets at most. */
u16 cw_login_queues(const struct cw_server_session *s);

/* listener.c */
int cw_listener_start(u16 port);
void cw_listener_stop(void);

/* server.c */
int cw_server_init(void);
void cw_server_exit(void);

#endif
