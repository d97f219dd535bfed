/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client as the server sees it, inside the core.
 *
 * Who holds it: the list of sessions (until its finish work is done), the end work, whoever found
 * it by its number. The end and the finish work tear it down; the login work alone answers control
 * messages.
 */
#ifndef CW_SERVER_SESSION_H
#define CW_SERVER_SESSION_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/percpu-refcount.h>
#include <linux/workqueue.h>

#include "auth.h"
#include "inbox.h"
#include "pure/states.h"
#include "reserve.h"
#include "server.h"
#include "source.h"

#define CW_WATCH_LOOKS 4 /* times that the watch of a session looks within dead_ms */
#define CW_WAITING_MS 1000 /* between two WAITING, at least one each 2 s has to be */

struct cw_domain;

struct cw_server_export {
	struct kref refs;
	struct workqueue_struct *wq; /* where its sessions end */
	struct list_head sessions; /* under cw_server_lock: joined, and not finished */
	atomic_t count; /* of them */
	bool closed; /* under cw_server_lock: no session joins any more */
	struct work_struct release;
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
	struct cw_domain *domain;
	struct cw_link *control;
	struct sockaddr_storage peer;
	struct cw_place place;
	struct cw_reserve reserve; /* memory for its data links */

	spinlock_t lock; /* irqsave: state, links */
	enum cw_server_state state;
	ktime_t since;
	struct cw_link *links[CW_WIRE_QUEUES_MAX];
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
	bool challenged;
	bool answered; /* PROOF came */
	bool refused; /* nothing more is heard from it */
	bool admitted; /* under cw_server_lock: once ADMITTED, also when it is ENDING */
	bool up; /* it was let in: its end is told of */
	struct cw_auth auth; /* once challenged */
	struct cw_welcome welcome;

	/* Under cw_server_lock. */
	struct list_head waiters; /* admitted sessions that wait until this one has finished */
	struct list_head waiting; /* of the waiters of another one, or empty */
	struct cw_server_session *waits_for; /* that other one, while @waiting is not empty */
	u32 notices; /* sent since the welcome */
	bool told; /* it was sent the final notice */

	struct percpu_ref commands; /* what the finish waits for */

	/* On cw_server_wq; neither waits for another session. */
	struct work_struct login; /* answers control messages */
	struct delayed_work watch; /* login timeout, then liveness */
	/* On the queue of the export, or on cw_server_wq for one that named none. */
	struct work_struct end; /* kills and drains the links */
	struct work_struct finish; /* when no command is left: frees the links, wakes the waiters */
	/* Behind finish: after GOODBYE the control link lives until FAREWELL was read. */
	struct delayed_work last;
	bool goodbye; /* the client said so: set once, in the receive context */
	bool lingers; /* and the end work saw it: constant from then on */
	bool parting; /* last is queued, and the death of the control link hastens it */
	struct cw_inbox inbox;

	struct completion noticed; /* the final notice was delivered */

	struct mutex stats_lock; /* past, and links against their end */
	struct cw_stats past;
};

/*
 * Guards the lists of sessions and what says so above. Process context. It is held neither over a
 * wait for a peer, a disk or an adapter nor over a call into the connection manager.
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
 * here on @control, its cm_id and @place are the session's: whoever fails later ends the session,
 * and a handler of the connection manager returns 0.
 */
struct cw_server_session *cw_server_session_create(struct cw_link *control,
						   struct cw_domain *domain,
						   const struct sockaddr_storage *peer,
						   const struct cw_place *place);
void cw_server_session_put(struct cw_server_session *s);
/* By its number, with a reference. */
struct cw_server_session *cw_server_session_find(u32 number);
/* Starts the end, from any context, once or often. */
__printf(2, 3) void cw_server_session_end(struct cw_server_session *s, const char *fmt, ...);
/* LOGIN -> ADMITTED -> LIVE; false when the session is ending. */
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
/* Sessions that are not finished, of all exports and of none. */
u32 cw_server_session_total(void);
void cw_server_session_init(void);
extern const struct cw_link_handler cw_server_control_handler;
/* Ends the session of a link that died, if it has one yet. Any context. */
void cw_server_down(struct cw_link *link);

/* server.c: the data links' handler, which is the target's with cw_server_down() */
const struct cw_link_handler *cw_server_data_handler(void);

/* login.c */
void cw_server_login_work(struct work_struct *work);

/* listener.c */
int cw_listener_start(u16 port);
void cw_listener_stop(void);

#endif
