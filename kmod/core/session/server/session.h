/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client as the server sees it, inside the core: one object for each path of its session.
 *
 * Holders of the object: the list of sessions (until its last work is done), the end work, the
 * machine of the export's owners (from PROOF or JOIN until no link and no command of the path is
 * in use), each
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
	bool final_notice; /* it was sent the final notice */

	struct percpu_ref commands; /* what the finish waits for */

	/* On cw_server_wq; none of them waits for another session. */
	struct work_struct login; /* answers control messages */
	struct delayed_work watch; /* login timeout, then liveness */
	struct delayed_work fences; /* reports what FENCEs wait for, while one is unanswered */
	bool awaited; /* the machine of owners asked for the end; any context */
	/* On the queue of the export, on cw_urgent_wq, or on cw_server_wq without an export. */
	/* Delayed works without a delay: any context can take them out of a queue. */
	struct delayed_work end; /* kills and drains the links */
	struct delayed_work finish; /* when no command is left; frees the data links */
	/* Behind finish: after GOODBYE the control link lives until FAREWELL was read. */
	struct delayed_work last;
	bool goodbye; /* GOODBYE was received: set once, in the receive context */
	bool lingers; /* the control link waits for FAREWELL: constant from the end work on */
	struct cw_inbox inbox;

	struct completion noticed; /* the final notice was delivered */

	struct mutex stats_lock; /* past, forgotten, and links against their end */
	bool forgotten; /* link_exit() was called for the data links, or is about to be */
	struct cw_stats past;
};

/*
 * Guards the lists of sessions, and the members above that name it. Process context. It is held
 * neither over a wait for a peer, a disk or an adapter nor over a call into the connection manager.
 */
extern struct mutex cw_server_lock;
extern struct list_head cw_server_sessions;
extern struct workqueue_struct *cw_server_wq;
/*
 * Runs the ends that the machine of owners asks for, mostly because a client waits for them. They
 * do not wait for the ends of a host that is lost with all of its sessions.
 */
extern struct workqueue_struct *cw_urgent_wq;
extern wait_queue_head_t cw_server_finished; /* a session was finished */

/**
 * cw_server_ops() - returns the ops of the target
 *
 * Context: Process context, under cw_server_lock.
 * Return: The ops, or NULL if no target is registered.
 */
const struct cw_server_ops *cw_server_ops(void);

/* session.c */
/**
 * cw_server_session_create() - lists a session around a link, before its connection is accepted
 * @control: control link
 * @peer: address of the client
 * @place: place of the connection
 *
 * From here on the session owns @control, its cm_id and @place: a caller that fails later ends the
 * session, and a handler of the connection manager returns 0.
 *
 * Context: Process context. May sleep. Takes cw_server_lock.
 * Return: The session, whose first and only reference is that of the list; NULL: no target is
 * registered or no memory, and @control and @place stay the caller's.
 */
struct cw_server_session *cw_server_session_create(struct cw_link *control,
						   const struct sockaddr_storage *peer,
						   const struct cw_place *place);
/**
 * cw_server_session_put() - puts a reference to a session; the last one frees it
 * @s: session
 *
 * Context: Process context.
 */
void cw_server_session_put(struct cw_server_session *s);
/**
 * cw_server_session_find() - finds a session by its number
 * @number: number on the wire
 *
 * Context: Process context. Takes cw_server_lock.
 * Return: The session with a reference, or NULL.
 */
struct cw_server_session *cw_server_session_find(u32 number);
/**
 * cw_server_session_end() - starts the end of a session
 * @s: session
 * @fmt: reason. The reason of the first call counts.
 *
 * Context: Any context. Takes the lock of @s.
 */
__printf(2, 3) void cw_server_session_end(struct cw_server_session *s, const char *fmt, ...);
/**
 * cw_server_session_hasten() - let the end of a session wait for no other session's end
 * @s: session; its end may come later, or have begun
 *
 * Context: Any context.
 */
void cw_server_session_hasten(struct cw_server_session *s);
/**
 * cw_server_session_change() - changes the state of a session: LOGIN, PROVED, LIVE, ENDING
 * @s: session
 * @to: new state
 *
 * Context: Any context. Takes the lock of @s.
 * Return: False if cw_server_may() forbids the change: the session is ending.
 */
bool cw_server_session_change(struct cw_server_session *s, enum cw_server_state to);
/**
 * cw_server_session_commands() - counts commands that were received and have not ended
 * @s: session
 *
 * Context: Process context. Takes stats_lock.
 * Return: Their number.
 */
u32 cw_server_session_commands(struct cw_server_session *s);
/**
 * cw_server_session_join() - adds a session to those of an export
 * @s: session
 * @x: state of the export; the session gets a reference
 *
 * Context: Process context. Takes cw_server_lock.
 * Return: 0; -ENOENT: the export is being removed; -ESHUTDOWN: @s is not in LOGIN, but ending.
 */
int cw_server_session_join(struct cw_server_session *s, struct cw_server_export *x);
/**
 * cw_server_session_add_link() - registers a data link at its index
 * @s: session
 * @link: data link. On success the session owns it.
 *
 * Context: Any context. Takes the lock of @s.
 * Return: 0; -EBUSY: taken; -ENOENT: no such index; -ESHUTDOWN: @s is ending.
 */
int cw_server_session_add_link(struct cw_server_session *s, struct cw_link *link);
/**
 * cw_server_session_refused() - ends a refused session soon, if the client does not close before
 * @s: session
 *
 * Context: Process context.
 */
void cw_server_session_refused(struct cw_server_session *s);
/**
 * cw_server_session_heard() - returns the time of the last message before the end began
 * @s: session
 *
 * Context: Any context. Takes the lock of @s.
 * Return: The time, in jiffies.
 */
unsigned long cw_server_session_heard(struct cw_server_session *s);
/**
 * cw_server_session_part() - sets how long the control link is still needed at most
 * @s: session
 * @delay: jiffies; it is needed for less if the client closes before
 *
 * Context: Any context. Takes the lock of @s.
 */
void cw_server_session_part(struct cw_server_session *s, unsigned long delay);
/**
 * cw_server_session_farewell() - sends FAREWELL, and gives the client the time to read it
 * @s: session that sent GOODBYE
 *
 * Context: Process context, under the lock of the admission. Takes the lock of @s.
 */
void cw_server_session_farewell(struct cw_server_session *s);
extern atomic_t cw_session_total; /* sessions that are not finished */
/**
 * cw_server_session_total() - counts sessions that are not finished, of all exports and of none
 *
 * Context: Any context.
 * Return: Their number.
 */
u32 cw_server_session_total(void);
/**
 * cw_server_session_init() - draws the random start of the numbers of sessions
 *
 * Context: Process context, when the module is loaded.
 */
void cw_server_session_init(void);
extern const struct cw_link_handler cw_server_control_handler;
/**
 * cw_server_down() - ends the session of a link that died, if the link has one yet
 * @link: link
 *
 * Context: Any context. Takes the lock of the session.
 */
void cw_server_down(struct cw_link *link);

/* end.c: the works of the end, in this order */
/**
 * cw_session_end_work() - kills and drains the links
 * @work: &cw_server_session.end
 *
 * Context: Process context: work. Sleeps.
 */
void cw_session_end_work(struct work_struct *work);
/**
 * cw_session_finish_work() - notifies the admission, and frees the data links
 * @work: &cw_server_session.finish; queued when no command is left
 *
 * Context: Process context: work. May sleep.
 */
void cw_session_finish_work(struct work_struct *work);
/**
 * cw_session_last_work() - frees the control link, and reports the end of the session
 * @work: &cw_server_session.last
 *
 * Context: Process context: work. Sleeps.
 */
void cw_session_last_work(struct work_struct *work);

/* server.c */
/**
 * cw_server_data_handler() - returns the data links' handler, the target's with cw_server_down()
 *
 * Context: Any context.
 * Return: The handler.
 */
const struct cw_link_handler *cw_server_data_handler(void);

/* listener.c */
/**
 * cw_listener_start() - listens on IPv4, and on IPv6 if possible
 * @port: port of the RDMA connection manager
 *
 * Context: Process context. May sleep. Takes cw_listen_lock.
 * Return: 0 or -errno.
 */
int cw_listener_start(u16 port);
/**
 * cw_listener_stop() - destroys the listeners
 *
 * Context: Process context. Sleeps. Takes cw_listen_lock.
 */
void cw_listener_stop(void);

/* listener_tcp.c */
/**
 * cw_listener_tcp_start() - listens for links over TCP on IPv4, and on IPv6 if possible
 * @port: TCP port
 *
 * Context: Process context. May sleep. The caller serialises it with cw_listener_tcp_stop().
 * Return: 0 or -errno.
 */
int cw_listener_tcp_start(u16 port);
/**
 * cw_listener_tcp_stop() - closes the listeners, and the connections whose request is not there
 *
 * Context: Process context. Sleeps.
 */
void cw_listener_tcp_stop(void);

/* server.c */
/**
 * cw_server_init() - prepares the sources, the sessions and the work queues of the server
 *
 * Context: Process context, when the module is loaded. May sleep.
 * Return: 0 or -ENOMEM.
 */
int cw_server_init(void);
/**
 * cw_server_exit() - waits until all exports are freed, and frees what the server has
 *
 * Context: Process context, when the module is unloaded. Sleeps.
 */
void cw_server_exit(void);

#endif
