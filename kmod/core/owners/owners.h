/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * A state machine that decides which sessions may write to a disk (docs/PROTOCOL.md, section 5).
 *
 * There is one struct cw_owners for each identity. It lists every login that has sent a right
 * PROOF, and every JOIN with a right MAC (section 7), until nothing of that login or path is left
 * at the server. Where these files say login, they mean both. Each event changes the state of the
 * machine, and then the machine judges all waiting logins again: first those whose session is an
 * owner already, then the others. So no event has to know which logins wait for it. While a change
 * is being written to the ledger, nothing is judged.
 *
 * The machine does not lock, sleep or allocate. The caller serialises all calls for one identity.
 * The functions of cw_owners_ops are called from within these calls, and must not call the machine.
 * Times are milliseconds of a clock that stands still while the server is suspended, and that never
 * reads 0.
 */
#ifndef CW_OWNERS_OWNERS_H
#define CW_OWNERS_OWNERS_H

#include "ledger.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_OWNERS_NEVER (~0ULL)
#define CW_OWNERS_EPOCHS_MS 9000 /* longest time until epochs are written; rule 19 allows 10 s */
#define CW_OWNERS_REPAIR_MS 1000 /* between attempts to write after a failure */
#define CW_OWNERS_STALL_MS 1000 /* a wait that was judged so late begins anew: rule 31 */
#define CW_OWNERS_PROBE_MS 100 /* between attempts to send a PROBE */

enum cw_owners_refusal {
	CW_OWNERS_STALE = 1,
	CW_OWNERS_SUPERSEDED,
	CW_OWNERS_IN_USE,
	CW_OWNERS_EVICTED,
	CW_OWNERS_LEDGER,
	CW_OWNERS_FULL, /* the ledger has no room for another host */
	CW_OWNERS_LIMIT, /* a limit of the server */
	CW_OWNERS_EXPORT, /* the export is being removed */
	CW_OWNERS_NOT_LIVE, /* JOIN: no path of its login is live, or none may become live */
	CW_OWNERS_NO_FENCE, /* JOIN: no FENCE has announced it in time */
};

/* The reasons to wait that WAITING carries. */
enum cw_owners_wait {
	CW_OWNERS_WAIT_COMMANDS = 1,
	CW_OWNERS_WAIT_OWNER = 2,
	CW_OWNERS_WAIT_LEDGER = 3,
	CW_OWNERS_WAIT_FENCE = 4,
};

enum cw_login_state {
	CW_LOGIN_JUDGED, /* not admitted yet */
	CW_LOGIN_LIVE, /* WELCOME or JOINED was sent */
	CW_LOGIN_LEAVING, /* GOODBYE arrived; the control link is kept for FAREWELL */
	CW_LOGIN_ENDING, /* its links are being drained, or commands are left */
	CW_LOGIN_ENDED, /* nothing is left, except for a change that GOODBYE needs */
};

/* A PROBE on a control link. */
struct cw_owners_probe {
	u64 cookie; /* 0: no PROBE is unanswered */
	u64 sent; /* ms */
	u64 order; /* increases with each PROBE of the link */
	u64 epoch; /* of the login that the PROBE was sent for; rule 10 only */
};

enum cw_floor_state {
	CW_FLOOR_CLOSED, /* no FENCE of this floor has announced a JOIN */
	CW_FLOOR_ANNOUNCED, /* a FENCE has announced the JOIN with this tag */
	CW_FLOOR_USED, /* a JOIN was admitted on it */
};

/* The floor of a path. A JOIN must have the next epoch. */
struct cw_owners_floor {
	u64 epoch;
	u64 tag; /* CW_FLOOR_ANNOUNCED: of the JOIN that may be admitted */
	enum cw_floor_state state;
};

/* One login or JOIN of a session. The caller zeroes it and sets the fields before @state. */
struct cw_login {
	struct cw_owner owner;
	bool join; /* a JOIN; @last to @has_receipt are 0 */
	u8 path; /* below CW_WIRE_PATHS */
	u64 epoch;
	u64 tag; /* JOIN: cw_join_tag() of its nonce, not 0 */
	u64 login_epoch; /* of the login whose secret the client proves; for a login, @epoch */
	u64 last;
	u64 generation;
	bool returning;
	bool has_receipt; /* the receipt of HELLO is right for @generation */
	u32 dead_ms; /* the detection time that WELCOME or JOINED will grant */
	u64 hello_at; /* ms; arrival of HELLO or JOIN */

	/* Set by the machine; the caller may read them. */
	enum cw_login_state state;
	enum cw_owners_wait waits;
	bool admitted; /* it was LIVE at some time */
	bool said_goodbye;
	bool later_login; /* since this login's GOODBYE, a later one of the session was admitted */
	bool idle; /* after GOODBYE: no command is left, and no data link in use */
	bool awaited; /* the caller was asked to end it, or to hasten its end */
	/* ms; start of the wait for an answer, if the server was stalled and the wait began anew */
	u64 wait_from;
	u64 waited; /* ms; waits for an answer that end until then have ended without a stall */
	u64 probed; /* order of the latest PROBE */
	/* sent because another login of the same session may be a copy of this client: rule 10 */
	struct cw_owners_probe copy;
	/* sent because a new session would replace this owner: rule 14 */
	struct cw_owners_probe conflict;
	/* of the paths, by number; the same in all admitted members of one login */
	struct cw_owners_floor floors[CW_WIRE_PATHS];
	/* by path: the highest epoch of the FENCEs that are unanswered on this link; 0: none */
	u64 fences[CW_WIRE_PATHS];
	struct cw_login *next;
};

/* The request of an administrator to evict or readmit a host. */
struct cw_owners_request {
	u8 host[CW_WIRE_UUID];
	bool readmit;
	bool written; /* set by the machine; in the ledger */
	struct cw_owners_request *next;
};

struct cw_owners;

struct cw_owners_ops {
	/*
	 * Time of the last message of @m since its PROOF or JOIN, in ms. May be called until @m is
	 * released.
	 */
	u64 (*heard)(const struct cw_login *m);
	/* Draws a random number, not 0. */
	u64 (*cookie)(void);
	/* Sends PROBE. False: it cannot be sent now; the machine tries again. */
	bool (*probe)(struct cw_login *m, u64 cookie);
	/*
	 * Starts the end of @m: all links are killed and drained, and its commands end. After that
	 * the caller calls cw_owners_ended().
	 */
	void (*end)(struct cw_login *m, const char *why);
	/* The end of @m has begun without @end, and others wait for it now. Once for each @m. */
	void (*hasten)(struct cw_login *m);
	/*
	 * Sends REFUSED and starts the end as above. @newest: the newest epoch, for STALE; 0 if the
	 * epoch is not the reason, and for a JOIN. @by: the owner's entry, for IN_USE, or NULL.
	 */
	void (*refuse)(struct cw_login *m, enum cw_owners_refusal refusal, u64 newest,
		       const struct cw_ledger_host *by);
	/* True if a limit of the server forbids @m now. Sessions that @m replaces do not count. */
	bool (*limited)(struct cw_login *m);
	/*
	 * Sends WELCOME, or JOINED to a JOIN, if the control link has not ended. The session is
	 * live.
	 */
	void (*welcome)(struct cw_login *m);
	/* Sends FENCED for the incarnations of @path up to @epoch, on the link of @m. */
	void (*fenced)(struct cw_login *m, u8 path, u64 epoch);
	/* Sends FAREWELL and starts the end as above. */
	void (*farewell)(struct cw_login *m);
	/*
	 * Writes @ledger to stable storage. 0: done; -EINPROGRESS: cw_owners_written() will be
	 * called, and @ledger does not change until then; otherwise a negative errno.
	 */
	int (*write)(struct cw_owners *o, const struct cw_ledger *ledger);
	/* @request was carried out (0) or failed (a negative errno), and is off the list. */
	void (*completed)(struct cw_owners_request *request, int error);
	/* @m is off the list; the machine uses it no more. */
	void (*release)(struct cw_login *m);
	/* Seconds since 1970. */
	u64 (*seconds)(void);
};

/* The kinds of write; the machine does one at a time. */
enum cw_owners_writing {
	CW_OWNERS_WRITE_NONE,
	CW_OWNERS_WRITE_LOGIN,
	CW_OWNERS_WRITE_GOODBYE,
	CW_OWNERS_WRITE_REQUEST,
	/*
	 * No change: the state in memory. JOINs, and logins whose session is an owner already, are
	 * judged meanwhile.
	 */
	CW_OWNERS_WRITE_STATE,
};

struct cw_owners {
	const struct cw_owners_ops *ops;
	bool exclusive;
	bool read_only; /* no owner and no ledger: a login only ends earlier paths of its session */
	u32 takeover_after; /* s; 0: never */
	u32 dead_ms; /* ms; the detection time that the server would grant now */
	u64 started; /* ms; start of the export */
	bool closed; /* the export is being removed */

	/*
	 * Set by the machine. Before cw_owners_start(), the caller provides room in both ledgers
	 * and loads the first one.
	 */
	struct cw_ledger ledger; /* the ledger in effect */
	struct cw_ledger next; /* the ledger that is being written */
	u64 highest; /* the highest generation ever read or written */
	enum cw_owners_writing writing;
	struct cw_login *writer; /* the member whose login or GOODBYE is being written */
	struct cw_owners_request *request;
	bool gave_up; /* the export is being removed, and a write has failed since then */
	u64 dirty; /* ms; since then memory has epochs that the ledger lacks; 0: none */
	u64 repair; /* ms; after a failed write: when to write the state in memory; 0: no failure */
	struct cw_login *members;
	struct cw_owners_request *requests;
	u64 free; /* ms; end of the last write of a change */
	u64 wake; /* ms; the next time at which the machine must be called */
};

/**
 * cw_owners_start() - starts the machine after the ledger was loaded
 * @o: the machine
 * @now: ms
 *
 * Context: Any context. The caller serialises all calls for @o.
 * Return: False if the export is exclusive and the ledger has several owners; then the export MUST
 *   NOT be started (rule 2).
 */
bool cw_owners_start(struct cw_owners *o, u64 now);

/**
 * cw_owners_enter() - handles a right PROOF of a login
 * @o: the machine
 * @m: the login, which has passed the checks that section 4 puts before the eviction
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_enter(struct cw_owners *o, struct cw_login *m, u64 now);

/**
 * cw_owners_join() - handles a JOIN with a right MAC
 * @o: the machine
 * @m: the JOIN, with the session, the serial and @login_epoch of the member whose secret it proved
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_join(struct cw_owners *o, struct cw_login *m, u64 now);

/**
 * cw_owners_fence() - handles FENCE
 * @o: the machine
 * @m: the member on whose control link FENCE arrived
 * @path: of the incarnations to end
 * @epoch: the highest epoch of the incarnations to end
 * @tag: of the JOIN with the next epoch that FENCE announces; 0: none
 * @now: ms
 *
 * When these incarnations have ended, the machine calls fenced(). A FENCE of a member that is not
 * live is ignored.
 *
 * Context: Process context. The caller serialises all calls for @o.
 * Return: 0; -EPROTO: FENCE is malformed, because it names the path of @m or no path.
 */
int cw_owners_fence(struct cw_owners *o, struct cw_login *m, u8 path, u64 epoch, u64 tag, u64 now);

/**
 * cw_owners_path_bye() - handles PATH_BYE
 * @o: the machine
 * @m: the member on whose control link PATH_BYE arrived
 * @path: of the message
 * @epoch: of the message
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 * Return: 0; -EPROTO: PATH_BYE is malformed, because it does not name @m.
 */
int cw_owners_path_bye(struct cw_owners *o, struct cw_login *m, u8 path, u64 epoch, u64 now);

/**
 * cw_owners_alive() - handles ALIVE on a control link
 * @o: the machine
 * @m: the login of the link
 * @cookie: of the ALIVE
 *
 * Refuses the waiting logins that this answer decides, and judges nothing else: all answers that
 * have arrived must be delivered before cw_owners_step() (rule 31).
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_alive(struct cw_owners *o, struct cw_login *m, u64 cookie);

/**
 * cw_owners_cookie() - returns the cookie for a PROBE of liveness
 * @m: the login of the link
 *
 * Context: Any context. The caller serialises all calls for the machine.
 * Return: The cookie of the machine's newest unanswered PROBE. The peer may answer the newest PROBE
 *   only, and that ALIVE then answers the machine's PROBE too. 0: any cookie.
 */
u64 cw_owners_cookie(const struct cw_login *m);

/**
 * cw_owners_close() - handles the removal of the export
 * @o: the machine
 * @now: ms
 *
 * Waiting logins are refused, no login is admitted any more, and epochs are written at once.
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_close(struct cw_owners *o, u64 now);

/**
 * cw_owners_confirm() - handles the proof that the client has WELCOME
 * @o: the machine
 * @m: the login whose secret was proved by a data link or a JOIN
 * @now: ms
 *
 * Judges nothing; cw_owners_step() has to follow.
 *
 * Context: Any context. The caller serialises all calls for @o.
 * Return: False if @m is not live any more; then the link MUST be refused.
 */
bool cw_owners_confirm(struct cw_owners *o, struct cw_login *m, u64 now);

/**
 * cw_owners_goodbye() - handles GOODBYE
 * @o: the machine
 * @m: the login, which is LIVE
 * @now: ms
 *
 * Ends the other paths of the session. Meanwhile the caller ends the data links of @m.
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_goodbye(struct cw_owners *o, struct cw_login *m, u64 now);

/**
 * cw_owners_idle() - handles that, after GOODBYE, no command is left and no data link in use
 * @o: the machine
 * @m: the login
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_idle(struct cw_owners *o, struct cw_login *m, u64 now);

/**
 * cw_owners_ending() - handles that the control link has failed, or that its end has begun
 * otherwise
 * @o: the machine
 * @m: the login
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_ending(struct cw_owners *o, struct cw_login *m, u64 now);

/**
 * cw_owners_ended() - handles that nothing of a login is left: no link, no command
 * @o: the machine
 * @m: the login; it may be freed once the machine has released it
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_ended(struct cw_owners *o, struct cw_login *m, u64 now);

/**
 * cw_owners_submit() - adds a request of an administrator
 * @o: the machine
 * @request: the request; it must exist until completed() was called
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_submit(struct cw_owners *o, struct cw_owners_request *request, u64 now);

/**
 * cw_owners_written() - handles the end of a write that returned -EINPROGRESS
 * @o: the machine
 * @error: a negative errno or 0
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_written(struct cw_owners *o, int error, u64 now);

/**
 * cw_login_is_own() - checks whether the session of a login is an owner already
 * @o: the machine
 * @m: the login
 *
 * Context: Any context. The caller serialises all calls for @o.
 * Return: True if it is, by the ledger in effect.
 */
bool cw_login_is_own(const struct cw_owners *o, const struct cw_login *m);

/**
 * cw_owners_is_quiet() - checks whether a closed machine has nothing left to do
 * @o: a closed machine
 *
 * Context: Any context. The caller serialises all calls for @o.
 * Return: True if no login, no request and no write is left.
 */
bool cw_owners_is_quiet(const struct cw_owners *o);

/**
 * cw_owners_step() - judges all waiting logins and carries out what is due
 * @o: the machine
 * @now: ms
 *
 * After this and every other call, the caller MUST call this function again at @o->wake. It first
 * delivers the messages that arrived before that time (rule 31).
 *
 * Context: Process context. The caller serialises all calls for @o.
 * Return: @o->wake; CW_OWNERS_NEVER: not before the next event.
 */
u64 cw_owners_step(struct cw_owners *o, u64 now);

#ifdef __cplusplus
}
#endif

#endif
