/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client as the server sees it, inside the core.
 *
 * Who holds it: the list of sessions (until the end work is done), whoever found it there. The end
 * work alone tears it down; the login work alone answers control messages.
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
#include "server.h"

struct cw_domain;

struct cw_server_session {
	struct kref users;
	struct list_head entry; /* of cw_server_sessions */
	const struct cw_server_ops *ops;
	u32 number; /* on the wire; not 0, not soon used again */
	void *export; /* after the hello named it */
	struct cw_domain *domain;
	struct cw_link *control;
	struct sockaddr_storage peer;

	spinlock_t lock; /* irqsave: state, links */
	enum cw_server_state state;
	ktime_t since;
	struct cw_link *links[CW_WIRE_QUEUES_MAX];
	char reason[96]; /* of the end */

	/* Set by the login, constant afterwards. */
	struct cw_hello hello;
	u64 features; /* of those offered, what we can do too */
	struct cw_wire_hello wire_hello;
	struct cw_wire_challenge wire_challenge;
	bool challenged;
	bool refused; /* nothing more is heard from it */
	bool admitted; /* under cw_server_lock: once ADMITTED, also when it is ENDING */
	bool up; /* it was let in: its end is told of */
	struct cw_login_macs macs;
	struct cw_welcome welcome;

	struct percpu_ref commands; /* what a fence waits for */
	struct completion commands_gone;
	struct completion ended; /* nothing of it is left but this struct */

	struct work_struct login; /* answers control messages */
	struct work_struct end;
	struct delayed_work watch; /* login timeout, then liveness */
	struct cw_inbox inbox;

	struct completion noticed; /* the last notice was delivered */
	bool notice_pending; /* under cw_server_lock */

	struct mutex stats_lock; /* past, and links against their end */
	struct cw_stats past;
};

/* Held while sessions are looked up, added, removed. Process context. */
extern struct mutex cw_server_lock;
extern struct list_head cw_server_sessions;

/* server.c */
/*
 * Lists a session around @control, before its connection is accepted; the list's reference is the
 * first and only. NULL: no target is registered, too many strangers at the door, or no memory. From
 * here on @control and its cm_id are the session's: whoever fails later ends the session, and a
 * handler of the connection manager returns 0.
 */
struct cw_server_session *cw_server_session_create(struct cw_link *control,
						   struct cw_domain *domain,
						   const struct sockaddr_storage *peer);
void cw_server_session_put(struct cw_server_session *s);
/* By its number, with a reference. */
struct cw_server_session *cw_server_session_find(u32 number);
/* Starts the end, from any context, once or often. */
__printf(2, 3) void cw_server_session_end(struct cw_server_session *s, const char *fmt, ...);
/* LOGIN -> ADMITTED -> LIVE; false when the session is ending. */
bool cw_server_session_change(struct cw_server_session *s, enum cw_server_state to);
/*
 * Registers a data link at its index. -EBUSY: taken; -ENOENT: no such index; -ESHUTDOWN: ending.
 * The session owns the link from then on.
 */
int cw_server_session_add_link(struct cw_server_session *s, struct cw_link *link);
extern const struct cw_link_handler cw_server_control_handler;
/* The data links' handler: the target's, with our down. */
const struct cw_link_handler *cw_server_data_handler(void);

/* login.c */
void cw_server_login_work(struct work_struct *work);

/* listener.c */
int cw_listener_start(u16 port);
void cw_listener_stop(void);

#endif
