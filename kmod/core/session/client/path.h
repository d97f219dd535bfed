/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A path of a session: one connection to the server, which is a control link and data links.
 *
 * A path holds everything that ends with its connection, and the memory that its links are made of.
 * The session holds what outlives a connection: what the user asked for, what the server knows of
 * the session, and the state that users see. A path lives as long as its session, even if it is
 * removed (path_list.h). Links point to their path, and are drained and freed before the session
 * goes.
 *
 * Locks, outer first: path->lock, session->lock, the lock of the disk, and below it the lock of the
 * disk's gates. stats_lock, making_lock and session->reason_lock are leaves. A thread holds the
 * lock of one path at a time.
 */
#ifndef CW_CLIENT_PATH_H
#define CW_CLIENT_PATH_H

#include "path_state.h"
#include "session.h"

/* The values that WELCOME grants to the links of a path. */
struct cw_path_grants {
	u32 number; /* of the session at the server */
	u16 queues, depth;
	u32 inline_size, max_io; /* bytes */
	u32 export_id;
	u32 probe_ms, dead_ms;
	u16 area; /* pages of data in a message that the server takes */
	u16 messages; /* with records that the server takes at once */
	u64 features; /* agreed upon */
};

/* A FENCE of a path that is not answered, see fence.c. */
struct cw_fence {
	u64 epoch; /* the server may have something left of the path up to it; 0: no fence */
	u64 tag; /* cw_join_tag() of the JOIN that it announces; otherwise 0 */
	struct cw_path *carrier; /* live path on which FENCE was sent; NULL: none */
};

struct cw_path {
	struct cw_session *session;
	const struct cw_link_factory *factory; /* of its links */
	struct sockaddr_storage address;
	struct sockaddr_storage local; /* ss_family 0: any */
	u8 number; /* its place in session->paths */

	/*
	 * Written under session->lock. Read under it; or under lock, since only the holder of lock
	 * changes a state other than CONNECTING.
	 */
	enum cw_path_state state;
	bool leaving; /* it is being removed, see path_list.h; written under session->lock */
	u8 role; /* CW_PATH_*, what the path connects for; under session->lock */
	/*
	 * The newest attempt found another disk, or one that grants less than the device was made
	 * for. Written under lock and session->lock.
	 */
	bool refused;

	/* Under session->lock. */
	bool used; /* the disk may give it commands: see ranks.c. Only while it is LIVE */
	u8 relapses; /* see cw_rank_relapses() */
	u64 live_since; /* ns: when it went live last */
	/* A probe was sent because it has settled. The receive context reads it too. */
	bool asked;
	u32 asked_alives; /* alives before that probe */
	u32 attempts; /* to log in or join, since the path or a login was last live */
	bool failed; /* the last attempt, which nothing interrupted */
	unsigned long retry_at; /* jiffies: not before, for a JOIN */
	struct cw_fence fence; /* of the incarnation that was live last */
	/*
	 * Either of two events may come first, FENCED and the return of ops->reap. The fence ends
	 * when both were there. reaped stays set until the path is live again, because a path may
	 * need a fence after its requests were taken back. So at most one of the two is set.
	 */
	bool fence_answered; /* before the requests of that incarnation were taken back */
	bool reaped; /* ops->reap has returned for the incarnation that was live last */
	u32 fence_commands; /* for which the server says it waits; any context */
	u64 fence_began; /* ns: when the path was lost for which fence was set */
	u32 losses, fences; /* counted: losses of the path, and fences that have ended */
	u64 fence_ns; /* that those fences took together */
	struct cw_fence announced; /* the JOIN that is in progress, or the last one */

	/*
	 * Everything below, but for what is marked. Held by the works of the path, and by
	 * cw_session_close(); also through connecting and draining.
	 */
	struct mutex lock;
	/*
	 * A thread without lock may use the control link only under session->lock, and only while
	 * the path is LIVE: the path leaves LIVE under session->lock before the link is freed.
	 */
	struct cw_link *control;
	struct cw_link *links[CW_WIRE_QUEUES_MAX];
	unsigned int nr_links; /* stable between up() and stop() */
	struct cw_reserve reserve; /* what links were made of, while there are none */
	u16 area; /* pages of data in a message that the last login said we take */
	struct cw_path_grants grants; /* of the last login or join that was accepted */
	u64 epoch; /* of the last login or join; written when the path gets its role */
	struct cw_wire_req wire_req; /* of the control link, as sent */
	struct cw_wire_rep wire_rep; /* as received */
	unsigned long asked_at; /* jiffies: of the last PROBE of the control link */
	struct cw_probing probing; /* of the control link, in short rounds */
	unsigned long round_due; /* jiffies: the next long round */
	/*
	 * For the round trip of PROBE and ALIVE. The cookie of PROBE is the time since
	 * measured_from, which is written before the first PROBE with a cookie, and read in the
	 * receive context.
	 */
	u64 measured_from; /* ns */
	u32 rtt; /* units of 1024 ns, of the newest answer; 0: none yet. Any context */
	u32 alives; /* answers with a cookie; any context */
	const char *kicked; /* why a caller gave the connection up; any context */
	/*
	 * These describe the newest connection. A thread writes them under lock and session->lock,
	 * and reads them under either.
	 */
	char device[64];
	u8 device_port;
	struct sockaddr_storage local_address, peer_address;
	struct cw_stats past; /* of links that are gone */
	/* Read under either lock: past, and links, which are not freed meanwhile. */
	struct mutex stats_lock;
	spinlock_t making_lock; /* irqsave: making */
	struct cw_link *making; /* being connected, not in control or links yet */
	unsigned long flags; /* CW_PATH_*, any context */
	bool restarted; /* the attempt to connect began anew once; under session->lock */
	/*
	 * Why the last connection or attempt ended. Written under lock and session->reason_lock,
	 * read under either.
	 */
	int error;
	char reason[CW_REASON_SIZE];

	struct cw_inbox inbox;
	/* Woken by a control message, the death of the control link, and CW_SESSION_CLOSE. */
	wait_queue_head_t arrived;

	struct work_struct connect; /* an attempt to connect; queued under session->lock */
	struct work_struct work; /* letters and flags of a live path; queued in any context */
	struct delayed_work watch; /* liveness of a live path; queued in any context */
	unsigned long watch_due; /* jiffies: when it is due; any context */
	bool idle; /* the watch comes late: a command calls cw_path_busy(). Any context */
};

/* Flags of a path. */
enum {
	CW_PATH_LOST, /* a link died: tear down */
	CW_PATH_FLUSH, /* it stands by: send what its links have gathered */
	CW_PATH_ANSWERED, /* a probe while it was asked: let the session look at the ranks */
};

/* Roles of a path. */
enum {
	CW_PATH_NO_ROLE,
	/* From the decision of the session's work until the attempt has ended. */
	CW_PATH_LOGIN,
	CW_PATH_JOIN, /* the session is live already */
};

/**
 * cw_link_path() - returns the path of a client's link
 * @link: control or data link of a client
 *
 * Context: Any context.
 * Return: The path.
 */
static inline struct cw_path *cw_link_path(const struct cw_link *link)
{
	return link->owner;
}

/* ---- inside the core: path.c ---- */

/**
 * cw_path_set_ends() - sets the addresses and the transport of a path
 * @p: a path that is down or removed, or has no attempt yet
 * @config: its addresses and transport; copied
 *
 * Context: Any. session->lock is held once the path is in the list of its session.
 */
void cw_path_set_ends(struct cw_path *p, const struct cw_path_config *config);
/**
 * cw_path_create() - makes a path of a session, without a connection
 * @s: the session
 * @number: number of the path, below CW_WIRE_PATHS
 * @config: its addresses and transport; copied
 *
 * Context: Process context. May sleep.
 * Return: The path, or NULL if there is no memory.
 */
struct cw_path *cw_path_create(struct cw_session *s, u8 number,
			       const struct cw_path_config *config);
/**
 * cw_path_free() - frees a path
 * @p: a path without links, or NULL. What cw_path_empty() frees is not freed here.
 *
 * Context: Process context. May sleep.
 */
void cw_path_free(struct cw_path *p);
/**
 * cw_path_cancel() - cancels the works of a path, and waits for those that run
 * @p: the path
 *
 * Context: Process context. Sleeps. p->lock and session->lock are not held: the works take them.
 */
void cw_path_cancel(struct cw_path *p);
/**
 * cw_path_change() - changes the state of a path, if the new state may follow the present one
 * @p: the path
 * @to: the new state
 *
 * Context: Process context. session->lock is held, and p->lock unless the path is CONNECTING.
 * Return: True if the state was changed.
 */
bool cw_path_change(struct cw_path *p, enum cw_path_state to);
/**
 * cw_path_is_given_up() - checks that an attempt shall end
 * @p: a path that connects
 *
 * Context: Any context.
 * Return: True if the session closes, the path is being removed, or another thread has set its
 * state to DYING.
 */
bool cw_path_is_given_up(const struct cw_path *p);
/**
 * cw_path_say() - stores the reason of a loss, of a failed attempt, or of a wait for the server
 * @p: the path
 * @err: -errno
 * @fmt: format of the reason, a text for people, and its arguments
 *
 * The session shows the reason of the path that spoke last. A path that joins, or is being removed,
 * speaks for itself alone.
 *
 * Context: Process context. May sleep. p->lock is held, or no other thread knows the session.
 * Takes session->reason_lock.
 */
void cw_path_say(struct cw_path *p, int err, const char *fmt, ...) __printf(3, 4);
/**
 * cw_path_making() - lets the end of the session interrupt an attempt; cw_link_config.making
 * @path: the struct cw_path
 * @link: the link that is being connected, or NULL when the attempt has ended
 *
 * Kills @link at once if the attempt is given up.
 *
 * Context: Any context. Takes making_lock.
 */
void cw_path_making(void *path, struct cw_link *link);
/**
 * cw_path_interrupt() - ends every wait of an attempt to connect
 * @p: the path
 *
 * cw_path_is_given_up() is true already, so a link that is made from now on is killed at once.
 *
 * Context: Any context. Takes making_lock.
 */
void cw_path_interrupt(struct cw_path *p);
/**
 * cw_path_restart() - lets an attempt that still waits for its control link ask the server anew
 * @p: a path that connects
 *
 * Does so once in an attempt, since a port that comes up is reported several times.
 *
 * Context: Process context. session->lock is held. Takes making_lock.
 */
void cw_path_restart(struct cw_path *p);
/**
 * cw_path_is_idle() - checks that no command is outstanding on a path
 * @p: the path
 *
 * Context: Process context. p->lock is held.
 * Return: True if no data link waits for an answer.
 */
bool cw_path_is_idle(const struct cw_path *p);
/**
 * cw_path_free_links() - drains and frees all links, and adds their statistics to past
 * @p: the path
 *
 * Context: Process context. Sleeps. p->lock is held. Takes stats_lock.
 */
void cw_path_free_links(struct cw_path *p);
/**
 * cw_path_find_reason() - stores why the connection was lost
 * @p: the path
 *
 * Context: Process context. May sleep. p->lock is held. Takes session->reason_lock.
 */
void cw_path_find_reason(struct cw_path *p);
/**
 * cw_path_tear_down() - ends the connection of a path
 * @p: the path; it may have no links
 *
 * Stops the disk, drains all links, lets the disk take back its unanswered requests, handles the
 * last control messages, and frees the links.
 *
 * Context: Process context. Sleeps. p->lock is held. Takes session->lock and stats_lock.
 * Return: True if the disk took requests back.
 */
bool cw_path_tear_down(struct cw_path *p);
/**
 * cw_path_empty() - frees the messages and the memory that a path keeps without a connection
 * @p: a path without links
 *
 * Context: Process context. May sleep. p->lock is held, or no other thread knows the session.
 */
void cw_path_empty(struct cw_path *p);

/**
 * cw_path_close() - ends the connection of a path for good
 * @p: the path; its works are cancelled
 *
 * Context: Process context. Sleeps. Takes p->lock, session->lock and stats_lock.
 */
void cw_path_close(struct cw_path *p);

/* ---- inside the core: path_work.c ---- */

/**
 * cw_path_connect_work() - makes the attempt that the session's work decided on
 * @work: cw_path.connect
 *
 * Context: Process context, in cw_connect_wq. Sleeps. Takes p->lock and session->lock.
 */
void cw_path_connect_work(struct work_struct *work);
/**
 * cw_path_work() - handles the control messages and the loss of a live path
 * @work: cw_path.work
 *
 * Context: Process context, in cw_client_wq. Sleeps. Takes p->lock and session->lock.
 */
void cw_path_work(struct work_struct *work);
/**
 * cw_path_call() - reports a message or a loss to the thread that takes care of the path
 * @p: the path. The message is in its inbox, or a flag is set.
 *
 * Wakes the attempt to connect or the detach that waits, and queues the work of a live path.
 *
 * Context: Any context.
 */
void cw_path_call(struct cw_path *p);
/**
 * cw_client_down() - makes the path tear the connection down; cw_link_handler.down of all links
 * @link: the link that died
 *
 * Context: Any context.
 */
void cw_client_down(struct cw_link *link);

/**
 * cw_path_lost() - ends the connection of a live path that was lost
 * @p: a live path
 *
 * Reports the loss, asks for the fence of the path, and plans the next attempt.
 *
 * Context: Process context. Sleeps. p->lock is held. Takes session->lock and stats_lock.
 */
void cw_path_lost(struct cw_path *p);

/* ---- inside the core: fence.c ---- */

/**
 * cw_session_send_fences() - sends each fence that no live path carries
 * @s: the session
 *
 * Context: Process context. s->lock is held. Takes tx_lock of control links.
 */
void cw_session_send_fences(struct cw_session *s);
/**
 * cw_path_carries_fence() - checks whether a path has sent a FENCE that is not answered
 * @p: the path
 *
 * Context: Process context. session->lock is held.
 * Return: True if it has.
 */
bool cw_path_carries_fence(const struct cw_path *p);
/**
 * cw_path_set_fence() - asks the server to end what it has left of a path
 * @p: the path, which is not live
 * @fence: its fence, or what announces its JOIN
 * @epoch: newest epoch of the incarnations to end
 * @tag: cw_join_tag() of the JOIN that the fence announces; otherwise 0
 *
 * Context: Process context. session->lock is held. Takes tx_lock of control links.
 */
void cw_path_set_fence(struct cw_path *p, struct cw_fence *fence, u64 epoch, u64 tag);
/**
 * cw_path_stop_carrying() - sends the fences that a path carried on other paths
 * @p: the path, which is not live any more
 *
 * Context: Process context. session->lock is held. Takes tx_lock of control links.
 */
void cw_path_stop_carrying(struct cw_path *p);
/**
 * cw_path_end_fence() - lets the writes of a path be sent again: the server has nothing left of it
 * @p: a path whose requests were taken back
 *
 * Context: Process context. May sleep. session->lock is held. Calls ops->fenced.
 */
void cw_path_end_fence(struct cw_path *p);
/**
 * cw_path_reaped() - gives an answer to the fence that came early its effect
 * @p: a path whose links are drained, and whose requests were taken back. Its links may be there.
 *
 * Context: Process context. May sleep. p->lock is held. Takes session->lock.
 */
void cw_path_reaped(struct cw_path *p);
/**
 * cw_path_take_fenced() - handles FENCED
 * @p: the path on which it came
 * @letter: the message
 *
 * Context: Process context. May sleep. p->lock is held. Takes session->lock.
 * Return: 0, or -EPROTO if no unanswered FENCE of this path has the path and epoch of @letter.
 */
int cw_path_take_fenced(struct cw_path *p, const struct cw_letter *letter);

/* ---- inside the core: connect.c ---- */

/**
 * cw_path_connect() - makes the control link, logs in or joins, and makes the data links
 * @p: a path without links. After an error, the caller frees the links that were made.
 *
 * Context: Process context. Sleeps. p->lock is held. Takes session->lock.
 * Return: 0, or -errno with p->reason; -EREMCHG: another disk answers to the name;
 * -EMEDIUMTYPE: the server grants less than the disk was made for.
 */
int cw_path_connect(struct cw_path *p);
/**
 * cw_path_connect_control() - makes the control link alone, in p->control
 * @p: a path without links
 *
 * Context: Process context. Sleeps. p->lock is held, or no other thread knows the session.
 * Return: 0, or -errno with p->reason.
 */
int cw_path_connect_control(struct cw_path *p);

/* ---- inside the core: control_link.c ---- */

extern const struct cw_link_handler cw_client_control_handler;
/**
 * cw_path_receive() - waits for a control message, and sends PROBE meanwhile
 * @p: a path with a control link
 * @patience_ms: longest silence of the control link, in milliseconds
 *
 * Context: Process context. Sleeps. p->lock is held, or no other thread knows the session.
 * Return: The message, which the caller frees by kfree(); or NULL when the link died, nothing at
 * all arrived on it for @patience_ms, or the session closes.
 */
struct cw_letter *cw_path_receive(struct cw_path *p, u32 patience_ms);
/**
 * cw_path_silence() - returns for how long the control link has been silent
 * @p: a path with a control link
 * @since: the earliest time to count from, in jiffies
 *
 * Context: Process context. p->lock is held, or no other thread knows the session.
 * Return: The silence in milliseconds.
 */
u32 cw_path_silence(const struct cw_path *p, unsigned long since);
/**
 * cw_path_ask() - sends a PROBE on the control link if the last one is 1.5 s old
 * @p: a path with a control link
 *
 * Messages that come in between make no difference.
 *
 * Context: Process context, one caller at a time: p->lock is held, or no other thread knows
 * the session. Takes tx_lock of the control link.
 * Return: The jiffies until the next PROBE.
 */
long cw_path_ask(struct cw_path *p);
/**
 * cw_path_take_letters() - handles the control messages of a live path, or of one that ends
 * @p: the path. An unexpected message kills its control link.
 *
 * Context: Process context. May sleep. p->lock is held. Takes session->lock. Calls ops->notice.
 * Return: True if one message was FAREWELL.
 */
bool cw_path_take_letters(struct cw_path *p);

#endif
